import { refund, type Payment, type Refusal } from "../domain/payment.ts";
import { answerOnce, type Answer, type IdempotentRequest } from "./answer-once.ts";
import { getPayment } from "./get-payment.ts";
import type { Ports, Scope } from "./ports.ts";
import { ServiceError } from "./service-error.ts";

/**
 * Refunds a succeeded payment in full (specification: refund a payment). Answers 200 with the payment.
 * Errors: resource_missing, payment_not_refundable, payment_already_refunded,
 * idempotency_key_reused, idempotency_key_in_use, service_unavailable.
 */
export async function refundPayment(
  ports: Ports,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
): Promise<Answer> {
  return await answerOnce(ports, scope, request, async (recordOf) => {
    const payment = JSON.parse(await getPayment(ports, scope, id)) as Payment;
    const refunded = refund(payment, Math.floor(ports.clock() / 1000));
    if (typeof refunded === "string") throw refused(refunded);
    await ports.networkOf(scope).refund({
      paymentId: id,
      amount: payment.amount,
      currency: payment.currency,
    });
    const answer = { status: 200, body: JSON.stringify(refunded) };
    const written = await ports.store.transition({
      scope,
      payment: refunded,
      from: "succeeded",
      idempotency: recordOf(answer),
    });
    // Only a refund leads out of `succeeded`, so somebody else's came first.
    if (written.outcome === "lost") throw refused("payment_already_refunded");
    return { written, answer };
  });
}

function refused(refusal: Refusal): ServiceError {
  switch (refusal) {
    case "payment_not_refundable":
      return new ServiceError(
        refusal,
        "Only a succeeded payment can be refunded; this one is pending or failed. Retrieve it to see its status.",
      );
    case "payment_already_refunded":
      return new ServiceError(
        refusal,
        "This payment has been refunded before; it was not refunded again.",
      );
    default:
      return refusal satisfies never;
  }
}
