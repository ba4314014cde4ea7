import { formatMoney } from "../../../../contract/money.ts";
import type { Payment, PaymentStatus } from "../../../../contract/payment.ts";
import { renderKeyField } from "../idempotent-forms.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import {
  amountHtml,
  renderCard,
  renderField,
  renderFacts,
  renderNotice,
  renderTime,
  unbroken,
  wholeIdHtml,
} from "./elements.ts";
import type { View } from "./frame.ts";

type Form = {
  key: string;
  /** What is wrong with the amount that was typed. */
  mistake?: string;
  /** Why it was not refunded. */
  problem?: string;
};

/** Asks again before a refund, and says what it will do; in live mode the amount is to be typed. */
export function renderRefund(visit: Visit, payment: Payment, form: Form): View {
  const { status } = payment;
  const question = `${formatMoney(payment.amount, payment.currency)}?`;
  const problem = form.problem && renderNotice("wrong", form.problem);
  return status === "succeeded"
    ? viewOf(visit, payment, {
        title: `Refund ${question}`,
        heading: html`Refund ${unbroken(question)}`,
        above: problem,
        below: formHtml(visit, payment, form),
      })
    : viewOf(visit, payment, {
        title: titles[status],
        above: problem || renderNotice("waiting", whyNot(payment)),
      });
}

/** Of a refund that the card network has been asked for: its form is gone, as one click was enough. */
export function renderRefundUnderway(visit: Visit, payment: Payment): View {
  return viewOf(visit, payment, {
    title: "The refund is on its way",
    above: renderNotice(
      "waiting",
      "The card network has been asked, and has not answered yet. The payment shows the refund once it is made; nothing else is to be done.",
    ),
  });
}

const titles: Record<Exclude<PaymentStatus, "succeeded">, string> = {
  pending: "Nothing to refund yet",
  failed: "Nothing to refund",
  refunded: "Refunded",
};

type Titled = Pick<View, "title" | "heading">;

function viewOf(
  visit: Visit,
  { id, customer: { name, email }, card, ...payment }: Payment,
  { above, below, ...titled }: Titled & { above: Html | "" | undefined; below?: Html },
): View {
  return {
    ...titled,
    place: "payments",
    content: html`${above}
      <div class="sheet">
        ${renderFacts([
          ["Amount", amountHtml(payment)],
          ["To", card && renderCard(card)],
          ["Customer", (name || email) && html`<bdi>${name || email}</bdi>`],
          ["Payment", wholeIdHtml(id)],
        ])}
      </div>
      ${below}
      <p><a href="${visit.addressOf(`/payments/${id}`)}">Back to the payment</a></p>`,
  };
}

function formHtml(visit: Visit, { id, amount, currency, livemode }: Payment, form: Form): Html {
  const whole = unbroken(formatMoney(amount, currency));
  const why = livemode ? "the built-in simulator decides" : "it is test data";
  return html`<p>
      The whole ${whole} ${visit.movesMoney && "of real money"} goes back to the card. This cannot
      be undone${visit.movesMoney ? "." : `; ${why}, and no money moves.`}
    </p>
    <form method="post" action="${visit.addressOf(`/payments/${id}/refund`)}" class="steps">
      ${renderKeyField(form.key)}
      ${
        livemode &&
        renderField({
          name: "amount",
          label: "Type the amount to confirm",
          hint: whole,
          mistake: form.mistake,
          input: html`type="text" inputmode="decimal" autocomplete="off" required`,
        })
      }
      <button class="dangerous">Refund ${whole}</button>
    </form>`;
}

function whyNot({ status, refunded_at: refundedAt }: Payment): Html {
  return status === "refunded"
    ? html`This payment was refunded, once, on ${renderTime(refundedAt)}. There is nothing left to
      give back.`
    : html`This payment is ${status}. Only one that has succeeded can be refunded.`;
}
