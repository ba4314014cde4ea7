import { ServiceError } from "../../contract/error.ts";
import { deliveryIdPattern, paymentIdPattern } from "../../contract/field-values.ts";
import type { History } from "../../contract/history.ts";
import type { Scope } from "../database/scope.ts";
import { missingPaymentError } from "../payments/get-payment.ts";
import type { PaymentsService } from "../payments/payments-store.ts";
import { computeOldestRequest, getRequest } from "../requests/list-requests.ts";
import type { RequestsService } from "../requests/log-requests.ts";
import { computeOldestId, findPaymentOfEvent } from "../webhooks/event-log.ts";
import { tellHistory } from "./history-state.ts";
import type { HistoryStore } from "./history-store.ts";

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
