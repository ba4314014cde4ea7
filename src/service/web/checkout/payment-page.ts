import {
  findBrandIn,
  isExpired,
  isLuhnValid,
  issuerRanges,
  parseExpiry,
} from "../../../contract/card.ts";
import { isWithin } from "../../../runtime/text.ts";
import { findCardMistakes, normalizeTypedCard } from "../../checkout/typed-card.ts";
import { html, privatePage, renderDocument } from "../design/html.ts";
import { readAssets } from "../design/pages.ts";
import { renderChallenge, renderNothing, renderOutcome } from "./outcome.ts";
import type { PageView } from "./page-view.ts";
import { renderPaymentForm } from "./payment-form.ts";
import { brandNames } from "./payment-summary.ts";
import { findWords } from "./words/languages.ts";

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
