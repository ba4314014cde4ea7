import { testCards, type TestCard } from "../../../contract/known-test-cards.ts";
import { html, type Html } from "../design/html.ts";
import { renderAmount, formatAmountLine, type AmountText } from "./amount-text.ts";
import { brandNames } from "./card-brands.ts";

/** The amount in large type, on one line of a small phone however large it is. */
export function renderLargeAmount(amount: AmountText): Html {
  const { length } = formatAmountLine(amount);
  const size = length > 16 ? " longest" : length > 12 ? " long" : "";
  return html`<span class="amount${size}">${renderAmount(amount)}</span>`;
}

/** The merchant's name: any text, in any language. */
export function renderMerchant(merchant: string): Html {
  return html`<bdi class="merchant">${merchant}</bdi>`;
}

/** The merchant within a sentence, with a name or without. */
export function describeMerchant(merchant: string | null): Html {
  return merchant === null ? html`the merchant` : html`<bdi>${merchant}</bdi>`;
}

/** The merchant's description of the payment: any text, in any language. */
export function renderDescription(description: string | null): Html | undefined {
  return description?.trim()
    ? html`<p class="description" dir="auto">${description}</p>`
    : undefined;
}

export function renderCancelForm(action: string): Html {
  return html`<form method="post" action="${action}">
    <button class="quiet" data-busy="Canceling…"><span>Cancel payment</span></button>
  </form>`;
}

/** The band above a page of test mode, with the cards to pay with where the page takes one. */
export function renderTestBand({ withCards }: { withCards: boolean }): Html {
  return html`<header class="band test">
    <div>
      <p>
        <strong>Test mode</strong> No money
        moves${withCards && ", and only test cards are accepted"}.
      </p>
      ${
        withCards &&
        html`<details>
          <summary>Test cards</summary>
          <p>With any expiry date in the future and any security code.</p>
          <table>
            <thead>
              <tr>
                <th scope="col">Card</th>
                <th scope="col">Payment</th>
              </tr>
            </thead>
            <tbody>
              ${testCards.map(renderTestCard)}
            </tbody>
          </table>
        </details>`
      }
    </div>
  </header>`;
}

function describeTestOutcome({ outcome, refund }: TestCard): string {
  if (outcome === "succeeded") return refund === undefined ? "paid" : `paid, refund ${refund}`;
  if (outcome === "authentication_required") return "asks for a confirmation";
  return `declined: ${outcome.replaceAll("_", " ")}`;
}

function renderTestCard(card: TestCard): Html {
  const { number, brand } = card;
  const grouped =
    number.length === 15
      ? number.replace(/(.{4})(.{6})/, "$1 $2 ")
      : number.replaceAll(/(.{4})(?=.)/g, "$1 ");
  return html`<tr>
    <td><code>${grouped}</code> ${brandNames[brand]}</td>
    <td>${describeTestOutcome(card)}</td>
  </tr>`;
}
