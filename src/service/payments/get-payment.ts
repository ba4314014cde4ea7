import { paymentIdPattern } from "../../contract/payment-values.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { PaymentJson } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** Retrieves a payment by id (specification: retrieve a payment). Errors: resource_missing. */
export async function getPayment(ports: Ports, scope: Scope, id: string): Promise<PaymentJson> {
  const payment = paymentIdPattern.test(id) ? await ports.store.findPayment(scope, id) : undefined;
  if (!payment) throw paymentMissing();
  return payment;
}

/** The same for an unknown payment, another mode's, another account's and a malformed id. */
function paymentMissing(): ServiceError {
  return new ServiceError(
    "resource_missing",
    "There is no payment with this id in this mode. Check the id, and that the key is of the mode in which the payment was created.",
    "id",
  );
}
