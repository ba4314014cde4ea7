import { ServiceError } from "../../contract/error.ts";
import { deliveryIdPattern, paymentIdPattern } from "../../contract/field-values.ts";
import { type History, maxMoments } from "../../contract/history.ts";
import { selectActivityOf } from "../accounts/accounts-store.ts";
import { type Driver, type Transaction, batch } from "../database/driver.ts";
import { maxIdOf } from "../database/ids.ts";
import { type Range, selectRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import { selectCharge } from "../payments/charges-sql.ts";
import { missingPaymentError } from "../payments/get-payment.ts";
import { selectPageOfPayment, selectPayment } from "../payments/payments-sql.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { PaymentsService } from "../payments/payments-store.ts";
import { computeOldestRequest, getRequest } from "../requests/list-requests.ts";
import type { RequestsService } from "../requests/log-requests.ts";
import { requestsTable } from "../requests/requests-store.ts";
import { triedDeliveriesTable } from "../webhooks/deliveries-sql.ts";
import { computeOldestId, findPaymentOfEvent } from "../webhooks/event-log.ts";
import { eventsTable } from "../webhooks/events-sql.ts";
import { selectEndpoints } from "../webhooks/webhook-endpoints-sql.ts";
import { tellHistory } from "./history-state.ts";
import type { StoredEvent, StoredHistory } from "./moment-state.ts";

/** The service, as use cases of histories take it. */
export type HistoryService = PaymentsService & RequestsService & { store: HistoryStore };

/**
 * The history of a payment, or of the payment that a request, an event or a delivery is about. Errors: resource_missing.
 */
export async function getHistory(
  service: HistoryService,
  scope: Scope,
  id: string,
): Promise<History> {
  const oldest = { request: computeOldestRequest(service), event: computeOldestId(service) };
  const paymentId = await findPaymentId(service, scope, id);
  const stored = paymentIdPattern.test(paymentId)
    ? await service.store.findHistory(scope, paymentId, oldest)
    : undefined;
  if (!stored) throw missingPaymentError();
  return tellHistory(stored);
}

/** The payment that an id leads to, whether it exists or not. */
async function findPaymentId(service: HistoryService, scope: Scope, id: string): Promise<string> {
  if (id.startsWith("req_")) {
    const { payment } = await getRequest(service, scope, id);
    if (payment !== null) return payment;
    throw missingError("This request is about no payment.");
  }
  if (id.startsWith("evt_")) {
    const payment = await findPaymentOfEvent(service, scope, id);
    if (payment !== undefined) return payment;
    throw missingError(
      "There is no event with this id in this mode. Check the id and the key; old events are deleted.",
    );
  }
  if (id.startsWith("del_")) {
    const found = deliveryIdPattern.test(id)
      ? await service.store.findDelivery(scope, id)
      : undefined;
    const payment = found && (await findPaymentOfEvent(service, scope, found.eventId));
    if (payment !== undefined) return payment;
    throw missingError(
      "There is no delivery with this id in this mode. Check the id and the key; deliveries are deleted with their events.",
    );
  }
  return id;
}

function missingError(message: string): ServiceError {
  return new ServiceError("resource_missing", message, "id");
}

/** The bounds of retention, as ids: what is older may be stored still. */
type Oldest = { request: string; event: string };

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
