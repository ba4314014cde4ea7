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
