import type { FastifyInstance } from "fastify";
import { type ErrorCode, ServiceError, statusByCode } from "../../../contract/error.ts";
import { isTypedAmount } from "../../../contract/money.ts";
import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import { Unavailable } from "../../../runtime/failures.ts";
import { getForm } from "../read-request.ts";
import { getPayment } from "../../payments/get-payment.ts";
import {
  RefundInProgress,
  isRefundInProgress,
  refundPayment,
} from "../../payments/refund-payment.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import {
  formatAmount,
  renderAmount,
  renderCard,
  renderFacts,
  renderField,
  renderId,
  renderNotice,
  renderOneLine,
  renderTime,
} from "./elements.ts";
import { createFormKey, renderKeyField, toIdempotentRequest } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/payments/:id/refund`;

/** The parameter `just` of a payment's page after its refund. */
export const justRefunded = "refunded";

/** Errors: resource_missing. */
async function findPayment(service: Service, { scope }: Visit, id: string): Promise<Payment> {
  return JSON.parse(await getPayment(service, scope, id)) as Payment;
}

export async function showsRefundInProgress(
  service: Service,
  { scope }: Visit,
  { id, status }: Payment,
): Promise<boolean> {
  return status === "succeeded" && (await isRefundInProgress(service, scope, id));
}

/** The confirmation of a refund, and its form, which runs once. */
export function registerRefundPage(app: FastifyInstance, service: Service): void {
  const options = { config: { needs: "refund" } } as const;

  app.get(path, options, async ({ visit, params }: WithId, reply) => {
    const payment = await findPayment(service, visit, params.id);
    const view = (await showsRefundInProgress(service, visit, payment))
      ? renderInProgress(visit, payment)
      : renderRefund(visit, payment, { key: createFormKey() });
    return sendView(reply, view);
  });

  app.post(path, options, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, amount } = getForm(request, ["key", "amount"]);
    const payment = await findPayment(service, visit, params.id);
    if (visit.scope.livemode && !isTypedAmount(amount, payment.amount, payment.currency)) {
      const mistake = "This is not the amount of the payment. Nothing was refunded.";
      return sendView(reply, renderRefund(visit, payment, { key, mistake }), 422);
    }
    const idempotency = await toIdempotentRequest(service, request, key);
    try {
      const caller = { actor: visit.actor, maxRefund: null };
      await refundPayment(service, visit.scope, params.id, idempotency, caller);
    } catch (error) {
      // This request, or an earlier one of the same form, has requested the refund from the network.
      const isInProgress =
        error instanceof RefundInProgress ||
        (error instanceof ServiceError && error.code === "idempotency_key_in_use");
      const now = await findPayment(service, visit, params.id);
      if (isInProgress || (await showsRefundInProgress(service, visit, now))) {
        return sendView(reply, renderInProgress(visit, now), 202);
      }
      const { problem, status } = describeRefusal(error);
      return sendView(reply, renderRefund(visit, now, { key, problem }), status);
    }
    return reply.redirect(`${visit.addressOf(`/payments/${params.id}`)}?just=${justRefunded}`, 303);
  });
}

const refusals: { [Code in ErrorCode]?: string } = {
  payment_not_refundable: "Only a payment that has succeeded can be refunded.",
  payment_already_refunded: "This payment was refunded before. It was not refunded again.",
  refund_declined:
    "The card network declined the refund, and nothing was refunded. Ask the network why, or refund in another way.",
};

/** The reason why a payment was not refunded. Rethrows any other error. */
function describeRefusal(error: unknown): { problem: string; status: number } {
  if (error instanceof Unavailable && error.isPublic) {
    const problem =
      "The card network of this payment cannot be reached at the moment. Nothing was refunded.";
    return { problem, status: statusByCode.service_unavailable };
  }
  const problem = error instanceof ServiceError && refusals[error.code];
  if (!problem) throw error;
  return { problem, status: statusByCode[error.code] };
}

type Form = {
  key: string;
  /** The mistake in the typed amount. */
  mistake?: string;
  /** The reason why it was not refunded. */
  problem?: string;
};

/** The confirmation of a refund; in live mode the operator has to type the amount. */
export function renderRefund(visit: Visit, payment: Payment, form: Form): View {
  const { status } = payment;
  const problem = form.problem && renderNotice("wrong", form.problem);
  if (status !== "succeeded") {
    const notice = problem || renderNotice("waiting", describeObstacle(payment));
    return renderPayment(visit, payment, { title: titles[status] }, notice);
  }
  const question = `${formatAmount(payment)}?`;
  const headings = {
    title: `Refund ${question}`,
    heading: html`<span>Refund ${renderOneLine(question)}</span>`,
  };
  return renderPayment(visit, payment, headings, problem, renderForm(visit, payment, form));
}

/** The page while the card network has not answered: without the form, since the refund is requested already. */
function renderInProgress(visit: Visit, payment: Payment): View {
  const notice = renderNotice(
    "waiting",
    "The refund was requested, and the card network has not responded yet. The payment's page will show the result; there is nothing else to do.",
  );
  return renderPayment(visit, payment, { title: "Refund in progress" }, notice);
}

const titles: Record<Exclude<PaymentStatus, "succeeded">, string> = {
  pending: "Nothing to refund yet",
  failed: "Nothing to refund",
  refunded: "Refunded",
};

function renderPayment(
  visit: Visit,
  { id, customer, card, ...payment }: Payment,
  headings: Pick<View, "title" | "heading">,
  above: Html | "" | undefined,
  below?: Html,
): View {
  const customerName = customer.name || customer.email;
  return {
    ...headings,
    section: "payments",
    back: { address: visit.addressOf(`/payments/${id}`), text: "Payment" },
    isNarrow: true,
    content: html`${above}
      <div class="sheet question">
        ${renderFacts([
          ["Amount", renderAmount(payment)],
          ["Refund to", card && renderCard(card)],
          ["Customer", customerName && html`<bdi>${customerName}</bdi>`],
          ["Payment", renderId(id)],
        ])}
        ${below}
      </div>`,
  };
}

function renderForm(visit: Visit, { id, amount, currency, livemode }: Payment, form: Form): Html {
  const whole = renderOneLine(formatAmount({ amount, currency }));
  const reason = livemode ? "the built-in simulator decides" : "it is test data";
  return html`<p>
      The whole ${whole} ${visit.movesMoney && "of real money"} goes back to the card. This cannot
      be undone${visit.movesMoney ? "." : `; ${reason}, and no money moves.`}
    </p>
    <form method="post" action="${visit.addressOf(`/payments/${id}/refund`)}" class="steps">
      ${renderKeyField(form.key)}
      ${
        livemode &&
        renderField({
          name: "amount",
          label: "Type the amount to confirm",
          hint: html`Type ${whole}.`,
          mistake: form.mistake,
          input: html`type="text" inputmode="decimal" autocomplete="off" required`,
        })
      }
      <div class="row">
        <button class="dangerous"><span>Refund ${whole}</span></button>
        <a class="secondary" href="${visit.addressOf(`/payments/${id}`)}">Cancel</a>
      </div>
    </form>`;
}

function describeObstacle({ status, refunded_at: refundedAt }: Payment): Html {
  return status === "refunded"
    ? html`This payment was refunded, once, on ${renderTime(refundedAt)}. There is nothing left to
      refund.`
    : html`This payment is “${toWords(status)}”. Only one that has succeeded can be refunded.`;
}
