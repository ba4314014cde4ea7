// What a card number and an expiry say of themselves, to whoever reads them: the service, the command
// and the payment page, which runs some of these functions as they stand: they refer to nothing outside.

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

/** The country of a card whose network tells of none: what CLDR reads as an unknown region. */
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

/**
 * Issuer ranges: the first digits of a number, from and to, both included. The first row that fits
 * wins, so narrower ranges stand above wider ones.
 */
const ranges: [from: string, to: string, brand: CardBrand][] = [
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

/** The brand that a card number's prefix tells. */
export function brandOf(number: string): CardBrand {
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
export function typedExpiry(typed: string, nowMs: number): Expiry | undefined {
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

/** How many digits the cards of each brand have; of any other prefix nothing is known. */
const lengths: Record<CardBrand, readonly number[]> = {
  visa: [13, 16, 19],
  mastercard: [16],
  amex: [15],
  discover: [16, 17, 18, 19],
  diners: [14, 15, 16, 17, 18, 19],
  jcb: [16, 17, 18, 19],
  unionpay: [16, 17, 18, 19],
  maestro: [13, 14, 15, 16, 17, 18, 19],
  unknown: [],
};

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
/** Digits, also in groups, of which neither end belongs to a longer word; perhaps with a plus before. */
const digitGroups = /(?<![\p{L}\p{N}])\+?\d+(?:[\s._/\p{Pd}]{1,2}\d+)*(?![\p{L}\p{N}])/gu;
/** The longest phone number (E.164). */
const mostPhoneDigits = 15;

/**
 * Whether a text holds what is a card number: 13 to 19 digits, also in groups, with a known brand's
 * prefix and length and a valid check digit. What a UUID holds is none, nor is a phone number that
 * begins with a plus.
 */
export function holdsCardNumber(text: string): boolean {
  if (text.length < 13) return false;
  const plain = text.normalize("NFKC").replaceAll(uuid, " ");
  return (plain.match(digitGroups) ?? []).some((found) => {
    const groups = found.split(/\D+/).filter((group) => group !== "");
    const isPhone = found.startsWith("+") && groups.join("").length <= mostPhoneDigits;
    return !isPhone && groups.some((_, from) => beginsCardNumber(groups.slice(from, from + 19)));
  });
}

/** Whether some of the groups, the first among them, are a card number together. */
function beginsCardNumber(groups: readonly string[]): boolean {
  let number = "";
  return groups.some((group) => {
    number += group;
    return lengths[brandOf(number)].includes(number.length) && isLuhnValid(number);
  });
}
