import { paymentIdPattern } from "../../contract/payment-values.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { PaymentJson, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** Retrieves a payment by id (specification: retrieve a payment). Errors: resource_missing. */
export async function getPayment(ports: Ports, scope: Scope, id: string): Promise<PaymentJson> {
  const payment = paymentIdPattern.test(id) ? await ports.store.findPayment(scope, id) : undefined;
  if (!payment) throw missingPaymentError();
  return payment;
}

/** Retrieves a payment with its charge. Errors: resource_missing. */
export async function getPaymentWithCharge(
  ports: Ports,
  scope: Scope,
  id: string,
): Promise<{ payment: PaymentJson; charge: StoredCharge | undefined }> {
  const found = paymentIdPattern.test(id)
    ? await ports.store.findPaymentWithCharge(scope, id)
    : undefined;
  if (!found) throw missingPaymentError();
  return found;
}

/**
 * One error for an unknown or malformed id and for a payment of another mode or account, so that it reveals nothing.
 */
function missingPaymentError(): ServiceError {
  return new ServiceError(
    "resource_missing",
    "There is no payment with this id in this mode. Check the id, and that the key is of the mode in which the payment was created.",
    "id",
  );
}
