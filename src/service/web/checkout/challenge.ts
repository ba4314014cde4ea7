import { html, type Html } from "../design/html.ts";
import { formatAmountLine, splitAmount } from "./amount-text.ts";
import { outcomeIcons } from "./outcome-icons.ts";
import type { ChallengeView } from "./page-view.ts";
import { renderAmountTo, renderDescription, renderTestBand } from "./payment-summary.ts";
import { fillPlain, findWords } from "./words/find-words.ts";

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
