import { html, type Html } from "../design/html.ts";
import { formatAmountLine, splitAmount } from "./amount-text.ts";
import type { ChallengeView } from "./page-view.ts";
import {
  renderDescription,
  renderLargeAmount,
  renderMerchant,
  renderTestBand,
} from "./payment-summary.ts";

/** The page of the simulator that stands in for a bank's, where the customer approves or declines the payment. */
export function renderChallenge(view: ChallengeView): { title: string; body: Html } {
  const { merchant, livemode, action } = view;
  const amount = splitAmount(view.amount, view.currency, view.language);
  const body = html`${!livemode && renderTestBand({ withCards: false })}
    <main class="outcome challenge">
      <h1>Confirm the payment?</h1>
      <p>
        ${renderLargeAmount(amount)}${merchant !== null && html` to ${renderMerchant(merchant)}`}
      </p>
      ${renderDescription(view.description)}
      <p>This page stands in for the customer’s bank. A real bank asks here in its own way.</p>
      <form method="post" action="${action}">
        <button class="primary" name="decision" value="approve"><span>Approve</span></button>
        <button class="secondary" name="decision" value="decline"><span>Decline</span></button>
      </form>
    </main>`;
  return { title: `Confirm ${formatAmountLine(amount)}`, body };
}
