import { renderAmount, formatAmountLine, type AmountText } from "./amount-text.ts";
import { escapeHtml, isolateBidi } from "../design/escape-html.ts";

/** The amount in large type. */
export function renderLargeAmount(amount: AmountText): string {
  return `<span class="amount${sizeOf(formatAmountLine(amount))}">${renderAmount(amount)}</span>`;
}

/** Who is paid: any text, in any language. */
export function renderMerchant(merchant: string): string {
  return `<bdi class="merchant">${isolateBidi(merchant)}</bdi>`;
}

/** Who is paid, in the midst of a sentence, also where no name is known. */
export function describeMerchant(merchant: string | null): string {
  return merchant === null ? "the merchant" : `<bdi>${isolateBidi(merchant)}</bdi>`;
}

/** What the merchant says is paid for: any text, in any language. */
export function renderDescription(description: string | null): string {
  return description?.trim()
    ? `<p class="description" dir="auto">${isolateBidi(description)}</p>\n`
    : "";
}

/** The button of a customer who does not want to pay. */
export function renderCancelForm(action: string): string {
  return `<form method="post" action="${escapeHtml(action)}">
<button class="quiet" data-busy="Canceling…"><span>Cancel payment</span></button>
</form>
`;
}

/** Whole in one line of a small phone, also the largest amount. */
function sizeOf({ length }: string): string {
  if (length > 16) return " longest";
  return length > 12 ? " long" : "";
}
