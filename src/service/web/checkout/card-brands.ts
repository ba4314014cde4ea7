import type { CardBrand } from "../../../contract/card.ts";
import { fillPlain } from "./words/find-words.ts";
import type { Words } from "./words/words.ts";

/** Brands as their cards spell them. */
export const brandNames: Record<CardBrand, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  unknown: "",
};

/** A card as its holder knows it: `Visa ending in 4242`. */
export function describeCard(
  { cardEndingIn }: Words,
  { brand, last4 }: { brand: string; last4: string },
): string {
  const name = Object.hasOwn(brandNames, brand) ? brandNames[brand as CardBrand] : "";
  return fillPlain(cardEndingIn, { brand: name, last4 }).trimStart();
}

/**
 * Patterns that find a brand by the first digits of a card number. They become part of the page's script, which
 * names the brand while the customer types; the service decides the brand of the payment.
 */
export const brandPatterns: readonly (readonly [RegExp, CardBrand])[] = [
  [/^3[47]/, "amex"],
  [/^3(0[0-5]|095|6|[89])/, "diners"],
  [/^35(2[89]|[3-8])/, "jcb"],
  [/^6(011|4[4-9]|5)/, "discover"],
  [/^(62|81)/, "unionpay"],
  [/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/, "mastercard"],
  [/^(50|5[6-8]|6304|67(59|6[0-3]))/, "maestro"],
  [/^4/, "visa"],
];
