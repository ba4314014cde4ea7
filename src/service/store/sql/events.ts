import type { EventType } from "../../../contract/event-values.ts";
import { eventJson } from "../../domain/event.ts";
import { idBoundAt } from "../../domain/object-id.ts";
import type { EventFilters, EventJson, NewEvent } from "../../use-cases/event-store.ts";
import type { Scope } from "../../use-cases/ports.ts";
import { change, statement, type Statement } from "../driver.ts";
import type { Filters, ListedTable } from "../listing.ts";

export type EventRow = {
  livemode: number;
  id: string;
  sequence: number;
  type: EventType;
  payment: string;
};

/**
 * Writes a payment's event, and its deliveries, in the transaction in which the payment was written: where it
 * was not, there is none, and written again it stays as it is.
 */
export function recordEvent(
  scope: Scope,
  paymentId: string,
  event: NewEvent,
): Statement<boolean>[] {
  return [insertEvent(scope, paymentId, event), insertDeliveries(scope, event)];
}

function insertEvent(scope: Scope, paymentId: string, { id }: NewEvent): Statement<boolean> {
  return change(
    `INSERT INTO events (account_id, livemode, id, payment_id, sequence, type, payment)
     SELECT account_id, livemode, last_event_id, id, events, 'payment.' || status, payment
     FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3 AND last_event_id = $4
     ON CONFLICT (account_id, livemode, id) DO NOTHING RETURNING id`,
    [scope.accountId, Number(scope.livemode), paymentId, id],
  );
}

/** What an endpoint of an event's type is known by. */
export const isSubscribed = "(hook.types = '*' OR hook.types LIKE '% ' || happened.type || ' %')";

/**
 * The id of the delivery that an event makes for an endpoint: the event's own time and count, and the
 * endpoint's random digits. So it is made in the statement, however many endpoints there are.
 */
export const ownDeliveryId = "'del_' || substr(happened.id, 5, 26) || substr(hook.id, 30)";

function insertDeliveries(scope: Scope, { id, nowMs, dueAtMs }: NewEvent): Statement<boolean> {
  return change(
    `INSERT INTO deliveries (account_id, livemode, id, endpoint_id, event_id, type, status, attempts, due_at_ms, created_ms)
     SELECT happened.account_id, happened.livemode, ${ownDeliveryId}, hook.id, happened.id, happened.type, 'pending', 0,
     CASE WHEN hook.url IS NULL THEN CAST($4 AS BIGINT) ELSE CAST($5 AS BIGINT) END, $4
     FROM webhook_endpoints hook JOIN events happened
     ON happened.account_id = hook.account_id AND happened.livemode = hook.livemode
     WHERE hook.account_id = $1 AND hook.livemode = $2 AND hook.status = 'enabled' AND hook.queues_until_ms > $4
     AND happened.account_id = $1 AND happened.livemode = $2 AND happened.id = $3 AND ${isSubscribed}
     ON CONFLICT (account_id, livemode, id) DO NOTHING RETURNING id`,
    [scope.accountId, Number(scope.livemode), id, nowMs, dueAtMs],
  );
}

export const eventsTable: ListedTable<EventJson> = {
  from: "events",
  columns: "livemode, id, sequence, type, payment",
  itemOf: eventIn,
  payment: "payment",
};

export function eventFilters({ type, paymentId }: EventFilters): Filters {
  return { type, payment_id: paymentId };
}

export function selectEvent(scope: Scope, id: string): Statement<EventJson | undefined> {
  return statement(
    `SELECT ${eventsTable.columns} FROM events WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    [scope.accountId, Number(scope.livemode), id],
    ([row]: EventRow[]) => row && eventIn(row),
  );
}

function eventIn({ livemode, ...parts }: EventRow): EventJson {
  return eventJson({ ...parts, livemode: livemode === 1 });
}

/** Deletes what is older than a time in Unix seconds, up to `limit` rows of each; answers how many. */
export function deleteEvents(
  scope: Scope,
  table: "events" | "deliveries",
  before: number,
  limit: number,
): Statement<number> {
  const prefix = table === "events" ? "evt_" : "del_";
  return statement(
    `DELETE FROM ${table} WHERE account_id = $1 AND livemode = $2 AND id IN
     (SELECT id FROM ${table} WHERE account_id = $1 AND livemode = $2 AND id COLLATE "C" < $3
      ORDER BY id COLLATE "C" LIMIT ${limit}) RETURNING id`,
    [scope.accountId, Number(scope.livemode), idBoundAt(prefix, before)],
    (deleted) => deleted.length,
  );
}
