import { type CardBrand, findBrand, isLuhnValid } from "./card.ts";

export const cardNumberPhrase = "must not hold a card number: it would be stored";
export const searchedCardPhrase = "must not hold a card number: search for its last four digits";

/** The lengths of each brand's card numbers today. */
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
const minDigits = 14;

const invisible = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}\u2800]--[\t\n\v\f\r]]/gv;
/** A UUID, also without its hyphens, or a longer hash. */
const hash = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])/gi;
const maybePhone = /\+\d+(?:[\s\p{Pd}]\d+)*/gu;
/** By E.164. */
const maxPhoneDigits = 15;

/** Not within a longer number, nor behind a decimal point. */
const start = String.raw`(?<!\d|\d\.)`;
/** Between two groups of a number: one space, hyphen or minus sign, perhaps beside letters and commas. */
const gap = String.raw`[\p{L},]*(?:[\s\p{Pd}\u2212][\p{L},]*)?`;
const onePiece = new RegExp(String.raw`${start}\d{${minDigits},19}(?!\d)`, "g");
/** The groups in which cards are printed. It looks ahead alone, so that any group may be the first. */
const printedGroups = new RegExp(
  `${start}(?=${joinGroups(4, 4, 4, 4)}(?:${gap}${joinGroups("1,3")})?|${joinGroups(4, 6, "4,5")})`,
  "gu",
);

function joinGroups(...sizes: (number | string)[]): string {
  return sizes.map((size) => String.raw`(\d{${size}})(?!\d)`).join(gap);
}

/**
 * Whether a text holds a card number: as many digits as a brand issues, with its prefix and a valid
 * check digit, in one piece or in the groups in which cards are printed. Letters, commas and invisible
 * characters do not hide it, nor do the digits of another script. Digits of a UUID, of a valid IBAN, behind a decimal
 * point, or of a phone number that begins with a plus are none.
 */
export function containsCardNumber(text: string): boolean {
  if (!mayHoldDigits(text, minDigits)) return false;
  const normal = text.normalize("NFKC").replace(otherDigit, toAsciiDigit);
  // In its normal form a raised digit is one like the others, and may stand beside a number.
  return holdsIn(normal) || (normal !== text && holdsIn(text));
}

function holdsIn(text: string): boolean {
  const visible = text.replace(invisible, "").replace(hash, "|");
  const withoutIbans = visible.replace(ibanPattern, (found) =>
    hasValidCheckDigits(found) ? "|" : found,
  );
  const plain = withoutIbans.replace(maybePhone, (found) => (isPhone(found) ? "|" : found));
  if ((plain.match(onePiece) ?? []).some(isIssued)) return true;
  return plain.matchAll(printedGroups).some(([, ...groups]) => {
    const number = groups.join("");
    return isIssued(number) || isIssued(number.slice(0, 16)); // the digits that follow may be another number
  });
}

/** No country has phone numbers with the prefix and length of a brand's cards. */
function isPhone(found: string): boolean {
  const groups: string[] = found.match(/\d+/g) ?? [];
  const runs = groups.flatMap((_, from) =>
    groups.slice(from).map((__, more) => groups.slice(from, from + more + 1).join("")),
  );
  return groups.join("").length <= maxPhoneDigits && !runs.some(isIssued);
}

const otherDigit = /[\p{Nd}--[0-9]]/gv;

/** The digits of a script stand in a row, from zero on. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10); // rows of two scripts may touch
}

function isIssued(number: string): boolean {
  return issuedLengths[findBrand(number)].includes(number.length) && isLuhnValid(number);
}

/** Fast, because most texts have too few digits. A character beyond ASCII may stand for two digits. */
function mayHoldDigits(text: string, count: number): boolean {
  let missing = count;
  for (let i = 0; i < text.length && missing > 0; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) missing -= 2;
    else if (code >= 48 && code <= 57) missing -= 1;
  }
  return missing <= 0;
}

/** Whether an address holds a card number, percent-encoded or not: it would be stored, and sent on. */
export function addressHoldsCardNumber(value: string): boolean {
  const decoded = new URLSearchParams(`address=${value.replaceAll("&", "%26")}`).get("address");
  return containsCardNumber(decoded ?? value);
}

/** The length of each country's IBANs, by the registry of ISO 13616. */
const countriesByLength: Record<number, string> = {
  15: "NO",
  16: "BE",
  18: "DK|FI|FK|FO|GL|NL|SD",
  19: "MK|SI",
  20: "AT|BA|EE|KZ|LT|LU|MN|XK",
  21: "CH|HR|LI|LV",
  22: "BG|BH|CR|DE|GB|GE|IE|ME|RS|VA",
  23: "AE|GI|IL|IQ|OM|SO|TL",
  24: "AD|CZ|ES|MD|PK|RO|SA|SE|SK|TN|VG",
  25: "LY|PT|ST",
  26: "IS|TR",
  27: "BI|DJ|FR|GR|IT|MC|MR|SM",
  28: "AL|AZ|BY|CY|DO|GT|HN|HU|LB|NI|PL|SV",
  29: "BR|EG|PS|QA|UA",
  30: "JO|KW|MU|YE",
  31: "MT|SC",
  32: "LC",
  33: "RU",
};

/** An IBAN as it is typed: perhaps in groups, and in either case. */
const ibanPattern = new RegExp(
  `(?=[A-Z]{2}\\d\\d)(?:${Object.entries(countriesByLength)
    .map(([length, countries]) => {
      const remaining = Number(length) - "DE00".length;
      return `(?:${countries})\\d\\d(?:[\\s\\p{Pd}]?[A-Z0-9]){${remaining}}`;
    })
    .join("|")})(?![A-Z0-9])`,
  "giu",
);

/** ISO 7064, MOD 97-10: the first four characters go last, and a letter counts as its number from 10 on. */
function hasValidCheckDigits(iban: string): boolean {
  const characters = iban.replaceAll(/[^A-Z0-9]/gi, "");
  let remainder = 0;
  for (const character of characters.slice(4) + characters.slice(0, 4)) {
    const value = parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
