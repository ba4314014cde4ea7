import type { EventType } from "../../contract/field-values.ts";
import { maxIdOf } from "../database/object-id.ts";
import type { ResentEvents } from "./event-types.ts";
import { type Scope, whereScope } from "../database/scope.ts";
import { countChanges, createStatement, type Statement } from "../database/driver.ts";
import { selectEvents, isSubscribed, eventDeliveryId } from "./events-sql.ts";
import { splitIntoSets, toValueList } from "../database/row-sets-sql.ts";

// The past events that an endpoint missed, or whose deliveries failed, are queued again.

/** `missed`: whether it would be queued. */
type PastEvent = { id: string; type: EventType; missed: boolean };

/**
 * Events after another one, oldest first, and whether an endpoint has missed them: they are of its types and were never
 * queued, or with `includesFailed` have failed. None where the endpoint was deleted.
 */
export function selectPastEvents(
  scope: Scope,
  endpointId: string,
  { above, limit, includesFailed }: { above: string; limit: number; includesFailed: boolean },
): Statement<PastEvent[]> {
  return createStatement(
    `SELECT happened.id AS id, happened.type AS type, CASE WHEN ${isSubscribed} AND NOT EXISTS
       (SELECT 1 FROM deliveries own WHERE own.account_id = $1 AND own.livemode = $2 AND own.id = ${eventDeliveryId}
        ${includesFailed ? "AND own.status <> 'failed'" : ""}) THEN 1 ELSE 0 END AS missed
     FROM webhook_endpoints hook CROSS JOIN (SELECT id, type ${selectEvents({ direction: "backward" }, {})}) happened
     WHERE hook.account_id = $1 AND hook.livemode = $2 AND hook.id = $6 ORDER BY happened.id`,
    [...whereScope(scope), maxIdOf("evt_"), above, limit, endpointId],
    (rows: { id: string; type: EventType; missed: number }[]) =>
      rows.map(({ missed, ...event }) => ({ ...event, missed: missed === 1 })),
  );
}

/**
 * Queues past events for an endpoint, unless they were meanwhile; with `includesFailed` also those that failed. Each is
 * due at its time of `computePastDueTimes`, so that the oldest is delivered first.
 */
export function insertPastDeliveries(
  scope: Scope,
  endpointId: string,
  events: (Pick<PastEvent, "id" | "type"> & { dueAtMs: number })[],
  { nowMs, includesFailed }: { nowMs: number; includesFailed: boolean },
): Statement<number>[] {
  return splitIntoSets(events).map((set) => {
    const rows = set.map(({ id, type, dueAtMs }) => [id, type, dueAtMs]);
    const { sql, params } = toValueList(rows, 5, ["TEXT", "TEXT", "BIGINT"]);
    return countChanges(
      `WITH happened (id, type, due_at_ms) AS (${sql})
       INSERT INTO deliveries (account_id, livemode, id, endpoint_id, event_id, type, status, attempts, due_at_ms, created_ms)
       SELECT hook.account_id, hook.livemode, ${eventDeliveryId}, hook.id, happened.id, happened.type, 'pending', 0, happened.due_at_ms, $4
       FROM webhook_endpoints hook CROSS JOIN happened
       WHERE hook.account_id = $1 AND hook.livemode = $2 AND hook.id = $3 AND hook.status = 'enabled'
       ON CONFLICT (account_id, livemode, id) ${
         includesFailed
           ? "DO UPDATE SET status = 'pending', attempts = 0, due_at_ms = excluded.due_at_ms, created_ms = excluded.created_ms WHERE deliveries.status = 'failed'"
           : "DO NOTHING"
       }`,
      [...whereScope(scope), endpointId, nowMs, ...params],
    );
  });
}

/** The last due time of an endpoint's pending deliveries before a time; 0 where there is none. */
export function selectLastDue(
  scope: Scope,
  endpointId: string,
  beforeMs: number,
): Statement<number> {
  return createStatement(
    `SELECT MAX(due_at_ms) AS due FROM deliveries
     WHERE account_id = $1 AND livemode = $2 AND endpoint_id = $3 AND due_at_ms < $4`,
    [...whereScope(scope), endpointId, beforeMs],
    ([row]: { due: number | null }[]) => row?.due ?? 0,
  );
}

/**
 * A delivery of a resend has a UUID alone, and sorts after its event; that of an event has the endpoint's digits behind
 * it.
 */
const isResend = `substr(id, ${"del_00000000-0000-7000-8000-000000000000".length + 1}, 1) = ''`;

/**
 * Deliveries of an endpoint after another one, oldest first, and the events of those that were resent, and did not
 * fail.
 */
export function selectResentEvents(
  scope: Scope,
  endpointId: string,
  { above, limit }: { above: string; limit: number },
): Statement<ResentEvents> {
  return createStatement(
    `SELECT id, CASE WHEN ${isResend} AND status <> 'failed' THEN event_id END AS event FROM deliveries
     WHERE account_id = $1 AND livemode = $2 AND endpoint_id = $3 AND id > $4 ORDER BY id LIMIT $5`,
    [...whereScope(scope), endpointId, above, limit],
    (rows: { id: string; event: string | null }[]) => ({
      last: rows.at(-1)?.id,
      events: rows.flatMap(({ event }) => event ?? []),
    }),
  );
}
