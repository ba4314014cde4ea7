import type { DeclineCode } from "./field-values.ts";

// The checkout page runs the source of some of these functions, so they refer to nothing outside themselves.

export const cardBrands = [
  "visa",
  "mastercard",
  "amex",
  "discover",
  "diners",
  "jcb",
  "unionpay",
  "maestro",
  "unknown",
] as const;
export type CardBrand = (typeof cardBrands)[number];

/** The country of a card whose network gives none: CLDR's unknown region. */
export const unknownCountry = "ZZ";

/** Whether the last digit of a card number is its Luhn check digit. */
export function isLuhnValid(number: string): boolean {
  let sum = 0;
  for (let i = 0; i < number.length; i++) {
    const digit = number.charCodeAt(number.length - 1 - i) - 48;
    const doubled = i % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

type IssuerRange = [from: string, to: string, brand: CardBrand];

/**
 * Issuer ranges: the first digits of a number, from and to, both included. The first row that fits
 * wins, so narrower ranges stand above wider ones.
 */
export const issuerRanges: IssuerRange[] = [
  ["34", "34", "amex"],
  ["37", "37", "amex"],
  ["300", "305", "diners"],
  ["3095", "3095", "diners"],
  ["36", "36", "diners"],
  ["38", "39", "diners"],
  ["3528", "3589", "jcb"],
  ["6011", "6011", "discover"],
  ["644", "659", "discover"],
  ["62", "62", "unionpay"],
  ["81", "81", "unionpay"],
  ["51", "55", "mastercard"],
  ["2221", "2720", "mastercard"],
  ["50", "50", "maestro"],
  ["56", "58", "maestro"],
  ["6304", "6304", "maestro"],
  ["6759", "6763", "maestro"],
  ["4", "4", "visa"],
];

/** The brand to which a card number's prefix belongs. */
export function findBrand(number: string): CardBrand {
  return findBrandIn(issuerRanges, number);
}

/** The same by ranges that are given: the payment page's script has a copy of this function. */
export function findBrandIn(ranges: readonly IssuerRange[], number: string): CardBrand {
  for (const [from, to, brand] of ranges) {
    const prefix = number.slice(0, from.length);
    if (prefix >= from && prefix <= to) return brand;
  }
  return "unknown";
}

type Expiry = { exp_month: number; exp_year: number };

/** Whether a card's month of expiry has ended, in UTC, at a time in Unix seconds. */
export function isExpired(card: Expiry, at: number): boolean {
  return Date.UTC(card.exp_year, card.exp_month, 1) / 1000 <= at;
}

/**
 * Month and year as people type them, at a time in Unix milliseconds: `MM/YY`, `MM / YYYY`, `MM-YY`,
 * `MM YY`, `MMYY`. Two digits are a year of this century. The month is not checked.
 */
export function parseExpiry(typed: string, nowMs: number): Expiry | undefined {
  const text = typed.trim();
  if (text.length > 20) return undefined; // the expression's time grows with its square
  const [, month, year] =
    /^([0-9]{1,2})\s*[/.\p{Pd}\s]\s*([0-9]{4}|[0-9]{2})$/u.exec(text) ??
    /^([0-9]{2})([0-9]{4}|[0-9]{2})$/.exec(text) ??
    [];
  if (month === undefined || year === undefined) return undefined;
  const century = Math.floor(new Date(nowMs).getUTCFullYear() / 100) * 100;
  return {
    exp_month: Number(month),
    exp_year: year.length === 4 ? Number(year) : century + Number(year),
  };
}

type DefinedCard = {
  /** The value of `payments create --test-card`. */
  name: string;
  number: string;
  outcome: "succeeded" | DeclineCode;
  /** Of a refund that is not made at once: it is declined, or takes the processing time. */
  refund?: "declined" | "slow";
};

/** Their brands follow from their numbers. */
const cards = [
  { name: "visa", number: "4242424242424242", outcome: "succeeded" },
  { name: "mastercard", number: "5555555555554444", outcome: "succeeded" },
  { name: "generic-decline", number: "4000000000000002", outcome: "generic_decline" },
  { name: "insufficient-funds", number: "4000000000009995", outcome: "insufficient_funds" },
  { name: "expired-card", number: "4000000000000069", outcome: "expired_card" },
  {
    name: "authentication-required",
    number: "4000002760003184",
    outcome: "authentication_required",
  },
  { name: "processing-error", number: "4000000000000119", outcome: "processing_error" },
  { name: "refund-declined", number: "4000000000005126", outcome: "succeeded", refund: "declined" },
  { name: "refund-slow", number: "4000000000007726", outcome: "succeeded", refund: "slow" },
  { name: "visa-1111", number: "4111111111111111", outcome: "succeeded" },
  { name: "amex", number: "378282246310005", outcome: "succeeded" },
  { name: "discover", number: "6011111111111117", outcome: "succeeded" },
  { name: "diners", number: "30569309025904", outcome: "succeeded" },
  { name: "jcb", number: "3530111333300000", outcome: "succeeded" },
  { name: "unionpay", number: "6200000000000005", outcome: "succeeded" },
] as const satisfies DefinedCard[];
export type TestCard = DefinedCard & {
  brand: CardBrand;
  outcome: (typeof cards)[number]["outcome"];
};

/** The cards of test mode and their outcomes (specification: Test mode). */
export const testCards: readonly TestCard[] = cards.map(addBrand);

function addBrand({ name, number, ...rest }: (typeof cards)[number]): TestCard {
  return { name, number, brand: findBrand(number), ...rest };
}

/**
 * No test card has expired by then, whatever the time of the service: a sandbox is moved on years beyond the clock of
 * the machine that fills in the card.
 */
const expiryYear = 2099;

/** A test card with an expiry that lies ahead and a security code of its brand, or undefined for an unknown name. */
export function fillTestCard(name: string) {
  const card = testCards.find((known) => known.name === name);
  return (
    card && {
      number: card.number,
      exp_month: 12,
      exp_year: expiryYear,
      cvc: card.brand === "amex" ? "1234" : "123",
    }
  );
}
