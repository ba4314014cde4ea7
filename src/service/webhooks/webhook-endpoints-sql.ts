import { allEventTypes, type Subscription } from "../../contract/field-values.ts";
import type { Endpoint } from "./delivery-state.ts";
import { type Scope, whereScope } from "../database/scope.ts";
import { changeOne, createStatement, type Statement, type Value } from "../database/driver.ts";

type EndpointRow = Omit<Endpoint, "events"> & { slot: number; types: string };
const columns = `id, slot, revision, url, types, description, status, disabled_reason AS "disabledReason", secret,
     old_secret AS "oldSecret", old_secret_until_ms AS "oldSecretUntilMs", queues_until_ms AS "queuesUntilMs",
     failing_since_ms AS "failingSinceMs", last_success_at AS "lastSuccessAt", created`;

/** Writes an endpoint in a free slot. */
export function insertEndpoint(scope: Scope, endpoint: Endpoint, slot: number): Statement<boolean> {
  return changeOne(
    `INSERT INTO webhook_endpoints (account_id, livemode, id, slot, revision, url, types, description, status, disabled_reason,
      secret, old_secret, old_secret_until_ms, queues_until_ms, failing_since_ms, created)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, NULL, $15)
     ON CONFLICT (account_id, livemode, slot) DO NOTHING`,
    [
      ...whereScope(scope),
      endpoint.id,
      slot,
      endpoint.revision,
      ...changeableValues(endpoint),
      endpoint.queuesUntilMs,
      endpoint.created,
    ],
  );
}

/**
 * Writes an endpoint over the revision before it. Only deliveries set `failing_since_ms` and `last_success_at`; the
 * first is cleared where the status or the address changes, the other where the address does.
 */
export function updateEndpoint(scope: Scope, endpoint: Endpoint): Statement<boolean> {
  return changeOne(
    `UPDATE webhook_endpoints SET revision = $4, url = $5, types = $6, description = $7, status = $8,
     disabled_reason = $9, secret = $10, old_secret = $11, old_secret_until_ms = $12,
     failing_since_ms = CASE WHEN status = $8 AND url = $5 THEN failing_since_ms END,
     last_success_at = CASE WHEN url IS NULL OR url = $5 THEN last_success_at END
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND revision = $4 - 1`,
    [...whereScope(scope), endpoint.id, endpoint.revision, ...changeableValues(endpoint)],
  );
}

/** The columns that a change may update, in their order. */
function changeableValues(endpoint: Endpoint): Value[] {
  return [
    endpoint.url,
    formatTypes(endpoint.events),
    endpoint.description,
    endpoint.status,
    endpoint.disabledReason,
    endpoint.secret,
    endpoint.oldSecret,
    endpoint.oldSecretUntilMs,
  ];
}

export function selectEndpoint(scope: Scope, id: string): Statement<Endpoint | undefined> {
  return createStatement(
    `SELECT ${columns} FROM webhook_endpoints WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    [...whereScope(scope), id],
    ([row]: EndpointRow[]) => row && readEndpoint(row),
  );
}

/** Every endpoint of a mode, newest first: there are few. */
export function selectEndpoints(scope: Scope): Statement<(Endpoint & { slot: number })[]> {
  return createStatement(
    `SELECT ${columns} FROM webhook_endpoints WHERE account_id = $1 AND livemode = $2 ORDER BY id DESC`,
    [...whereScope(scope)],
    (rows: EndpointRow[]) => rows.map((row) => ({ ...readEndpoint(row), slot: row.slot })),
  );
}

export function deleteEndpoint(scope: Scope, id: string): Statement<boolean> {
  return changeOne(
    "DELETE FROM webhook_endpoints WHERE account_id = $1 AND livemode = $2 AND id = $3",
    [...whereScope(scope), id],
  );
}

export function extendQueueing(scope: Scope, id: string, untilMs: number): Statement<boolean> {
  return changeOne(
    `UPDATE webhook_endpoints SET queues_until_ms = $4
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND queues_until_ms < $4`,
    [...whereScope(scope), id, untilMs],
  );
}

/** Records since when attempts have failed; an earlier time stays. */
export function setFailingSince(scope: Scope, id: string, sinceMs: number): Statement<boolean> {
  return changeOne(
    `UPDATE webhook_endpoints SET failing_since_ms = $4
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND failing_since_ms IS NULL`,
    [...whereScope(scope), id, sinceMs],
  );
}

/** Records that an attempt succeeded at a time in Unix seconds: the row is written once a second at most. */
export function recordSuccess(scope: Scope, id: string, at: number): Statement<boolean> {
  return changeOne(
    `UPDATE webhook_endpoints SET failing_since_ms = NULL,
     last_success_at = CASE WHEN last_success_at > $4 THEN last_success_at ELSE $4 END
     WHERE account_id = $1 AND livemode = $2 AND id = $3
     AND (failing_since_ms IS NOT NULL OR last_success_at IS NULL OR last_success_at < $4)`,
    [...whereScope(scope), id, at],
  );
}

function readEndpoint(row: EndpointRow): Endpoint {
  const { slot: _, types, ...endpoint } = row;
  const isAll = types === allEventTypes;
  return { ...endpoint, events: isAll ? [types] : (types.trim().split(" ") as Subscription) };
}

/** As `isSubscribed` looks for a type: each between spaces. */
function formatTypes(events: Subscription): string {
  return events[0] === allEventTypes ? allEventTypes : ` ${events.join(" ")} `;
}
