import type { EventType } from "../../contract/field-values.ts";
import { type Statement, changeOne, countChanges, createStatement } from "../database/driver.ts";
import { maxIdOf, toCreatedEventId } from "../database/ids.ts";
import {
  type Scope,
  createRowsText,
  createSetText,
  listValues,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { type StoredDelivery, isResend } from "./deliveries-sql.ts";
import {
  type ChangedPayment,
  type EventTimes,
  type PaymentEvent,
  insertEvents,
  itsFirstEventId,
  selectEvents,
} from "./events-sql.ts";

// Every statement that queues a delivery: with its event, for an endpoint that missed it, and again.

/**
 * Writes the events of payments' changes, and their deliveries, in the transaction of the changes; repeating it has no
 * effect.
 */
export function recordEvents(scope: Scope, events: PaymentEvent[]): Statement<number>[] {
  return [...insertEvents(scope, events), ...enqueueDeliveries(scope, events)];
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

/** Queues a delivery of an event that is resent. */
export function insertResentDelivery(scope: Scope, delivery: StoredDelivery): Statement<boolean> {
  return changeOne(
    `INSERT INTO deliveries (${deliveryColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)`,
    [
      ...whereScope(scope),
      delivery.id,
      delivery.endpointId,
      delivery.eventId,
      delivery.type,
      delivery.status,
      delivery.dueAtMs,
      delivery.createdMs,
    ],
  );
}

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
    `INSERT INTO deliveries (${deliveryColumns})
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

/** `last`: the last delivery that was looked at, undefined where there was none. */
export type ResentEvents = { last: string | undefined; events: string[] };
