import { money } from "../../../contract/money.ts";
import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import { keyField } from "../answered-once.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { cardHtml, field, factList, notice, timeHtml } from "./elements.ts";
import type { View } from "./frame.ts";

type Form = {
  key: string;
  /** What is wrong with the amount that was typed. */
  mistake?: string;
  /** Why it was not refunded. */
  problem?: string;
};

/** Asks again before a refund, and says what it will do; in live mode the amount is to be typed. */
export function refundView(visit: Visit, payment: Payment, form: Form): View {
  const { status } = payment;
  const problem = form.problem && notice("wrong", form.problem);
  return status === "succeeded"
    ? viewOf(visit, payment, {
        title: `Refund ${money(payment.amount, payment.currency)}?`,
        above: problem,
        below: formHtml(visit, payment, form),
      })
    : viewOf(visit, payment, {
        title: titles[status],
        above: problem || notice("waiting", whyNot(payment)),
      });
}

/** Of a refund that the card network has been asked for: its form is gone, as one click was enough. */
export function refundUnderwayView(visit: Visit, payment: Payment): View {
  return viewOf(visit, payment, {
    title: "The refund is on its way",
    above: notice(
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

function viewOf(
  visit: Visit,
  { id, amount, currency, customer: { name, email }, card }: Payment,
  { title, above, below }: { title: string; above: Html | "" | undefined; below?: Html },
): View {
  return {
    title,
    place: "payments",
    content: html`${above}
      <div class="sheet">
        ${factList([
          ["Amount", html`<span class="money">${money(amount, currency)}</span>`],
          ["To", card && cardHtml(card)],
          ["Customer", (name || email) && html`<bdi>${name || email}</bdi>`],
          ["Payment", html`<code>${id}</code>`],
        ])}
      </div>
      ${below}
      <p><a href="${visit.addressOf(`/payments/${id}`)}">Back to the payment</a></p>`,
  };
}

function formHtml(visit: Visit, { id, amount, currency, livemode }: Payment, form: Form): Html {
  const whole = money(amount, currency);
  const why = livemode ? "the built-in simulator decides" : "it is test data";
  return html`<p>
      ${
        visit.movesMoney
          ? `The whole ${whole} of real money goes back to the card. This cannot be undone.`
          : `The whole ${whole} goes back to the card. This cannot be undone; ${why}, and no money moves.`
      }
    </p>
    <form method="post" action="${visit.addressOf(`/payments/${id}/refund`)}" class="steps">
      ${keyField(form.key)}
      ${
        livemode &&
        field({
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
    ? html`This payment was refunded, once, on ${timeHtml(refundedAt)}. There is nothing left to
      give back.`
    : html`This payment is ${status}. Only one that has succeeded can be refunded.`;
}
