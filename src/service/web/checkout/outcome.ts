import { formatAmountLine, splitAmount } from "./amount-text.ts";
import { describeCard } from "./card-brands.ts";
import { escapeHtml, isolateBidi } from "../design/escape-html.ts";
import type { NothingView, OutcomeView, Receipt } from "./page-view.ts";
import {
  renderCancelForm,
  renderDescription,
  renderLargeAmount,
  renderMerchant,
  describeMerchant,
} from "./payable.ts";
import { renderTestBand } from "./test-band.ts";

/** The page of a payment whose card was taken, or that was canceled or has expired. */
export function renderOutcome(view: OutcomeView): { title: string; body: string } {
  const amount = splitAmount(view.amount, view.currency, view.language);
  const { heading, title, says } = outcomes[view.state];
  const returnLink = returnLinkHtml(view);
  const body = `${view.livemode ? "" : renderTestBand({ withCards: false })}<main class="outcome ${view.state}">
${icons[view.state]}
<h1>${heading}</h1>
<p>${renderLargeAmount(amount)}${view.merchant === null ? "" : ` to ${renderMerchant(view.merchant)}`}</p>
${renderDescription(view.description)}${says(view, returnLink !== "")}
${receiptHtml(view.receipt)}${returnLink}${view.cancelAction === null ? "" : renderCancelForm(view.cancelAction)}</main>`;
  return { title: title(escapeHtml(formatAmountLine(amount))), body };
}

/** The page where there is no payment to show. */
export function renderNothing({ state }: NothingView): { title: string; body: string } {
  const { heading, paragraphs } = nothings[state];
  const body = `<main class="outcome ${state}">
${icons[state]}
<h1>${heading}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n")}
</main>`;
  return { title: heading, body };
}

type Outcome = {
  heading: string;
  title: (amount: string) => string;
  says: (view: OutcomeView, hasReturnLink: boolean) => string;
};

const wasAsked =
  "The bank had been asked already: what it takes after all is given back. That may take some days to show on your account.";
const whatWasCharged = ({ wasBankAsked }: OutcomeView) =>
  `<div role="status"><p>${wasBankAsked ? wasAsked : "You were not charged."}</p></div>`;
const startAgain = ({ merchant }: OutcomeView) =>
  `go back to ${describeMerchant(merchant)} and start again.`;

const outcomes: Record<OutcomeView["state"], Outcome> = {
  processing: {
    heading: "Processing your payment",
    title: (amount) => `Processing the payment of ${amount}`,
    says: () =>
      '<div role="status"><p>This takes a moment. The page reloads by itself: there is no need to pay again.</p></div>',
  },
  overdue: {
    heading: "The bank has not answered yet",
    title: (amount) => `Waiting for the bank: ${amount}`,
    says: () =>
      `<div role="status"><p>There is no need to pay again: the payment goes on, and this page shows by itself how it ends, also when you come back later.</p></div>
<p>If you would rather not wait, cancel it: what the bank takes after all is given back.</p>`,
  },
  paid: {
    heading: "Payment complete",
    title: (amount) => `Paid: ${amount}`,
    says: (_view, hasReturnLink) =>
      `<div role="status"><p>Thank you, your payment went through.${hasReturnLink ? "" : " You can close this page."}</p></div>`,
  },
  declined: {
    heading: "Payment declined",
    title: (amount) => `Declined: ${amount}`,
    says: (view) =>
      `<div role="alert"><p class="reason" dir="auto">${isolateBidi(view.reason ?? "The card was declined.")}</p><p>You were not charged.</p></div>
<p>This attempt is final. To pay, with another card if need be, ${startAgain(view)}</p>`,
  },
  canceled: {
    heading: "Payment canceled",
    title: (amount) => `Canceled: ${amount}`,
    says: (view) => `${whatWasCharged(view)}\n<p>To pay after all, ${startAgain(view)}</p>`,
  },
  expired: {
    heading: "This payment page has expired",
    title: (amount) => `Expired: ${amount}`,
    says: (view) => `${whatWasCharged(view)}\n<p>To pay, ${startAgain(view)}</p>`,
  },
};

const nothings: Record<NothingView["state"], { heading: string; paragraphs: string[] }> = {
  gone: {
    heading: "This payment page is not available",
    paragraphs: [
      "It expired some time ago, or its address is not complete. Opening it charged nothing.",
      "To pay, go back to the merchant and start again.",
    ],
  },
  refused: {
    heading: "This request was refused",
    paragraphs: [
      "It did not come from the payment page itself, so it charged nothing.",
      "To pay, open the payment page from the merchant’s site.",
    ],
  },
  unavailable: {
    heading: "The payment page is not available right now",
    paragraphs: [
      "Please go back to the payment page in a minute and look again.",
      "Nothing is charged twice: a payment that already went through is shown there as complete.",
    ],
  },
};

function receiptHtml(receipt: Receipt | null): string {
  if (receipt === null) return "";
  const paidAt = new Date(receipt.paidAt * 1000);
  return `<dl class="receipt">
<dt>Reference</dt><dd><code>${escapeHtml(receipt.id)}</code></dd>
<dt>Paid</dt><dd><time datetime="${paidAt.toISOString()}">${dateFormat.format(paidAt)} UTC</time></dd>
<dt>Card</dt><dd>${escapeHtml(describeCard(receipt))}</dd>
</dl>
`;
}

const dateFormat = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A link to a web address or to a path of the page's own place; anything else is none. */
function returnLinkHtml({ returnTo, merchant }: OutcomeView): string {
  return returnTo && /^(?:https?:\/)?\/[^/\\]/i.test(returnTo)
    ? `<p><a class="primary" rel="noreferrer" href="${escapeHtml(returnTo)}"><span>Return to ${describeMerchant(merchant)}</span></a></p>
<p>This page goes there by itself in a few seconds.</p>\n`
    : "";
}

const circle = '<circle cx="24" cy="24" r="22" fill="none"/>';
const clock = `${circle}<path d="M24 12v12l7 5"/>`;
const exclamation = '<path d="M24 13v14M24 34v.5"/>';
const icons: Record<OutcomeView["state"] | NothingView["state"], string> = {
  processing: icon(
    '<circle cx="24" cy="24" r="20" class="track"/><path d="M24 4a20 20 0 0 1 20 20"/>',
  ),
  overdue: icon(clock),
  paid: icon(`${circle}<path d="m15 25 6 6 12-14"/>`),
  declined: icon(`${circle}<path d="m17 17 14 14m0-14L17 31"/>`),
  canceled: icon(`${circle}<path d="M15 24h18"/>`),
  expired: icon(clock),
  gone: icon(clock),
  refused: icon(`${circle}${exclamation}`),
  unavailable: icon(`${circle}${exclamation}`),
};

function icon(shape: string): string {
  return `<svg aria-hidden="true" width="3em" height="3em" viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`;
}
