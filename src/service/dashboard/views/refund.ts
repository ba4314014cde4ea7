import { money } from "../../../contract/money.ts";
import type { Payment } from "../../../contract/payment.ts";
import { keyField } from "../answered-once.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { cardHtml, field, fields, notice, timeHtml } from "./elements.ts";
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
  const { id, amount, currency, customer, card } = payment;
  const whole = money(amount, currency);
  const back = visit.addressOf(`/payments/${id}`);
  return {
    title: `Refund ${whole}?`,
    place: "payments",
    content: html`${form.problem && notice("wrong", form.problem)}
      <div class="sheet">
        ${fields([
          ["Amount", html`<span class="money">${whole}</span>`],
          ["To", card && cardHtml(card)],
          ["Customer", html`<bdi>${customer.name || customer.email}</bdi>`],
          ["Payment", html`<code>${id}</code>`],
        ])}
      </div>
      ${payment.status === "succeeded" ? formHtml(visit, payment, form) : notice("waiting", whyNot(payment))}
      <p><a href="${back}">Back to the payment</a></p>`,
  };
}

function formHtml(visit: Visit, { id, amount, currency, livemode }: Payment, form: Form): Html {
  const whole = money(amount, currency);
  return html`<p>
      ${
        livemode
          ? `The whole ${whole} of real money goes back to the card. This cannot be undone.`
          : `The whole ${whole} goes back to the card. This cannot be undone; it is test data, and no money moves.`
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
