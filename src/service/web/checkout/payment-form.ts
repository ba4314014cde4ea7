import {
  renderFieldAttributes,
  html,
  chooseLineClass,
  trustHtml,
  type Html,
} from "../design/html.ts";
import { renderAmount, formatAmountLine, splitAmount } from "./amount-text.ts";
import type { OpenView, PageMistakes } from "./page-view.ts";
import {
  renderCancelForm,
  renderDescription,
  renderLargeAmount,
  renderMerchant,
  renderTestBand,
} from "./payment-summary.ts";

/** The page of a payment that waits for its card. */
export function renderPaymentForm(view: OpenView): { title: string; body: Html } {
  const { merchant, mistakes, prefill } = view;
  const amount = splitAmount(view.amount, view.currency, view.language);
  const amountLine = formatAmountLine(amount);
  const isRetry = findFirstMistake(mistakes) !== undefined || view.isBankBusy;
  const field = (described: CardField) => renderCardField(described, mistakes);
  const body = html`${!view.livemode && renderTestBand({ withCards: true })}
    <main class="open">
      <div class="summary">
        <h1>
          Pay ${merchant !== null && html`${renderMerchant(merchant)} `}${renderLargeAmount(amount)}
        </h1>
        ${renderDescription(view.description)}
      </div>
      <div class="entry">
        <form method="post" action="${view.action}" data-now="${view.nowMs}">
          <h2>Card details</h2>
          ${isRetry && renderNotice(view)}
          ${field({
            name: "number",
            label: "Card number",
            beside: html`<span role="status" id="brand"></span>`,
            input: html`autocomplete="cc-number" inputmode="numeric" required`,
          })}
          <div class="pair">
            ${field({
              name: "expiry",
              label: "Expiry date",
              hint: "MM / YY",
              input: html`autocomplete="cc-exp" inputmode="numeric" required
              value="${prefill.expiry}"`,
            })}
            ${field({
              name: "cvc",
              label: "Security code",
              hint: "3 or 4 digits",
              input: html`autocomplete="cc-csc" inputmode="numeric" required`,
            })}
          </div>
          ${field({
            name: "name",
            label: html`Name on card <span class="optional">(optional)</span>`,
            input: html`autocomplete="cc-name" autocapitalize="words" dir="auto"
            value="${prefill.name}"`,
          })}
          <button class="primary" data-busy="Paying…">
            ${lock}<span
              >Pay <span class="${chooseLineClass(amountLine)}">${renderAmount(amount)}</span></span
            >
          </button>
        </form>
        ${renderCancelForm(view.cancelAction)}
        <p class="visually-hidden" role="status" id="progress"></p>
      </div>
      <p class="promise">The merchant does not see your card number.</p>
    </main>`;
  const title = `Pay ${merchant === null ? "" : `${merchant} `}${amountLine}`;
  return { title: isRetry ? `Error: ${title}` : title, body };
}

type CardField = {
  name: keyof PageMistakes;
  label: Html | string;
  /** Stands at the end of the label's line. */
  beside?: Html;
  hint?: string;
  /** The attributes of the input that are its own. */
  input: Html;
};

/** The mistake's element is there without a mistake, too, for the script to fill. */
function renderCardField(field: CardField, mistakes: PageMistakes): Html {
  const { name, label, beside, hint, input } = field;
  const attributes = renderFieldAttributes(name, hint ? ["mistake", "hint"] : ["mistake"], {
    isWrong: Boolean(mistakes[name]),
    isFocused: findFirstMistake(mistakes) === name,
  });
  return html`<div class="field">
    <div class="above">
      <label for="${name}">${label}</label
      >${beside}${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}
    </div>
    <input ${attributes} type="text" spellcheck="false" ${input} />
    <p class="mistake" id="${name}-mistake" aria-live="polite">${mistakes[name]}</p>
  </div>`;
}

/** The first field that has to be corrected, in the order they are read. */
function findFirstMistake(mistakes: PageMistakes): keyof PageMistakes | undefined {
  return (["number", "expiry", "cvc", "name"] as const).find((name) => mistakes[name]);
}

function renderNotice({ isBankBusy }: OpenView): Html {
  const text = isBankBusy
    ? "You were not charged: the bank cannot be reached at the moment. Please try again in a minute,"
    : "Nothing was paid yet. Please correct what is marked below,";
  return html`<p class="notice" role="alert">
    ${text} and enter the card number and security code again: they are not stored.
  </p>`;
}

const lock = trustHtml(
  `<svg aria-hidden="true" width="1em" height="1em" viewBox="0 0 16 16" fill="currentColor"><path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V6.5h-.25A1.25 1.25 0 0 0 3 7.75v5.5c0 .7.55 1.25 1.25 1.25h7.5c.7 0 1.25-.55 1.25-1.25v-5.5c0-.7-.55-1.25-1.25-1.25h-.25v-2A3.5 3.5 0 0 0 8 1Zm2 5.5H6v-2a2 2 0 1 1 4 0Z"/></svg>`,
);
