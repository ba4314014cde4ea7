import { testCards } from "../../contract/known-test-cards.ts";
import { usageError, type Missing } from "../errors/command-error.ts";
import type { PaymentFlags } from "./payment-flags.ts";

/** The card of a create request, from flags of which none is missing. */
export function parseCard(flags: PaymentFlags): Record<string, unknown> {
  const { "test-card": name, "card-holder": holder } = flags;
  return {
    ...(name === undefined ? numberedCard(flags) : testCard(name, flags)),
    ...(holder !== undefined && { holder_name: holder }),
  };
}

/** A card number as the API wants it, however it is grouped. */
export function stripSeparators(text: string): string {
  return text.replaceAll(/[ -]/g, "");
}

function testCard(name: string, flags: PaymentFlags) {
  const card = testCards.find((known) => known.name === name);
  if (!card) throw usageError("--test-card names no test card.", "See payments test-cards.");
  return {
    number: card.number,
    exp_month: flags["exp-month"] ?? 12,
    exp_year: flags["exp-year"] ?? new Date().getUTCFullYear() + 5,
    cvc: flags.cvc ?? (card.brand === "amex" ? "1234" : "123"),
  };
}

function numberedCard(flags: PaymentFlags) {
  const { "card-number": number = "", "exp-month": exp_month, "exp-year": exp_year, cvc } = flags;
  return { number: stripSeparators(number), exp_month, exp_year, cvc };
}

/** What a card by flags lacks. */
export function missingOfCard(flags: PaymentFlags): Missing[] {
  if (flags["test-card"] !== undefined) return [];
  if (flags["card-number"] === undefined) return [missingCard];
  return missingParts
    .filter(([part]) => flags[part] === undefined)
    .map(([part, hint]) => [`--${part}`, hint]);
}

const missingCard: Missing = [
  "a card",
  "--test-card visa, --card-number, or --card-file; see payments test-cards",
];
const missingParts = [
  ["exp-month", "1 to 12"],
  ["exp-year", "four digits"],
  ["cvc", "3 or 4 digits"],
] as const;
