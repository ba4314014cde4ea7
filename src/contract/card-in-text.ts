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
const maxDigits = 19;

/**
 * Whether a text holds a card number: as many digits as a brand issues, with its prefix and a valid check digit, in
 * one piece, in two halves of eight, or in the groups in which cards are printed, parted by one to three characters.
 * Letters, commas and invisible characters do not hide it, nor do the digits of another script, nor the encoding of a
 * URL. Digits of a UUID, of a valid IBAN, or in one piece behind a decimal point are none.
 */
export function containsCardNumber(text: string): boolean {
  if (!mayHoldCardNumber(text)) return false;
  return listDecoded(text).some((decoded) =>
    readText(decoded).some((reading) => !findNumbers(reading.text).next().done),
  );
}

/** Whether the digits of a number are a card number's. */
export function isCardNumber(value: number): boolean {
  return Math.abs(value) >= 10 ** (minDigits - 1) && containsCardNumber(String(value));
}

/** The digits of each card number in a text. */
export function findCardNumbers(text: string): string[] {
  if (!mayHoldCardNumber(text)) return [];
  const readings = listDecoded(text).flatMap(readText);
  return readings.flatMap((reading) =>
    [...findNumbers(reading.text)].map((span) => reading.text.slice(...span).replaceAll(/\D/g, "")),
  );
}

/** A text with "…" for each card number in it; or for the whole text, where a part would leave one. */
export function maskCardNumbers(text: string): string {
  if (!mayHoldCardNumber(text)) return text;
  const spans = readText(text).flatMap((reading) =>
    [...findNumbers(reading.text)].map((span) => toOriginal(text, reading, span)),
  );
  let masked = "";
  let end = 0;
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    if (from >= end) masked += `${text.slice(end, from)}…`;
    end = Math.max(end, to);
  }
  masked += text.slice(end);
  // The digits around a number may be groups of another one, and a number may be encoded.
  return containsCardNumber(masked) ? "…" : masked;
}

const maxDecodings = 3;

/** A text, and what it is without the percent-encoding of a URL, however often it was encoded. */
export function listDecoded(text: string): string[] {
  const found = [text];
  for (let i = 0; i < maxDecodings && found.at(-1)!.includes("%"); i++) {
    found.push(found.at(-1)!.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeOctets));
  }
  return found;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Octets that are no UTF-8, such as a Latin-1 letter's, become U+FFFD, and hide none of those beside them. */
function decodeOctets(encoded: string): string {
  const octets = encoded.slice(1).split("%");
  return utf8.decode(Uint8Array.from(octets, (octet) => parseInt(octet, 16)));
}

/** A character beyond ASCII that is one to three digits in its normal form. */
const otherNumber = /[[\p{N}\u32c0-\u33ff]--[0-9]]/v;
/** Below it there is no such character but ² ³ ¹ ¼ ½ ¾. */
const firstOtherDigit = 0x660;

/** Whether a text has enough digits. Fast, because most have not. */
function mayHoldCardNumber(text: string): boolean {
  let digits = 0;
  let others = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 57) {
      if (code >= 48 && ++digits === minDigits) return true;
    } else if (code > 0xb1 && (code < 0xbf || code >= firstOtherDigit)) {
      others++;
    }
  }
  return others > 0 && digits + 3 * others >= minDigits && otherNumber.test(text);
}

/** A text in which every digit is one of ASCII's and nothing is invisible, and where its units stand in the original. */
type Reading = { text: string; starts?: number[] };

const invisible = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}\u2800]--[\t\n\v\f\r]]/v;

/** A raised or circled number is read as digits, and as none: it may also stand beside a number, as a footnote does. */
function readText(text: string): Reading[] {
  if (!/[^\t\n\v\f\r\x20-\x7e]/.test(text)) return [{ text }];
  const reading = readCharacters(text, toDigits);
  return otherNumber.test(text) ? [reading, readCharacters(text, () => "x")] : [reading];
}

/** `readNumber`: how a number beyond ASCII is read. */
function readCharacters(text: string, readNumber: (char: string) => string): Reading {
  let visible = "";
  const starts: number[] = [];
  let at = 0;
  for (const char of text) {
    const isAscii = char <= "\x7e";
    if (isAscii ? char >= " " || isSpace(char) : !invisible.test(char)) {
      const added = isAscii ? char : otherNumber.test(char) ? readNumber(char) : toNormal(char);
      visible += added;
      for (let i = 0; i < added.length; i++) starts.push(at);
    }
    at += char.length;
  }
  return { text: visible, starts };
}

function isSpace(char: string): boolean {
  return char >= "\t" && char <= "\r";
}

/** A full stop of another width is one. What is longer in its normal form counts as the one character that it is. */
function toNormal(char: string): string {
  const normal = char.normalize("NFKC");
  return normal.length === 1 ? normal : char;
}

const otherDigit = /[\p{Nd}--[0-9]]/gv;
const digitsByNumber = new Map<string, string>();

/** The digits of a number in another script or form. */
function toDigits(number: string): string {
  const known = digitsByNumber.get(number);
  if (known !== undefined) return known;
  const digits = number.normalize("NFKC").replace(otherDigit, toAsciiDigit);
  digitsByNumber.set(number, digits);
  return digits;
}

/** The digits of a script stand in a row, from zero on. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value % 10); // rows of two scripts may touch
}

/** From and to, as `slice` takes them. */
type Span = readonly [from: number, to: number];

function toOriginal(text: string, { starts }: Reading, [from, to]: Span): Span {
  if (!starts) return [from, to];
  const last = starts[to - 1] ?? 0;
  return [starts[from] ?? 0, last + String.fromCodePoint(text.codePointAt(last) ?? 0).length];
}

/** The sizes of a number's groups: those in which cards are printed, and halves. */
const groupings = [
  [4, 4, 4, 4],
  [4, 6, 4],
  [4, 6, 5],
  [8, 8],
] as const;
const maxMoreDigits = 3;

/** Finds where the card numbers stand in a reading. The time grows with the text's length. */
function* findNumbers(text: string): Generator<Span> {
  const runs = findDigits(text);
  let others: Span[] | undefined;
  for (let at = 0; at < runs.length; at++) {
    const found = findNumber(text, runs, at);
    if (!found) continue;
    const [from, to] = found;
    others ??= findOtherNumbers(text);
    if (!others.some(([start, end]) => start < to && from < end)) yield found;
  }
}

function findDigits(text: string): Span[] {
  const runs: Span[] = [];
  let from = -1;
  for (let i = 0; i <= text.length; i++) {
    if (isDigit(text.charCodeAt(i))) {
      if (from === -1) from = i;
    } else if (from !== -1) {
      runs.push([from, i]);
      from = -1;
    }
  }
  return runs;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The number that a run of digits is, or of which it is the first group. */
function findNumber(text: string, runs: readonly Span[], at: number): Span | undefined {
  const size = sizeOf(runs[at]);
  if (size >= minDigits && size <= maxDigits) {
    const [from, to] = runs[at]!;
    const isFraction = text[from - 1] === "." && isDigit(text.charCodeAt(from - 2));
    return !isFraction && isIssued(text.slice(from, to)) ? [from, to] : undefined;
  }
  if (size !== 4 && size !== 8) return undefined;
  const groups = groupings.find((sizes) => sizes.every((each, i) => sizeOf(runs[at + i]) === each));
  if (!groups) return undefined;
  // The digits that follow may belong to it, or be another number.
  const hasMore = groups.length === 4 && sizeOf(runs[at + 4]) <= maxMoreDigits;
  return (
    (hasMore ? joinGroups(text, runs.slice(at, at + 5)) : undefined) ??
    joinGroups(text, runs.slice(at, at + groups.length))
  );
}

function sizeOf(run: Span | undefined): number {
  return run ? run[1] - run[0] : Infinity;
}

/** One to three characters that are no letters, perhaps beside letters and commas; or these alone. */
const gap = /^[\p{L},]*(?:[^\p{L},][\p{L},]*){0,3}$/u;

/** Finds where a number stands of which some runs of digits are the groups; undefined where they are none. */
function joinGroups(text: string, groups: readonly Span[]): Span | undefined {
  if (!isIssued(groups.map(([from, to]) => text.slice(from, to)).join(""))) return undefined;
  const gaps = groups.slice(1).map(([from], at) => text.slice(groups[at]![1], from));
  if (!gaps.every((between) => gap.test(between))) return undefined;
  // Two short EANs with a comma between, each with its own check digit, are no halves of a number.
  const isList = groups.length === 2 && gaps[0]!.includes(",");
  if (isList && groups.every(([from, to]) => isEan(text.slice(from, to)))) return undefined;
  return [groups[0]![0], groups.at(-1)![1]];
}

function isIssued(number: string): boolean {
  return isLuhnValid(number) && issuedLengths[findBrand(number)].includes(number.length);
}

function isEan(digits: string): boolean {
  const sum = [...digits].reduce((all, digit, at) => all + Number(digit) * (at % 2 ? 1 : 3), 0);
  return sum % 10 === 0;
}

/** A UUID, also without its hyphens, or a longer hash. */
const hash = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])/gi;

/** Finds where UUIDs, hashes and valid IBANs stand: their digits may look like a card number. */
function findOtherNumbers(text: string): Span[] {
  const ibans = text.matchAll(getIbanPattern()).filter(([iban]) => hasValidCheckDigits(iban));
  return [...text.matchAll(hash), ...ibans].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
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

let ibanPattern: RegExp | undefined;

/**
 * The pattern of an IBAN as it is typed: perhaps in groups, parted as a card number's may be, and in either case. Made
 * when a text first needs it, since that takes 3 ms: every command loads this file, and few meet such a text.
 */
function getIbanPattern(): RegExp {
  ibanPattern ??= new RegExp(
    `(?=[A-Z]{2}\\d\\d)(?:${Object.entries(countriesByLength)
      .map(([length, countries]) => {
        const remaining = Number(length) - "DE00".length;
        return `(?:${countries})\\d\\d(?:[^\\p{L}\\p{N}]{0,3}[A-Z0-9]){${remaining}}`;
      })
      .join("|")})(?![A-Z0-9])`,
    "giu",
  );
  return ibanPattern;
}

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
