import {
  findBrandIn,
  isExpired,
  isLuhnValid,
  issuerRanges,
  parseExpiry,
} from "../../../contract/card.ts";
import { isWithin } from "../../../runtime/text.ts";
import {
  type CardMistakes,
  findCardMistakes,
  normalizeTypedCard,
} from "../../checkout/typed-card.ts";
import {
  type Html,
  chooseLineClass,
  fillText,
  html,
  privatePage,
  renderDocument,
  renderFieldAttributes,
  trustHtml,
} from "../design/html.ts";
import { readAssets } from "../design/pages.ts";
import { renderChallenge, renderNothing, renderOutcome } from "./outcome.ts";
import type { OpenView, PageView } from "./page-view.ts";
import {
  type AmountText,
  brandNames,
  formatAmountLine,
  renderAmount,
  renderByMerchant,
  renderCancelForm,
  renderLarge,
  renderTestBand,
  splitAmount,
} from "./payment-summary.ts";
import { type Words, chooseText, fillPlain, findWords } from "./words/languages.ts";

export const paymentPageStyle = readAssets(
  "design/tokens.css",
  "design/base.css",
  "design/controls.css",
  "checkout/payment-page.css",
);

/** How often a waiting page reloads itself where no script runs: an overdue one leaves time to read it. */
const reloadSeconds = { processing: 1, returned: 5, overdue: 10 };

/**
 * The checkout page: a whole HTML document that needs no other file and works without its script. It never holds a
 * card number or a security code.
 */
export function renderPaymentPage(view: PageView): string {
  const { language } = findWords(view.language);
  const document = { language, head: privatePage, style: paymentPageStyle };
  switch (view.state) {
    case "open":
      return renderDocument({ ...document, ...renderPaymentForm(view), script: paymentPageScript });
    case "processing":
    case "returned":
    case "overdue": {
      const head = html`${privatePage}<noscript
          ><meta http-equiv="refresh" content="${reloadSeconds[view.state]}"
        /></noscript>`;
      return renderDocument({
        ...document,
        head,
        ...renderOutcome(view),
        script: waitingPageScript,
      });
    }
    case "challenge":
      return renderDocument({ ...document, ...renderChallenge(view) });
    case "paid":
      return renderDocument({ ...document, ...renderOutcome(view), script: localTimeScript });
    case "at_bank":
    case "declined":
    case "canceled":
    case "expired":
      return renderDocument({ ...document, ...renderOutcome(view) });
    case "gone":
    case "refused":
    case "unavailable":
      return renderDocument({ ...document, ...renderNothing(view) });
    default:
      return view satisfies never;
  }
}

/** The page of a payment that waits for its card. */
function renderPaymentForm(view: OpenView): { title: string; body: Html } {
  const { words } = findWords(view.language);
  const amount = splitAmount(view.amount, view.currency, view.language);
  const body = html`${!view.livemode && renderTestBand(words, { withCards: true })}
    <main class="open">
      ${renderSummary(words, view)}
      <div class="entry">
        ${renderForm(words, view, amount)} ${renderCancelForm(words, view.cancelAction)}
        <p class="visually-hidden" role="status" id="progress"></p>
      </div>
      <p class="promise">${renderByMerchant(words.promise, view.merchant)}</p>
    </main>`;
  const title = fillPlain(chooseText(words.pay, view.merchant), {
    merchant: view.merchant ?? "",
    amount: formatAmountLine(amount),
  });
  return { title: isRetry(view) ? fillPlain(words.errorTitle, { title }) : title, body };
}

function isRetry({ mistakes, isBankBusy }: OpenView): boolean {
  return isBankBusy || listMistakes(mistakes).length > 0;
}

/** The amount, the merchant and the description of the payment. */
function renderSummary(words: Words, view: OpenView): Html {
  const { reference, description } = view;
  return html`<div class="summary">
    <h1>${renderLarge(words.due, view)}</h1>
    <dl>
      ${
        description?.trim() &&
        html`<dt>${words.description}</dt>
          <dd class="description" dir="auto">${description}</dd>`
      }
      <dt>${words.reference}</dt>
      <dd><code>${reference}</code></dd>
    </dl>
  </div>`;
}

/** The page's script reads the words of the mistakes from the form. */
function renderForm(words: Words, view: OpenView, amount: AmountText): Html {
  const { mistakes, prefill } = view;
  const field = (described: CardField) => renderCardField(words, described, mistakes);
  return html`<form
    method="post"
    action="${view.action}"
    data-now="${view.nowMs}"
    data-mistakes="${JSON.stringify(words.mistakes)}"
    data-check="${words.checkFields}"
  >
    <h2>${words.cardDetails}</h2>
    ${renderNotice(words, view)}
    ${field({
      name: "number",
      label: words.cardNumber,
      beside: html`<span class="brand">${cardMark}<span role="status" id="brand"></span></span>`,
      input: html`autocomplete="cc-number" inputmode="numeric" required`,
    })}
    <div class="pair">
      ${field({
        name: "expiry",
        label: words.expiryDate,
        hint: words.expiryHint,
        input: html`autocomplete="cc-exp" inputmode="numeric" required value="${prefill.expiry}"`,
      })}
      ${field({
        name: "cvc",
        label: words.securityCode,
        hint: words.securityCodeHint,
        input: html`autocomplete="cc-csc" inputmode="numeric" required`,
      })}
    </div>
    ${field({
      name: "name",
      label: html`${words.nameOnCard} <span class="optional">${words.optional}</span>`,
      input: html`autocomplete="cc-name" autocapitalize="words" dir="auto" value="${prefill.name}"`,
    })}
    <button class="primary" data-busy="${words.paying}">
      ${lock}<span
        >${fillText(words.payButton, {
          amount: html`<span class="${chooseLineClass(formatAmountLine(amount))}"
            >${renderAmount(amount)}</span
          >`,
        })}</span
      >
    </button>
  </form>`;
}

type CardField = {
  name: keyof CardMistakes;
  label: Html | string;
  /** Stands at the end of the label's line. */
  beside?: Html;
  hint?: string;
  /** The attributes of the input that are its own. */
  input: Html;
};

/** The mistake's element is there without a mistake, too, for the script to fill. */
function renderCardField(words: Words, field: CardField, mistakes: CardMistakes): Html {
  const { name, label, beside, hint, input } = field;
  const mistake = mistakes[name];
  const text = mistake && words.mistakes[mistake];
  const attributes = renderFieldAttributes(name, hint ? ["mistake", "hint"] : ["mistake"], {
    isWrong: mistake !== undefined,
    isFocused: listMistakes(mistakes)[0]?.[0] === name,
  });
  return html`<div class="field">
    <div class="above">
      <label for="${name}">${label}</label
      >${beside}${hint && html`<span class="hint" id="${name}-hint">${hint}</span>`}
    </div>
    <input ${attributes} type="text" spellcheck="false" ${input} />
    <p class="mistake" id="${name}-mistake" aria-live="polite">${text}</p>
  </div>`;
}

/** The fields that have to be corrected, in the order they are read. */
function listMistakes(mistakes: CardMistakes) {
  return (["number", "expiry", "cvc", "name"] as const).flatMap((name) => {
    const mistake = mistakes[name];
    return mistake ? [[name, mistake] as const] : [];
  });
}

/** Says that nothing was paid. The page's script fills it, too, so it is there while it is empty. */
function renderNotice(words: Words, view: OpenView): Html {
  if (!isRetry(view)) return html`<div class="notice" role="alert" id="notice" hidden></div>`;
  const { notCharged, checkFields, bankBusy, enterAgain } = words;
  const [cause, remedy] = view.isBankBusy ? bankBusy : [checkFields, ""];
  return html`<div class="notice${view.isBankBusy && " waiting"}" role="alert" id="notice">
    <p><strong>${cause}</strong></p>
    <p>${notCharged} ${remedy} ${enterAgain}</p>
  </div>`;
}

const lock = trustHtml(
  `<svg aria-hidden="true" width="1em" height="1em" viewBox="0 0 16 16" fill="currentColor"><path d="M8 1a3.5 3.5 0 0 0-3.5 3.5V6.5h-.25A1.25 1.25 0 0 0 3 7.75v5.5c0 .7.55 1.25 1.25 1.25h7.5c.7 0 1.25-.55 1.25-1.25v-5.5c0-.7-.55-1.25-1.25-1.25h-.25v-2A3.5 3.5 0 0 0 8 1Zm2 5.5H6v-2a2 2 0 1 1 4 0Z"/></svg>`,
);

/** Stands before the brand, once it is known. */
const cardMark = trustHtml(
  `<svg aria-hidden="true" width="1.5em" height="1em" viewBox="0 0 24 16"><rect x=".75" y=".75" width="22.5" height="14.5" rx="2.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M1 4h22v3H1zM4 10h6v2H4z" fill="currentColor"/></svg>`,
);

/** The service's own rules about a typed card: the script of the page has their sources, as `globalThis.rules`. */
export const rules = {
  brandNames,
  issuerRanges,
  findBrandIn,
  normalizeTypedCard,
  findCardMistakes,
  isLuhnValid,
  parseExpiry,
  isExpired,
  isWithin,
};

const sources = Object.entries(rules).map(
  ([name, rule]) => `${name}: ${typeof rule === "function" ? String(rule) : JSON.stringify(rule)}`,
);

/** Helps the customer to type. */
export const paymentPageScript = `"use strict";
globalThis.rules = {${sources.join(",\n")}};
${readAssets("checkout/payment-page.js")}`;

/** Reloads a page that waits when the payment's state has changed. */
export const waitingPageScript = readAssets("checkout/waiting-page.js");

/** Writes the time of a receipt in the customer's own zone. */
export const localTimeScript = readAssets("checkout/local-time.js");
