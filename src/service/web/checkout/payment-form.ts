import { renderAmount, formatAmountLine, splitAmount } from "./amount-text.ts";
import { renderCardField, findFirstMistake, type CardField } from "./card-field.ts";
import { escapeHtml, isolateBidi } from "../design/escape-html.ts";
import type { OpenView } from "./page-view.ts";
import {
  renderCancelForm,
  renderDescription,
  renderLargeAmount,
  renderMerchant,
} from "./payable.ts";
import { renderTestBand } from "./test-band.ts";
import { unbrokenClass } from "../design/unbroken.ts";

/** The page of a payment that waits for its card. */
export function renderPaymentForm(view: OpenView): { title: string; body: string } {
  const amount = splitAmount(view.amount, view.currency, view.language);
  const isCorrection = findFirstMistake(view.mistakes) !== undefined;
  const isRetry = isCorrection || view.isBankBusy;
  const field = (described: CardField) => renderCardField(described, view.mistakes);
  const body = `${view.livemode ? "" : renderTestBand({ withCards: true })}<main class="open">
<div class="summary">
<h1>Pay ${view.merchant === null ? "" : `${renderMerchant(view.merchant)} `}${renderLargeAmount(amount)}</h1>
${renderDescription(view.description)}</div>
<div class="entry">
<form method="post" action="${escapeHtml(view.action)}" data-now="${view.nowMs}">
<h2>Card details</h2>
${isRetry ? noticeHtml(view) : ""}${field(number)}
<div class="pair">
${field(expiry(view.kept.expiry))}
${field(securityCode)}
</div>
${field(nameOnCard(view.kept.name))}
<button class="primary" data-busy="Paying…">${lock}<span>Pay <span class="${unbrokenClass(formatAmountLine(amount))}">${renderAmount(amount)}</span></span></button>
</form>
${renderCancelForm(view.cancelAction)}<p class="unseen" role="status" id="progress"></p>
</div>
<p class="promise">The merchant does not see your card number.</p>
</main>`;
  const merchant = view.merchant === null ? "" : `${isolateBidi(view.merchant)} `;
  const title = `${isRetry ? "Error: " : ""}Pay ${merchant}${escapeHtml(formatAmountLine(amount))}`;
  return { title, body };
}

const number: CardField = {
  name: "number",
  label: "Card number",
  beside: '<span role="status" id="brand"></span>',
  input: 'autocomplete="cc-number" inputmode="numeric" required',
};

const securityCode: CardField = {
  name: "cvc",
  label: "Security code",
  hint: "3 or 4 digits",
  input: 'autocomplete="cc-csc" inputmode="numeric" required',
};

function expiry(kept: string): CardField {
  return {
    name: "expiry",
    label: "Expiry date",
    hint: "MM / YY",
    input: `autocomplete="cc-exp" inputmode="numeric" required value="${isolateBidi(kept)}"`,
  };
}

function nameOnCard(kept: string): CardField {
  return {
    name: "name",
    label: 'Name on card <span class="optional">(optional)</span>',
    input: `autocomplete="cc-name" autocapitalize="words" dir="auto" value="${isolateBidi(kept)}"`,
  };
}

function noticeHtml({ isBankBusy }: OpenView): string {
  const says = isBankBusy
    ? "You were not charged: the bank cannot be reached at the moment. Please try again in a minute,"
    : "Nothing was paid yet. Please correct what is marked below,";
  return `<p class="notice" role="alert">${says} and enter the card number and security code again: they are not kept.</p>
`;
}

const lock = `<svg aria-hidden="true" width="1em" height="1em" viewBox="0 0 16 16" fill="currentColor"><path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V6.5h-.25A1.25 1.25 0 0 0 3 7.75v5.5c0 .7.55 1.25 1.25 1.25h7.5c.7 0 1.25-.55 1.25-1.25v-5.5c0-.7-.55-1.25-1.25-1.25h-.25v-2A3.5 3.5 0 0 0 8 1Zm2 5.5H6v-2a2 2 0 1 1 4 0Z"/></svg>`;
