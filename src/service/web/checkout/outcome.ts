import { html, trustHtml, type Html } from "../design/html.ts";
import type { ChallengeView, NothingView, OutcomeView } from "./page-view.ts";
import {
  describeCard,
  formatAmountLine,
  renderAmountTo,
  renderByMerchant,
  renderCancelForm,
  renderDescription,
  renderTestBand,
  splitAmount,
} from "./payment-summary.ts";
import { type Words, fillPlain, findWords } from "./words/languages.ts";

/** The page of a payment with a card, or of one that was canceled or has expired. */
export function renderOutcome(view: OutcomeView): { title: string; body: Html } {
  const { state, bankUrl, cancelAction } = view;
  const { words } = findWords(view.language);
  const { heading, title } = words.outcomes[state];
  const amount = formatAmountLine(splitAmount(view.amount, view.currency, view.language));
  const returnLink = renderReturnLink(words, view);
  const body = html`${!view.livemode && renderTestBand(words, { withCards: false })}
    <main class="outcome ${state}">
      ${outcomeIcons[state]}
      <h1>${heading}</h1>
      ${renderAmountTo(view)} ${renderDescription(view.description)}
      ${texts[state](words, view, returnLink !== undefined)} ${returnLink}
      ${bankUrl !== null && renderBankLink(words, bankUrl, state)}
      ${
        cancelAction !== null &&
        renderCancelForm(words, cancelAction, state === "overdue" ? "secondary" : "quiet")
      }
      ${renderReceipt(words, view)}
    </main>`;
  return { title: fillPlain(title, { amount }), body };
}

/** The page where there is no payment to show. */
export function renderNothing({ state, language }: NothingView): { title: string; body: Html } {
  const { title, paragraphs } = findWords(language).words.nothings[state];
  const body = html`<main class="outcome ${state}">
    ${outcomeIcons[state]}
    <h1>${title}</h1>
    ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
  </main>`;
  return { title, body };
}

type Texts = (words: Words, view: OutcomeView, hasReturnLink: boolean) => Html;

const texts: Record<OutcomeView["state"], Texts> = {
  processing: (words) => renderStatus(words.processing),
  at_bank: (words) => renderStatus(words.atBank),
  returned: ({ returned: [status, remedy] }) =>
    html`${renderStatus(status)}
      <p>${remedy}</p>`,
  overdue: ({ overdue: [status, remedy] }) =>
    html`${renderStatus(status)}
      <p>${remedy}</p>`,
  paid: ({ paid, canClose }, _view, hasReturnLink) =>
    renderStatus(hasReturnLink ? paid : `${paid} ${canClose}`),
  declined: (words, view) =>
    html`<div role="alert">
        <p class="reason">${findReason(words, view) ?? words.reasons.generic_decline}</p>
        <p>${words.notCharged}</p>
      </div>
      <p>${renderByMerchant(words.tryAgain, view.merchant)}</p>`,
  canceled: (words, view, hasReturnLink) => {
    const reason = findReason(words, view);
    return html`${reason !== undefined && html`<p class="reason">${reason}</p>`}
    ${renderCharged(words, view)}
    ${
      reason === undefined
        ? !hasReturnLink && renderStartAgain(words, view)
        : html`<p>${renderByMerchant(words.contact, view.merchant)}</p>`
    }`;
  },
  expired: (words, view, hasReturnLink) =>
    html`${renderCharged(words, view)} ${!hasReturnLink && renderStartAgain(words, view)}`,
};

/** Why the payment failed; nothing where the customer canceled it, or let it expire. */
function findReason({ reasons }: Words, { declineCode }: OutcomeView): string | undefined {
  return declineCode !== null && Object.hasOwn(reasons, declineCode)
    ? reasons[declineCode as keyof typeof reasons]
    : undefined;
}

function renderStatus(text: string): Html {
  return html`<div role="status"><p>${text}</p></div>`;
}

function renderCharged(words: Words, { wasChargeRequested }: OutcomeView): Html {
  return renderStatus(wasChargeRequested ? words.chargeRequested : words.notCharged);
}

/** Only where no button says it. */
function renderStartAgain({ startAgain }: Words, { merchant }: OutcomeView): Html {
  return html`<p>${renderByMerchant(startAgain, merchant)}</p>`;
}

/** The reference, which the customer may quote, and the proof of a payment. */
function renderReceipt(words: Words, { reference, receipt, language }: OutcomeView): Html {
  return html`<dl class="receipt">
    <dt>${words.reference}</dt>
    <dd><code>${reference}</code></dd>
    ${
      receipt &&
      html`<dt>${words.paidAt}</dt>
        <dd>${renderTime(new Date(receipt.paidAt * 1000), language)}</dd>
        <dt>${words.card}</dt>
        <dd>${describeCard(words, receipt)}</dd>`
    }
  </dl>`;
}

/** In UTC, for the page's script to write it in the customer's zone. Short enough for one line of a small phone. */
function renderTime(time: Date, language: string): Html {
  const { language: page } = findWords(language);
  const locale = page === "en" ? "en-GB" : page;
  const text = new Intl.DateTimeFormat(locale, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(time);
  return html`<time lang="${locale}" datetime="${time.toISOString()}">${text} UTC</time>`;
}

/** A link to a web address or to a path of this service; nothing for any other address. */
function renderReturnLink(words: Words, { returnTo, merchant }: OutcomeView): Html | undefined {
  if (!returnTo || !/^(?:https?:\/)?\/[^/\\]/i.test(returnTo)) return undefined;
  return html`<p>
      <a class="primary" rel="noreferrer" href="${returnTo}"
        ><span>${renderByMerchant(words.returnTo, merchant)}</span></a
      >
    </p>
    <p class="aside">${words.returnsByItself}</p>`;
}

function renderBankLink(words: Words, bankUrl: string, state: OutcomeView["state"]): Html {
  return html`<p>
    <a class="${state === "at_bank" ? "primary" : "secondary"}" rel="noreferrer" href="${bankUrl}"
      ><span>${words.continueAtBank}</span></a
    >
  </p>`;
}

const circle = '<circle cx="24" cy="24" r="22" fill="none"/>';
const clock = `${circle}<path d="M24 12v12l7 5"/>`;
const exclamation = `${circle}<path d="M24 13v14M24 34v.5"/>`;
/** The icon above the heading of a page without a form. */
const outcomeIcons: Record<OutcomeView["state"] | NothingView["state"], Html> = {
  processing: renderIcon(
    '<circle cx="24" cy="24" r="20" class="track"/><path d="M24 4a20 20 0 0 1 20 20"/>',
  ),
  at_bank: renderIcon('<path d="M3 18 24 4l21 14M8 18v20m11-20v20m10-20v20m11-20v20M3 44h42"/>'),
  returned: renderIcon(clock),
  overdue: renderIcon(clock),
  paid: renderIcon(`${circle}<path d="m15 25 6 6 12-14"/>`),
  declined: renderIcon(`${circle}<path d="m17 17 14 14m0-14L17 31"/>`),
  canceled: renderIcon(`${circle}<path d="M15 24h18"/>`),
  expired: renderIcon(clock),
  gone: renderIcon(exclamation),
  refused: renderIcon(exclamation),
  unavailable: renderIcon(exclamation),
};

function renderIcon(shape: string): Html {
  return trustHtml(
    `<svg aria-hidden="true" width="3em" height="3em" viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`,
  );
}

/** The page of the simulator that stands in for a bank's, where the customer approves or declines the payment. */
export function renderChallenge(view: ChallengeView): { title: string; body: Html } {
  const { livemode, action } = view;
  const { words } = findWords(view.language);
  const { heading, title, text, approve, decline } = words.challenge;
  const amount = formatAmountLine(splitAmount(view.amount, view.currency, view.language));
  const body = html`${!livemode && renderTestBand(words, { withCards: false })}
    <main class="outcome challenge">
      ${outcomeIcons.at_bank}
      <h1>${heading}</h1>
      ${renderAmountTo(view)} ${renderDescription(view.description)}
      <p>${text}</p>
      <form method="post" action="${action}">
        <button class="primary" name="decision" value="approve"><span>${approve}</span></button>
        <button class="secondary" name="decision" value="decline"><span>${decline}</span></button>
      </form>
    </main>`;
  return { title: fillPlain(title, { amount }), body };
}
