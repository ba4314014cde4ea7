import type { EventType } from "../../contract/field-values.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import { type Statement, countChanges, createStatement } from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import {
  maxIdOf,
  parseCreated,
  toCreatedEventId,
  toCreatedEventIdSql,
  toIdBound,
} from "../database/ids.ts";
import type { Filters, ListedTable, Range } from "../database/listing.ts";
import {
  type Scope,
  createRowsText,
  createSetText,
  listParams,
  listValues,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { type IdempotencyRecord, existsClaimed } from "../idempotency/idempotency-store.ts";

// A payment's first event is the payment itself, until it changes: then the event becomes a row of its own, as the
// events that come after it are. So a payment that stays as it was created is written once.

type EventRow = { id: string; sequence: number; type: EventType; payment: string };

/** Whether a payment is as it was created, and so stands for its first event. */
const isAsCreated = "last_event_id IS NULL AND status = first_status";

const itsFirstEventId = toCreatedEventIdSql("id");

/**
 * Writes the first events of payments of an account and mode that are in `from`, before they are changed. With
 * `record`, the one event is written only if that has claimed its key.
 */
export function storeCreatedEvents(
  scope: Scope,
  from: PaymentStatus,
  changes: { payment: { id: string } }[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  return splitIntoSets(changes.map(({ payment }) => payment.id)).map((set) => {
    const claimed = existsClaimed(record, 5);
    return countChanges(
      `INSERT INTO events (account_id, livemode, id, payment_id, sequence, type, payment)
       SELECT account_id, livemode, ${itsFirstEventId}, id, 1, 'payment.' || status, payment FROM payments
       WHERE account_id = $1 AND livemode = $2 AND status = $3 AND id IN (${listParams(set.length, 4)}) AND ${isAsCreated} ${claimed.sql}
       ON CONFLICT (account_id, livemode, id) DO NOTHING`,
      [...whereScope(scope), from, ...set, ...claimed.params],
    );
  });
}

type ChangedPayment = { id: string; status: PaymentStatus };

/** An event of a payment's change. */
type PaymentEvent = { payment: ChangedPayment; event: NewEvent };

const insertText = createSetText(
  (rows) => `INSERT INTO events (account_id, livemode, id, payment_id, sequence, type, payment)
   SELECT account_id, livemode, last_event_id, id, events, 'payment.' || status, payment FROM payments
   WHERE account_id = $1 AND livemode = $2 AND ${rows === 1 ? "id = $3 AND last_event_id = $4" : `id IN (${listParams(rows, 3)})`}
   ON CONFLICT (account_id, livemode, id) DO NOTHING`,
);

/**
 * Writes the events of payments' changes, and their deliveries, in the transaction of the changes; repeating it has no
 * effect. A single event is not written without its change; of several the transaction has made each.
 */
export function recordEvents(scope: Scope, events: PaymentEvent[]): Statement<number>[] {
  const inserts = splitIntoSets(events).map((set) =>
    countChanges(insertText(set.length), [
      ...whereScope(scope),
      ...set.map(({ payment }) => payment.id),
      ...(set.length === 1 ? set.map(({ event }) => event.id) : []),
    ]),
  );
  return [...inserts, ...enqueueDeliveries(scope, events)];
}

/** Whether an endpoint is sent events of this type. */
const isSubscribed = "(hook.types = '*' OR hook.types LIKE '% ' || happened.type || ' %')";

/**
 * The id of an event's delivery to an endpoint: the event's digits and the endpoint's random ones. One statement can
 * thus write the deliveries of any number of endpoints.
 */
const eventDeliveryId = "'del_' || substr(happened.id, 5) || '-' || substr(hook.id, 30)";

const deliveryColumns =
  "account_id, livemode, id, endpoint_id, event_id, type, status, attempts, due_at_ms, created_ms";

const enqueueText = createSetText(
  (rows) =>
    `${rows === 1 ? "" : listHappened(rows)} INSERT INTO deliveries (${deliveryColumns})
     SELECT hook.account_id, hook.livemode, ${eventDeliveryId}, hook.id, happened.id, happened.type, 'pending', 0,
     CASE WHEN hook.url IS NULL THEN happened.now_ms ELSE happened.due_at_ms END, happened.now_ms
     FROM webhook_endpoints hook CROSS JOIN ${rows === 1 ? `(${selectHappened}) happened` : "happened"}
     WHERE hook.account_id = $1 AND hook.livemode = $2 AND hook.status = 'enabled'
     AND hook.queues_until_ms > happened.now_ms AND ${isSubscribed}
     ON CONFLICT (account_id, livemode, id) DO NOTHING`,
);

const selectHappened = `
  SELECT CAST($4 AS TEXT) AS id, CAST($5 AS TEXT) AS type, CAST($6 AS BIGINT) AS now_ms, CAST($7 AS BIGINT) AS due_at_ms
  FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3 AND COALESCE(last_event_id, ${itsFirstEventId}) = $4`;

function listHappened(rows: number): string {
  const types = ["TEXT", "TEXT", "TEXT", "BIGINT", "BIGINT"];
  return `WITH happened (payment_id, id, type, now_ms, due_at_ms) AS (${listValues(rows, 5, 3, types)})`;
}

/**
 * Writes the deliveries of payments' last events, of an account and mode; that of a new payment has the payment's UUID.
 * Those of a single event are not written without it; of several the transaction has written each.
 */
export function enqueueDeliveries(
  scope: Scope,
  events: { payment: ChangedPayment; event: EventTimes & { id?: string } }[],
): Statement<number>[] {
  return splitIntoSets(events).map((set) => {
    const rows = set.flatMap(({ payment: { id, status }, event }) => [
      id,
      event.id ?? toCreatedEventId(id),
      `payment.${status}`,
      event.nowMs,
      event.dueAtMs,
    ]);
    return countChanges(enqueueText(set.length), [...whereScope(scope), ...rows]);
  });
}

/** Stored events, and payments that stand for their first event, as one table. */
export const eventsTable: ListedTable<EventJson> = {
  columns: "id, sequence, type, payment",
  readItem: (row: EventRow, scope) => readEvent(row, scope),
  payment: "payment",
  from: selectEvents,
};

function selectEvents({ direction }: Pick<Range, "direction">, filters: Filters): string {
  const [order, beyond] = direction === "forward" ? ["DESC", ">"] : ["ASC", "<"];
  const at = (name: string) => `$${6 + Object.keys(filters).indexOf(name)}`;
  // A payment has few events, so its list must not walk the index by type.
  const column = (name: string) =>
    name !== "payment_id" && "payment_id" in filters ? `${name} || ''` : name;
  const isOfThem = Object.keys(filters).map((name) => `AND ${column(name)} = ${at(name)}`);
  const stored = `FROM events WHERE account_id = $1 AND livemode = $2
    AND id < $3 AND id > $4 ${isOfThem.join(" ")} ORDER BY id ${order}`;
  // If the stored events fill the page, only payments within their range are searched: most may not stand for an
  // event.
  const reached = `(SELECT id ${stored} LIMIT 1 OFFSET CAST($5 AS BIGINT) - 1)`;
  const end = direction === "forward" ? "$4" : "$3";
  return `FROM (
    SELECT * FROM (SELECT id, sequence, type, payment ${stored} LIMIT $5) stored
    UNION ALL
    SELECT * FROM (SELECT ${itsFirstEventId} AS id, 1 AS sequence, 'payment.' || status AS type, payment
      FROM payments WHERE account_id = $1 AND livemode = $2 AND ${isAsCreated}
      AND id < ${paymentOf("$3")} AND id > ${paymentOf("$4")}
      AND id ${beyond} ${paymentOf(`COALESCE(${reached}, ${end})`)}
      ${"type" in filters ? `AND ${column("status")} = substr(CAST(${at("type")} AS TEXT), 9)` : ""}
      ${"payment_id" in filters ? `AND id = ${at("payment_id")}` : `ORDER BY payments.id ${order} LIMIT $5`}) created) listed
    ORDER BY id ${order} LIMIT $5`;
}

/** The id that the payment of a first event has. */
function paymentOf(eventId: string): string {
  return `'pay_' || substr(CAST(${eventId} AS TEXT), 5)`;
}

export function selectEvent(scope: Scope, id: string): Statement<EventJson | undefined> {
  return createStatement(
    `SELECT id, sequence, type, payment FROM events WHERE account_id = $1 AND livemode = $2 AND id = $3
     UNION ALL
     SELECT ${itsFirstEventId}, 1, 'payment.' || status, payment FROM payments
     WHERE account_id = $1 AND livemode = $2 AND id = ${paymentOf("$3")} AND ${isAsCreated}`,
    [...whereScope(scope), id],
    ([row]: EventRow[]) => row && readEvent(row, scope),
  );
}

/** A column of the event with an id in the statement; null where the event was purged. */
export function whereEvent(column: "sequence" | "payment", eventId: string): string {
  return `COALESCE(
    (SELECT ${column} FROM events WHERE account_id = $1 AND livemode = $2 AND id = ${eventId}),
    (SELECT ${column === "sequence" ? "1" : column} FROM payments
     WHERE account_id = $1 AND livemode = $2 AND id = ${paymentOf(eventId)} AND ${isAsCreated}))`;
}

function readEvent({ id, sequence, type, payment }: EventRow, scope: Scope): EventJson {
  return toEventJson({ id, sequence, type, livemode: scope.livemode, payment });
}

/**
 * Deletes up to `limit` rows from before a time in Unix seconds; returns how many. Events that are not in the totals
 * yet stay.
 */
export function deleteEvents(
  scope: Scope,
  table: "events" | "deliveries",
  before: number,
  limit: number,
): Statement<number> {
  const [prefix, isCounted] =
    table === "events" ? ["evt_" as const, isInTotals] : ["del_" as const, ""];
  const isScope = "account_id = $1 AND livemode = $2";
  const where = `${isScope} AND id < $3 ${isCounted}`;
  return countChanges(
    `DELETE FROM ${table} WHERE ${isScope} AND ${isAmongFirst(table, { key: "id", where, orderBy: "id", limit })}`,
    [...whereScope(scope), toIdBound(prefix, before)],
  );
}

const isInTotals = `AND id <= COALESCE((SELECT ${toCreatedEventIdSql("counted_to")} FROM totals_progress
      WHERE account_id = $1 AND livemode = $2), '')`;

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
  const text = includesFailed ? requeueText : queueText;
  return splitIntoSets(events).map((set) => {
    const rows = set.flatMap(({ id, type, dueAtMs }) => [id, type, dueAtMs]);
    return countChanges(text(set.length), [...whereScope(scope), endpointId, nowMs, ...rows]);
  });
}

const queueText = createQueueText("DO NOTHING");

const requeueText = createQueueText(
  "DO UPDATE SET status = 'pending', attempts = 0, due_at_ms = excluded.due_at_ms, created_ms = excluded.created_ms WHERE deliveries.status = 'failed'",
);

function createQueueText(onConflict: string) {
  return createRowsText(
    "happened",
    { id: "TEXT", type: "TEXT", due_at_ms: "BIGINT" },
    5,
    `INSERT INTO deliveries (account_id, livemode, id, endpoint_id, event_id, type, status, attempts, due_at_ms, created_ms)
     SELECT hook.account_id, hook.livemode, ${eventDeliveryId}, hook.id, happened.id, happened.type, 'pending', 0, happened.due_at_ms, $4
     FROM webhook_endpoints hook CROSS JOIN happened
     WHERE hook.account_id = $1 AND hook.livemode = $2 AND hook.id = $3 AND hook.status = 'enabled'
     ON CONFLICT (account_id, livemode, id) ${onConflict}`,
  );
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
 * it. The index of resends by their events has this condition, letter by letter.
 */
export const isResend = "substr(id, 41, 1) = ''";

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

/** `payment` is the payment in JSON, as it was at the time of the event. */
export type EventParts = {
  id: string;
  type: EventType;
  livemode: boolean;
  sequence: number;
  payment: string;
};

/** An event as the API returns it and as webhooks carry it, byte for byte. */
export function toEventJson({ id, type, livemode, sequence, payment }: EventParts): string {
  return `{"id":"${id}","object":"event","type":"${type}","created":${parseCreated(id)},"livemode":${livemode},"sequence":${sequence},"data":{"object":${payment}}}`;
}

/** When an event happens, and when its deliveries are due; a listener's are due at once. */
export type EventTimes = { nowMs: number; dueAtMs: number };

/** An event that is written with a payment's change. */
export type NewEvent = EventTimes & { id: string };

/** An event in JSON, as the API returns it and as it is sent, byte for byte. */
export type EventJson = string;

/** `last`: the last delivery that was looked at, undefined where there was none. */
export type ResentEvents = { last: string | undefined; events: string[] };
