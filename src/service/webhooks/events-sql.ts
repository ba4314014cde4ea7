import type { EventType } from "../../contract/field-values.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import { type Statement, countChanges, createStatement } from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import { parseCreated, toCreatedEventIdSql, toIdBound } from "../database/ids.ts";
import type { Filters, ListedTable, Range } from "../database/listing.ts";
import {
  type Scope,
  createSetText,
  listParams,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { type IdempotencyRecord, existsClaimed } from "../idempotency/idempotency-store.ts";

// A payment's first event is the payment itself, until it changes: then the event becomes a row of its own, as the
// events that come after it are. So a payment that stays as it was created is written once.

type EventRow = { id: string; sequence: number; type: EventType; payment: string };

/** Whether a payment is as it was created, and so stands for its first event. */
const isAsCreated = "last_event_id IS NULL AND status = first_status";

/** The id of the first event of a row of `payments`. */
export const itsFirstEventId = toCreatedEventIdSql("id");

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

export type ChangedPayment = { id: string; status: PaymentStatus };

/** An event of a payment's change. */
export type PaymentEvent = { payment: ChangedPayment; event: NewEvent };

const insertText = createSetText(
  (rows) => `INSERT INTO events (account_id, livemode, id, payment_id, sequence, type, payment)
   SELECT account_id, livemode, last_event_id, id, events, 'payment.' || status, payment FROM payments
   WHERE account_id = $1 AND livemode = $2 AND ${rows === 1 ? "id = $3 AND last_event_id = $4" : `id IN (${listParams(rows, 3)})`}
   ON CONFLICT (account_id, livemode, id) DO NOTHING`,
);

/**
 * Writes the events of payments' changes, in the transaction of the changes; repeating it has no effect. A single event
 * is not written without its change; of several the transaction has made each.
 */
export function insertEvents(scope: Scope, events: PaymentEvent[]): Statement<number>[] {
  return splitIntoSets(events).map((set) =>
    countChanges(insertText(set.length), [
      ...whereScope(scope),
      ...set.map(({ payment }) => payment.id),
      ...(set.length === 1 ? set.map(({ event }) => event.id) : []),
    ]),
  );
}

/** Stored events, and payments that stand for their first event, as one table. */
export const eventsTable: ListedTable<EventJson> = {
  columns: "id, sequence, type, payment",
  readItem: (row: EventRow, scope) => readEvent(row, scope),
  payment: "payment",
  from: selectEvents,
};

/** Of stored events, and of payments that stand for their first one. */
export function selectEvents({ direction }: Pick<Range, "direction">, filters: Filters): string {
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
