import type { FastifyInstance } from "fastify";
import type { Payment } from "../../../contract/payment.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { statusByCode } from "../../../contract/error.ts";
import type { Service } from "../../use-cases/service.ts";
import { html } from "../design/html.ts";
import { renderAmount, renderId } from "./elements.ts";
import { registerConfirmation, type Confirmation } from "./forms.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit } from "./visit.ts";

/** The parameter `just` of a payment's page after it was canceled. */
export const justCanceled = "canceled";

export async function canCancel(
  service: Service,
  { scope }: Visit,
  { id, status, redirect_url: page }: Payment,
): Promise<boolean> {
  return status === "pending" && page !== null && (await service.canCancelPayment(scope, id));
}

type Found = { payment: Payment; isCancelable: boolean };

/** The confirmation of canceling a payment whose page is open, and its form. */
export function registerCancelPaymentPage(app: FastifyInstance, service: Service): void {
  const find = async (visit: Visit, id: string): Promise<Found> => {
    const payment = JSON.parse(await service.getPayment(visit.scope, id)) as Payment;
    return { payment, isCancelable: await canCancel(service, visit, payment) };
  };

  registerConfirmation(app, `${accountPath}/payments/:id/cancel`, {
    needs: "refund",
    find,
    view: describeCancellation,
    run: async (visit, { payment: { id } }) => {
      const done = `${visit.addressOf(`/payments/${id}`)}?just=${justCanceled}`;
      try {
        await service.cancelPayment(visit.scope, id, undefined, visit.actor);
        return done;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "payment_not_cancelable")
          throw error;
        // A double click, or another operator, came first.
        const { payment } = await find(visit, id);
        if (payment.decline_code === "canceled") return done;
        const problem = "The payment was not canceled: its page is no longer open.";
        return { problem, status: statusByCode.payment_not_cancelable };
      }
    },
  });
}

export function describeCancellation(visit: Visit, { payment, isCancelable }: Found): Confirmation {
  const { id, customer, status, card } = payment;
  const customerName = customer.name || customer.email;
  const address = visit.addressOf(`/payments/${id}`);
  return {
    title: isCancelable ? "Cancel this payment?" : "Nothing to cancel",
    section: "payments",
    facts: [
      ["Amount", renderAmount(payment)],
      ["Customer", customerName && html`<bdi>${customerName}</bdi>`],
      ["Payment", renderId(id)],
    ],
    text: isCancelable
      ? "The customer can no longer pay: the payment page says that the payment was canceled. If the card was already charged, the amount is returned. This cannot be undone."
      : status === "pending" && card
        ? "The bank has not answered yet, so this payment cannot be canceled now. If it succeeds, it can be refunded."
        : `This payment is “${toWords(status)}”. Only a pending one whose page is open can be canceled.`,
    action: `${address}/cancel`,
    ...(isCancelable && { button: "Cancel payment", cancel: "Keep payment", isDangerous: true }),
    back: { address, text: "Payment" },
  };
}
