import { maxMoments } from "../../contract/history.ts";
import { selectActivityOf } from "../accounts/accounts-store.ts";
import { type Driver, type Transaction, batch } from "../database/driver.ts";
import { maxIdOf } from "../database/ids.ts";
import { type Range, selectRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import { selectCharge } from "../payments/charges-sql.ts";
import { selectPageOfPayment } from "../payments/hosted-pages-sql.ts";
import type { Payment } from "../payments/payment-state.ts";
import { selectPayment } from "../payments/payments-sql.ts";
import { requestsTable } from "../requests/requests-store.ts";
import { triedDeliveriesTable } from "../webhooks/deliveries-sql.ts";
import { eventsTable } from "../webhooks/events-sql.ts";
import { selectEndpoints } from "../webhooks/webhook-endpoints-sql.ts";
import type { StoredEvent, StoredHistory } from "./moment-state.ts";

/** The bounds of retention, as ids: what is older may be stored still. */
export type Oldest = { request: string; event: string };

export function createHistoryStore(driver: Driver) {
  return {
    /** Reads all rows about a payment, each by an index; undefined where there is no such payment. */
    findHistory: (scope: Scope, id: string, oldest: Oldest): Promise<StoredHistory | undefined> =>
      driver.read(() => readHistory(scope, id, oldest), scope.accountId),
  };
}

export type HistoryStore = ReturnType<typeof createHistoryStore>;

/** Of each kind of row one more than may be told, so that it is known whether there are more. */
const maxRows = maxMoments + 1;

function* readHistory(
  scope: Scope,
  id: string,
  oldest: Oldest,
): Transaction<StoredHistory | undefined> {
  const [json, charge, found, storedEvents, requests, ownActivity] = yield* batch(
    selectPayment(scope, id),
    selectCharge(scope, id),
    selectPageOfPayment(scope, id),
    selectRange(eventsTable, scope, newest("evt_", oldest.event), { payment_id: id }),
    selectRange(requestsTable, scope, newest("req_", oldest.request), { payment_id: id }),
    selectActivityOf(scope.accountId, id, maxRows),
  );
  if (json === undefined) return undefined;
  const events = storedEvents.map((event) => JSON.parse(event) as StoredEvent);
  const names = events.map((event, at) => [`event_${at}`, event.id] as const);
  const [endpoints, deliveries, ...activity] =
    events.length === 0
      ? [[], []]
      : yield* batch(
          selectEndpoints(scope),
          selectRange(triedDeliveriesTable, scope, newest("del_"), Object.fromEntries(names)),
          ...events.map((event) => selectActivityOf(scope.accountId, event.id, maxRows)),
        );
  const lists = [requests, deliveries, ownActivity];
  return {
    payment: JSON.parse(json) as Payment,
    charge,
    page: found?.page,
    events,
    deliveries,
    endpoints,
    requests,
    activity: [...ownActivity, ...activity.flat()],
    isCut: lists.some(({ length }) => length === maxRows),
  };
}

function newest(prefix: Parameters<typeof maxIdOf>[0], above = ""): Range {
  return { below: maxIdOf(prefix), above, direction: "forward", limit: maxRows };
}
