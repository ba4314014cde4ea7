// What a card number and an expiry say of themselves, to whoever reads them: the service, the command
// and the payment page, which runs some of these functions as they stand: they refer to nothing outside.

import { replaceIbans } from "./iban.ts";

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
export function findBrand(number: string): CardBrand {
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

/** How many digits the cards have that each brand issues today; of any other prefix nothing is known. */
const issuedLengths: Record<CardBrand, readonly number[]> = {
  visa: [16],
  mastercard: [16],
  amex: [15],
  discover: [16],
  diners: [14, 16],
  jcb: [16],
  unionpay: [16, 17, 18, 19],
  maestro: [16, 17, 18, 19],
  unknown: [],
};
const shortest = 14;

const invisible = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}\u2800]--[\t\n\v\f\r]]/gv;
/** A UUID, also without its hyphens, or a longer hash. */
const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])/gi;
const phone = /\+\d+(?:[\s\p{Pd}]\d+)*/gu;
/** The longest phone number (E.164). */
const maxPhoneDigits = 15;

/** Not within a longer number, nor behind a decimal point. */
const start = String.raw`(?<!\d|\d\.)`;
/** What parts two groups of a number: one space or hyphen, perhaps beside letters and commas. */
const gap = String.raw`[\p{L},]*(?:[\s\p{Pd}][\p{L},]*)?`;
const onePiece = new RegExp(String.raw`${start}\d{${shortest},19}(?!\d)`, "g");
/** The groups in which cards are printed. It looks ahead alone, so that any group may be the first. */
const printedGroups = new RegExp(
  `${start}(?=${joinGroups(4, 4, 4, 4)}(?:${gap}${joinGroups("1,3")})?|${joinGroups(4, 6, "4,5")})`,
  "gu",
);

function joinGroups(...sizes: (number | string)[]): string {
  return sizes.map((size) => String.raw`(\d{${size}})(?!\d)`).join(gap);
}

/**
 * Whether a text holds what is a card number: as many digits as a brand issues, with its prefix and a valid
 * check digit, in one piece or in the groups in which cards are printed. Letters, commas and characters that
 * nobody sees do not hide it. What a UUID or a valid IBAN holds is none, nor what stands behind a decimal
 * point, nor a phone number that begins with a plus.
 */
export function containsCardNumber(text: string): boolean {
  if (!mayHoldDigits(text, shortest)) return false;
  const visible = text.normalize("NFKC").replace(invisible, "").replace(uuid, "|");
  const plain = replaceIbans(visible, "|").replace(phone, (found) =>
    found.replaceAll(/\D/g, "").length > maxPhoneDigits ? found : "|",
  );
  if ((plain.match(onePiece) ?? []).some(isIssued)) return true;
  return plain.matchAll(printedGroups).some(([, ...groups]) => {
    const number = groups.join("");
    return isIssued(number) || isIssued(number.slice(0, 16)); // what follows may belong to something else
  });
}

function isIssued(number: string): boolean {
  return issuedLengths[findBrand(number)].includes(number.length) && isLuhnValid(number);
}

/** Most texts hold too few digits, which this finds out fast. Beyond ASCII a character may be two of them. */
function mayHoldDigits(text: string, count: number): boolean {
  let missing = count;
  for (let i = 0; i < text.length && missing > 0; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) missing -= 2;
    else if (code >= 48 && code <= 57) missing -= 1;
  }
  return missing <= 0;
}
