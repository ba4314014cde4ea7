import { html, type Html } from "../design/html.ts";
import { formatAmountLine, splitAmount } from "./amount-text.ts";
import { describeCard } from "./card-brands.ts";
import { outcomeIcons } from "./outcome-icons.ts";
import type { NothingView, OutcomeView, Receipt } from "./page-view.ts";
import {
  describeMerchant,
  renderCancelForm,
  renderDescription,
  renderLargeAmount,
  renderMerchant,
  renderTestBand,
} from "./payment-summary.ts";

/** The page of a payment with a card, or of one that was canceled or has expired. */
export function renderOutcome(view: OutcomeView): { title: string; body: Html } {
  const { state, merchant, receipt, bankUrl, cancelAction } = view;
  const amount = splitAmount(view.amount, view.currency, view.language);
  const { heading, title, text } = outcomes[state];
  const returnLink = renderReturnLink(view);
  const body = html`${!view.livemode && renderTestBand({ withCards: false })}
    <main class="outcome ${state}">
      ${outcomeIcons[state]}
      <h1>${heading}</h1>
      <p>
        ${renderLargeAmount(amount)}${merchant !== null && html` to ${renderMerchant(merchant)}`}
      </p>
      ${renderDescription(view.description)} ${text(view, returnLink !== undefined)}
      ${receipt && renderReceipt(receipt)} ${returnLink}
      ${bankUrl !== null && renderBankLink(bankUrl, state)}
      ${cancelAction !== null && renderCancelForm(cancelAction)}
    </main>`;
  return { title: `${title} ${formatAmountLine(amount)}`, body };
}

/** The page where there is no payment to show. */
export function renderNothing({ state }: NothingView): { title: string; body: Html } {
  const { title, paragraphs } = nothings[state];
  const body = html`<main class="outcome ${state}">
    ${outcomeIcons[state]}
    <h1>${title}</h1>
    ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
  </main>`;
  return { title, body };
}

type Outcome = {
  heading: string;
  /** Stands before the amount. */
  title: string;
  text: (view: OutcomeView, hasReturnLink: boolean) => Html;
};

const renderStatus = (text: Html | string) => html`<div role="status"><p>${text}</p></div>`;
const renderCharged = ({ wasChargeRequested }: OutcomeView) =>
  renderStatus(
    wasChargeRequested
      ? "The payment was already sent to the bank. If it charges you after all, you get the money back. That may take some days to show on your account."
      : "You were not charged.",
  );
const renderStartAgain = (purpose: string, { merchant }: OutcomeView) =>
  html`<p>${purpose}, go back to ${describeMerchant(merchant)} and start again.</p>`;

const outcomes: Record<OutcomeView["state"], Outcome> = {
  processing: {
    heading: "Processing your payment",
    title: "Processing the payment of",
    text: () =>
      renderStatus(
        "This takes a moment. The page reloads by itself: there is no need to pay again.",
      ),
  },
  at_bank: {
    heading: "Confirm the payment at your bank",
    title: "Confirm at your bank:",
    text: () =>
      renderStatus(
        "Your bank asks you to confirm this payment. This page takes you there in a moment, and your bank brings you back.",
      ),
  },
  returned: {
    heading: "Waiting for your bank",
    title: "Waiting for your bank:",
    text: () =>
      html`${renderStatus("Your bank has not said yet whether you confirmed the payment. This page shows the result as soon as it does: there is no need to pay again.")}
        <p>If you have not confirmed it, continue at your bank, or cancel the payment.</p>`,
  },
  overdue: {
    heading: "The bank has not answered yet",
    title: "Waiting for the bank:",
    text: () =>
      html`${renderStatus("There is no need to pay again: the payment continues, and this page will show the result, also when you come back later.")}
        <p>
          If you do not want to wait, cancel it. If the bank charges you after all, you get the
          money back.
        </p>`,
  },
  paid: {
    heading: "Payment complete",
    title: "Paid:",
    text: (_view, hasReturnLink) =>
      renderStatus(
        html`Thank you, your payment went through.${!hasReturnLink && " You can close this page."}`,
      ),
  },
  declined: {
    heading: "Payment declined",
    title: "Declined:",
    text: (view) =>
      html`<div role="alert">
          <p class="reason" dir="auto">${view.reason ?? "The card was declined."}</p>
          <p>You were not charged.</p>
        </div>
        ${renderStartAgain("This attempt is final. To pay, with another card if need be", view)}`,
  },
  canceled: {
    heading: "Payment canceled",
    title: "Canceled:",
    text: (view) =>
      html`${view.reason !== null && html`<p class="reason">${view.reason}</p>`}
      ${renderCharged(view)} ${renderStartAgain("To pay after all", view)}`,
  },
  expired: {
    heading: "This payment page has expired",
    title: "Expired:",
    text: (view) => html`${renderCharged(view)} ${renderStartAgain("To pay", view)}`,
  },
};

const nothings: Record<NothingView["state"], { title: string; paragraphs: string[] }> = {
  gone: {
    title: "This payment page is not available",
    paragraphs: [
      "It expired some time ago, or its address is not complete. Opening it charged nothing.",
      "To pay, go back to the merchant and start again.",
    ],
  },
  refused: {
    title: "This request was refused",
    paragraphs: [
      "It did not come from the payment page itself, so it charged nothing.",
      "To pay, open the payment page from the merchant’s site.",
    ],
  },
  unavailable: {
    title: "The payment page is not available right now",
    paragraphs: [
      "Please reload the payment page in a minute.",
      "Nothing is charged twice: a payment that already went through is shown there as complete.",
    ],
  },
};

function renderReceipt(receipt: Receipt): Html {
  const paidAt = new Date(receipt.paidAt * 1000);
  return html`<dl class="receipt">
    <dt>Reference</dt>
    <dd><code>${receipt.id}</code></dd>
    <dt>Paid</dt>
    <dd><time datetime="${paidAt.toISOString()}">${dateFormat.format(paidAt)} UTC</time></dd>
    <dt>Card</dt>
    <dd>${describeCard(receipt)}</dd>
  </dl>`;
}

const dateFormat = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A link to a web address or to a path of this service; nothing for any other address. */
function renderReturnLink({ returnTo, merchant }: OutcomeView): Html | undefined {
  if (!returnTo || !/^(?:https?:\/)?\/[^/\\]/i.test(returnTo)) return undefined;
  return html`<p>
      <a class="primary" rel="noreferrer" href="${returnTo}"
        ><span>Return to ${describeMerchant(merchant)}</span></a
      >
    </p>
    <p>This page goes there by itself in a few seconds.</p>`;
}

function renderBankLink(bankUrl: string, state: OutcomeView["state"]): Html {
  return html`<p>
    <a class="${state === "at_bank" ? "primary" : "secondary"}" rel="noreferrer" href="${bankUrl}"
      ><span>Continue to your bank</span></a
    >
  </p>`;
}
