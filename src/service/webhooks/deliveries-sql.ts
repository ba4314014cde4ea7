import type { DeliveryTry } from "../../contract/delivery.ts";
import type { EventType } from "../../contract/field-values.ts";
import { writeJson } from "../../runtime/text.ts";
import {
  type Statement,
  changeOne,
  countChanges,
  createStatement,
  rowExists,
} from "../database/driver.ts";
import { isAmongFirst, maxCounted } from "../database/due-work.ts";
import type { ListedTable, Range } from "../database/listing.ts";
import {
  type Scope,
  type ScopeColumns,
  createRowsText,
  isOneOf,
  readScope,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { type EventJson, toEventJson, whereEvent } from "./events-sql.ts";

const columns = `id, endpoint_id AS "endpointId", event_id AS "eventId", type, status, attempts, due_at_ms AS "dueAtMs",
     last_status AS "lastStatus", last_error AS "lastError", created_ms AS "createdMs"`;

export const deliveriesTable: ListedTable<StoredDelivery> = {
  from: "deliveries",
  columns,
  readItem: (delivery: StoredDelivery) => delivery,
};

/** The deliveries of some events, which the filters `event_0`, `event_1` … name; `status_0` … are their statuses. */
export const eventDeliveriesTable: ListedTable<StoredDelivery> = {
  ...deliveriesTable,
  from: selectDeliveriesOfEvents,
};

/**
 * Each event's own deliveries have its digits, and those of its resends are found by an index of resends. An event's own
 * are one range of ids: SQLite takes one lower and one upper bound, so the page's must not be the ones (`|| ''`).
 */
function selectDeliveriesOfEvents({ direction }: Range, filters: Record<string, string>): string {
  const names = Object.keys(filters);
  const at = (name: string) => `CAST($${6 + names.indexOf(name)} AS TEXT)`;
  const page = `ORDER BY id ${direction === "forward" ? "DESC" : "ASC"} LIMIT $5`;
  const statuses = names.filter((name) => name.startsWith("status_")).map(at);
  const isListed = statuses.length === 0 ? "" : `AND status IN (${statuses.join(", ")})`;
  const isOfScope = `FROM deliveries WHERE account_id = $1 AND livemode = $2 ${isListed}`;
  const parts = names.flatMap((name) => {
    if (!name.startsWith("event_")) return [];
    const digits = `'del_' || substr(${at(name)}, 5)`;
    return [
      `AND id || '' < $3 AND id || '' > $4 AND id > ${digits} || '-' AND id < ${digits} || '.'`,
      `AND id < $3 AND id > $4 AND event_id = ${at(name)} AND ${isResend}`,
    ].map((of, part) => `SELECT * FROM (SELECT * ${isOfScope} ${of} ${page}) ${name}_${part}`);
  });
  return `FROM (${parts.join(" UNION ALL ")}) listed ${page}`;
}

/**
 * A delivery of a resend has a UUID alone, and sorts after its event; that of an event has the endpoint's digits behind
 * it. The index of resends by their events has this condition, letter by letter.
 */
export const isResend = "substr(id, 41, 1) = ''";

type TriedRow = StoredDelivery & { tries: string | null };

/** The same with their tries. */
export const triedDeliveriesTable: ListedTable<TriedDelivery> = {
  ...eventDeliveriesTable,
  columns: `${columns}, tries`,
  readItem: ({ tries, ...delivery }: TriedRow) => ({ ...delivery, tries: readTries(tries) }),
};

export function selectDelivery(scope: Scope, id: string): Statement<TriedDelivery | undefined> {
  return createStatement(
    `SELECT ${columns}, tries FROM deliveries WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    [...whereScope(scope), id],
    ([row]: TriedRow[]) => row && { ...row, tries: readTries(row.tries) },
  );
}

function readTries(json: string | null): DeliveryTry[] {
  return json === null ? [] : (JSON.parse(json) as DeliveryTry[]);
}

/** The deliveries whose ids begin with the event's digits (`eventDeliveryId`). */
export function selectEventDeliveries(scope: Scope, eventId: string): Statement<StoredDelivery[]> {
  const digits = eventId.replace(/^evt_/, "del_");
  return createStatement(
    `SELECT ${columns} FROM deliveries
     WHERE account_id = $1 AND livemode = $2 AND id > $3 AND id < $4`,
    [...whereScope(scope), `${digits}-`, `${digits}.`],
    (deliveries: StoredDelivery[]) => deliveries,
  );
}

/** The condition that a delivery is among an endpoint's first due ones that meet another condition. */
function isAmongFirstOfEndpoint(condition: string, limit: number, orderBy = "due_at_ms"): string {
  const where = `account_id = $1 AND livemode = $2 AND endpoint_id = $3 AND ${condition}`;
  return isAmongFirst("deliveries", { key: "id", where, orderBy, limit });
}

export function abandonDeliveries(
  scope: Scope,
  endpointId: string,
  { beforeMs, reason, limit, isDisabled }: AbandonedDeliveries,
): Statement<number> {
  const isStillDisabled = isDisabled
    ? `AND EXISTS (SELECT 1 FROM webhook_endpoints WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = 'disabled')`
    : "";
  return countChanges(
    `UPDATE deliveries SET status = 'failed', due_at_ms = NULL, last_error = $5
     WHERE account_id = $1 AND livemode = $2 AND status = 'pending' AND
     ${isAmongFirstOfEndpoint("due_at_ms >= 0 AND created_ms < $4", limit)} ${isStillDisabled}`,
    [...whereScope(scope), endpointId, beforeMs, reason],
  );
}

type DueRow = ScopeColumns & { id: string; failing_since_ms: number | null };

/** Endpoints of some accounts with due deliveries: one index look-up each. */
export function selectDueEndpoints(
  nowMs: number,
  accountIds: readonly string[],
): Statement<DueEndpoint[]> {
  const ofAccounts = isOneOf("account_id", accountIds, 2);
  return createStatement(
    `SELECT account_id, livemode, id, failing_since_ms FROM webhook_endpoints hook
     WHERE status = 'enabled' AND url IS NOT NULL AND ${ofAccounts.sql} AND EXISTS
     (SELECT 1 FROM deliveries due WHERE due.account_id = hook.account_id AND due.livemode = hook.livemode
      AND due.endpoint_id = hook.id AND due.due_at_ms <= $1)`,
    [nowMs, ...ofAccounts.params],
    (rows: DueRow[]) =>
      rows.map((row) => ({
        scope: readScope(row),
        endpointId: row.id,
        isFailing: row.failing_since_ms !== null,
      })),
  );
}

/** Whether any delivery of an endpoint is due: a frequent query, which needs no transaction. */
export function isAnyDeliveryDue(
  scope: Scope,
  endpointId: string,
  nowMs: number,
): Statement<boolean> {
  return rowExists(
    `SELECT id FROM deliveries WHERE account_id = $1 AND livemode = $2 AND endpoint_id = $3 AND due_at_ms <= $4
     ORDER BY due_at_ms LIMIT 1`,
    [...whereScope(scope), endpointId, nowMs],
  );
}

/** Those that are due in the same millisecond are in the order of their events: their ids have its digits. */
const inOrder = "due_at_ms, id";

/**
 * Leases due deliveries of an endpoint, as `leaseRows` does; returns them in the order of their events. While one is leased,
 * it is due at the lease's end: after a crash it is due again by itself.
 */
export function leaseDeliveries(
  scope: Scope,
  endpointId: string,
  { nowMs, untilMs, limit }: { nowMs: number; untilMs: number; limit: number },
): Statement<LeasedDelivery[]> {
  return createStatement(
    `UPDATE deliveries SET due_at_ms = $5
     WHERE account_id = $1 AND livemode = $2 AND due_at_ms + 0 <= $4 AND ${isAmongFirstOfEndpoint("due_at_ms <= $4", limit, inOrder)}
     RETURNING ${columns}, tries, ${whereEvent("sequence", "deliveries.event_id")} AS sequence, ${whereEvent("payment", "deliveries.event_id")} AS payment`,
    [...whereScope(scope), endpointId, nowMs, untilMs],
    (rows: (TriedRow & { sequence: number; payment: string | null })[]) =>
      rows
        .map(({ sequence, payment, tries, ...delivery }) => {
          const { eventId: id, type } = delivery;
          const { livemode } = scope;
          return {
            ...delivery,
            tries: readTries(tries),
            event: payment ? toEventJson({ id, type, livemode, sequence, payment }) : undefined,
          };
        })
        .toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1)),
  );
}

/** Further deliveries wait for their own due time, or the next start of the listener. */
const maxMadeDue = 1_000;

/**
 * Makes the next deliveries of an endpoint due, up to a limit: before those that have not been tried, whose events
 * happened later.
 */
export function makeDeliveriesDue(
  scope: Scope,
  endpointId: string,
  nowMs: number,
): Statement<boolean> {
  return changeOne(
    `UPDATE deliveries SET due_at_ms = 0
     WHERE account_id = $1 AND livemode = $2 AND due_at_ms + 0 > $4 AND ${isAmongFirstOfEndpoint("due_at_ms > $4", maxMadeDue)}`,
    [...whereScope(scope), endpointId, nowMs],
  );
}

const setResult =
  "attempts = deliveries.attempts + 1, status = result.status, due_at_ms = result.due_at_ms, last_status = result.last_status, last_error = result.last_error, tries = result.tries";

const updateText = createRowsText(
  "result",
  {
    id: "TEXT",
    attempts: "BIGINT",
    status: "TEXT",
    due_at_ms: "BIGINT",
    last_status: "BIGINT",
    last_error: "TEXT",
    tries: "TEXT",
  },
  3,
  `UPDATE deliveries SET ${setResult} FROM result
   WHERE deliveries.account_id = $1 AND deliveries.livemode = $2 AND deliveries.id = result.id
   AND deliveries.status = 'pending' AND deliveries.attempts = result.attempts RETURNING deliveries.id AS id`,
);

/**
 * Writes the results of attempts, each unless another replica has, or the delivery was abandoned; returns the ids of
 * those that were written. They are in one order, so that two replicas that write the same ones do not deadlock.
 */
export function updateDeliveries(
  scope: Scope,
  results: readonly DeliveryResult[],
  maxRows: number,
): Statement<string[]>[] {
  const sorted = results.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
  return splitIntoSets(sorted, maxRows).map((set) => {
    const rows = set.flatMap((result) => [
      result.delivery.id,
      result.delivery.attempts,
      result.status,
      result.dueAtMs,
      result.lastStatus,
      result.lastError,
      writeJson(result.tries),
    ]);
    return createStatement(
      updateText(set.length),
      [...whereScope(scope), ...rows],
      (updated: { id: string }[]) => updated.map(({ id }) => id),
    );
  });
}

/** Later than every due time. It is a constant in the statement, so that the planner knows that few rows qualify. */
const endOfTime = Number.MAX_SAFE_INTEGER;

export function selectWebhookBacklog(nowMs: number): Statement<WebhookBacklog> {
  return createStatement(
    `SELECT COUNT(*) AS pending, MIN(created_ms) AS oldest FROM
     (SELECT created_ms FROM webhook_endpoints hook JOIN deliveries waiting
      ON waiting.account_id = hook.account_id AND waiting.livemode = hook.livemode
      AND waiting.endpoint_id = hook.id AND waiting.due_at_ms <= ${endOfTime}
      WHERE hook.url IS NOT NULL AND hook.status = 'enabled' LIMIT ${maxCounted}) found`,
    [],
    ([row]: { pending: number; oldest: number | null }[]) => ({
      count: row?.pending ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** `dueAtMs` is null once the delivery has ended. */
export type StoredDelivery = {
  id: string;
  endpointId: string;
  eventId: string;
  type: EventType;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  dueAtMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdMs: number;
};

/** A delivery with its last tries, the newest last. */
export type TriedDelivery = StoredDelivery & { tries: readonly DeliveryTry[] };

/** `event` is undefined where it was purged. */
export type LeasedDelivery = TriedDelivery & { event: EventJson | undefined };

/** An endpoint for which deliveries are due. */
export type DueEndpoint = { scope: Scope; endpointId: string; isFailing: boolean };

/** `count` is the number of pending deliveries, capped at 10,000; the age is the oldest one's. */
export type WebhookBacklog = { count: number; oldestAgeMs: number };

/** The result of an attempt: what becomes of the delivery, with one more attempt. */
export type DeliveryResult = {
  delivery: Pick<StoredDelivery, "id" | "attempts">;
  /** All that are stored from now on. */
  tries: readonly DeliveryTry[];
  status: StoredDelivery["status"];
  dueAtMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  /** When the attempt ended, which tells the endpoint's health; undefined where it tells nothing. */
  endedMs: number | undefined;
};

/**
 * Which deliveries are abandoned: up to `limit` that were queued before `beforeMs`; with `isDisabled` none where the
 * endpoint has been enabled meanwhile.
 */
export type AbandonedDeliveries = {
  beforeMs: number;
  reason: string;
  limit: number;
  isDisabled: boolean;
};
