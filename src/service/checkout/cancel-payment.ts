import { type CheckoutService, getStateOfPage } from "./find-page.ts";
import { buildAuditEntries } from "../accounts/accounts-service.ts";
import { isCancelable } from "../payments/hosted-page-state.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type Response,
} from "../idempotency/run-idempotently.ts";
import { getPayment } from "../payments/get-payment.ts";
import type { Actor } from "../../contract/administration.ts";
import type { Scope } from "../database/scope.ts";
import { cancelFoundPage } from "./cancel-page.ts";

/**
 * Cancels the payment of an open page for the merchant. Answers 200 with the payment: `failed`, `canceled`.
 * Errors: resource_missing, payment_not_cancelable, idempotency_key_reused, idempotency_key_in_use,
 * service_unavailable.
 */
export async function cancelPayment(
  service: CheckoutService,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    await getPayment(service, scope, id);
    const found = await service.store.findPageOfPayment(scope, id);
    if (!found) throw notCancelableError();
    const event = { ...scope, action: "payment.canceled", subject: { id, name: null } } as const;
    const written = await cancelFoundPage(service, found, "canceled", {
      toRecord: (payment) => toRecord({ status: 200, body: JSON.stringify(payment) }),
      activity: buildAuditEntries(service, actor, event),
    });
    if (written.outcome === "conflict") throw notCancelableError();
    return written;
  });
}

/** Whether a payment has a page that is open, or whose charge can be given up. */
export async function canCancelPayment(
  service: CheckoutService,
  scope: Scope,
  id: string,
): Promise<boolean> {
  const found = await service.store.findPageOfPayment(scope, id);
  return isCancelable(getStateOfPage(found, service.clock()));
}

function notCancelableError(): ServiceError {
  return new ServiceError(
    "payment_not_cancelable",
    "Only a pending payment whose page is open can be canceled. This one has no page, has ended, or its customer has just sent a card. Retrieve it to see its status.",
  );
}
