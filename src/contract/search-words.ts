import type { currencies } from "./money.ts";

// The words of `search`, without zod: a prompt that searches while the user types does not load it.

const quotes = /[’‘ʼ`´]/g;
/** Letters that NFKD does not take apart. A sigma has two small letters, by its place in the word. */
const plainLetters: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ł: "l",
  ı: "i",
  þ: "th",
  ς: "σ",
};
const plainText = /^[\x20-\x5f\x61-\x7e]*$/;

/** Letters without case and accents, and one apostrophe for all: what is compared. */
export function foldText(text: string): string {
  // Nearly all text is plain, and stays as it is but for its case.
  if (plainText.test(text)) return text.toLowerCase();
  return text
    .replaceAll(quotes, "'")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[ßæœøđłıþς]/g, (letter) => plainLetters[letter] ?? letter);
}

const dottedLetters: Record<string, string> = { ä: "ae", ö: "oe", ø: "oe", ü: "ue", å: "aa" };

/** A name as it is written without dots, Mueller for Müller; as it is where it has none of these letters. */
export function writeWithoutDots(name: string): string {
  if (plainText.test(name)) return name;
  return name
    .replaceAll(quotes, "'")
    .normalize("NFKC")
    .replaceAll(/[äöøüå]/gi, (letter) => dottedLetters[letter.toLowerCase()] ?? letter);
}

/** A folded word without the punctuation around it. */
export function trimPunctuation(word: string): string {
  return word.replace(/^\p{P}+/u, "").replace(/\p{P}+$/u, "");
}

/** The parts of a folded word between punctuation. */
export function splitAtPunctuation(word: string): string[] {
  return word.split(/\p{P}+/u).filter((part) => part !== "");
}

/** Signs alone are no word; a picture is. */
export function isWord(word: string): boolean {
  return /[^\p{P}\p{S}]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(word);
}

/** A word of so many characters also finds the names and addresses that begin with it. */
export const minBeginning = 3;

export function isBeginning(word: string): boolean {
  return word.length >= minBeginning && [...word].length >= minBeginning;
}

/** A customer as people say it: the address and the name, which comes first where a search fits it. */
export function formatCustomer(
  { email, name }: { email: string; name: string },
  search = "",
): string {
  if (email === "" || name === "") return email || name;
  return fitsName(name, search) ? `${name} <${email}>` : `${email} (${name})`;
}

/** Whether a typed word is one of a name, or begins it. */
function fitsName(name: string, search: string): boolean {
  const all = splitWords(`${name} ${writeWithoutDots(name)}`);
  const words = [...all, ...all.flatMap(splitAtPunctuation)];
  const typed = splitWords(search).map(trimPunctuation).filter(isWord);
  return typed.some((text) =>
    words.some((word) => word === text || (isBeginning(text) && word.startsWith(text))),
  );
}

function splitWords(text: string): string[] {
  return foldText(text).split(/\s+/u);
}

/** The end of a payment's id, of at least eight characters, in the groups of its UUID; or the whole id. */
const idEnd =
  /(?<!\S)(?:(?:(?:(?:(?:pay_)?[0-9a-f]{8}-|[0-9a-f]{0,7}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)[0-9a-f]{12}(?!\S)/gi;

export const minIdEnd = 8;
const uuidShape = "00000000-0000-0000-0000-000000000000";

/** Whether a text can be the end of a payment's id, in either case. */
export function isIdEnd(text: string): boolean {
  const isLong = text.length >= minIdEnd && text.length <= uuidShape.length;
  return isLong && text.replaceAll(/[0-9a-f]/gi, "0") === uuidShape.slice(-text.length);
}

/** A search without the ends of ids in it, whose digits might look like a card number. */
export function hideIdEnds(search: string): string {
  return search.replaceAll(idEnd, "|");
}

/** The key in `metadata[KEY]`, the name of a parameter; undefined where it is another one. */
export function metadataKeyOf(parameter: string): string | undefined {
  return /^metadata\[(.+)\]$/s.exec(parameter)?.[1];
}

// The words that a person types to find payments, without zod: a prompt that searches while the user types does not load it.

export const maxSearchLength = 200;
export const maxSearchWords = 8;
/** Of a word with more parts only the whole is looked for. */
const maxParts = 8;

/** For people who found nothing. */
export const howWordsMatch =
  "Every word has to be found, in any case and without accents: as a whole word, or as the first 3 letters or more of a name or an email address.";

/** An amount, as one reading of a typed text; with a sign in front or behind it is of that currency. */
export type TypedAmount = { minor: number; currency: Currency | undefined };
type Currency = (typeof currencies)[number];

/** A folded word, and each of its parts where punctuation stands in it. */
export type TypedWord = {
  word: string;
  parts: { word: string; amounts: TypedAmount[] }[];
};

/** The words of a search, and those of them that may be an amount instead: the ones from `from` up to `to`. */
export type TypedSearch = {
  words: TypedWord[];
  amounts: (TypedAmount & { from: number; to: number })[];
  /** How many words these are, where an amount with spaces is one and its currency's sign is none. */
  count: number;
};

/** Reads a search; undefined where a word of it is empty once it is folded, and where it has none but signs. */
export function readSearch(search: string): TypedSearch | undefined {
  const all = splitTyped(search);
  const places = all && findAmounts(all);
  // The sign of a currency stands for itself where no amount is beside it.
  const isKept = (at: number) =>
    !isCurrencySign(all?.[at]?.word ?? "") ||
    places?.some(({ from, to }) => from <= at && at < to) === true;
  const kept = all?.flatMap((_, at) => (isKept(at) ? [at] : [])) ?? [];
  if (!all || !places || kept.length === 0) return undefined;
  const words = kept.map((at) => toTypedWord(all[at]?.word ?? ""));
  const amounts = places.map(({ minor, currency, from, to }) => ({
    minor,
    currency,
    from: kept.indexOf(from),
    to: kept.indexOf(to - 1) + 1,
  }));
  return { words, amounts, count: countWords(words, amounts) };
}

/** Reads a search as the API takes it; undefined where it cannot be searched, or has too many words. */
export function parseSearch(search: string): TypedSearch | undefined {
  const read = readSearch(search);
  return read && read.count <= maxSearchWords ? read : undefined;
}

/** A word as it was typed, but folded, the same without punctuation around it, and what stands before it. */
type Typed = { raw: string; word: string; gap: string };

const [space, narrowSpace, otherSpace, otherSigns] = [" ", "\u202F", "\n", "\0"];
const gaps: Record<string, string> = {
  " ": space,
  "\u00A0": space,
  "\u202F": narrowSpace,
  "\u2009": narrowSpace,
};

/** The words of a search, and signs of currencies; other signs that stand alone are left out. */
function splitTyped(search: string): Typed[] | undefined {
  const typed: Typed[] = [];
  let gap = otherSpace;
  for (const [at, piece] of search.split(/(\s+)/u).entries()) {
    if (piece === "") continue;
    if (at % 2 === 1) {
      if (gap !== otherSigns) gap = gaps[piece] ?? otherSpace;
      continue;
    }
    const folded = foldText(piece)
      .split(/\s+/u)
      .filter((part) => part !== "");
    if (folded.length === 0 && !/^[\p{P}\p{S}]+$/u.test(piece)) return undefined;
    if (folded.length === 0) gap = otherSigns;
    for (const raw of folded) {
      const word = trimPunctuation(raw);
      if (isWord(word) || isCurrencySign(word)) {
        typed.push({ raw, word, gap });
        gap = otherSpace;
      } else gap = otherSigns;
    }
  }
  return typed;
}

function toTypedWord(word: string): TypedWord {
  const parts = splitAtPunctuation(word).filter(isWord);
  const isLookedFor = parts.length <= maxParts && parts[0] !== word;
  return {
    word,
    parts: isLookedFor ? parts.map((part) => ({ word: part, amounts: readAmounts(part) })) : [],
  };
}

/** Five groups of three have more digits than any amount; a sign may stand beside them. */
const maxAmountWords = 7;

/** Every word, or several that follow each other, that may be an amount. */
function findAmounts(all: Typed[]): TypedSearch["amounts"] {
  const amounts: TypedSearch["amounts"] = [];
  for (const [from, { raw }] of all.entries()) {
    let text = raw;
    for (let to = from + 1; ; to++) {
      for (const amount of readAmounts(trimPunctuation(text)))
        amounts.push({ ...amount, from, to });
      const next = all[to];
      if (!next || to - from === maxAmountWords) break;
      text += next.gap + next.raw;
    }
  }
  return amounts;
}

const signs: Record<string, Currency> = { "€": "eur", $: "usd", "£": "gbp" };

/** A sign that may stand beside an amount. */
export function isCurrencySign(word: string): boolean {
  return Object.hasOwn(signs, word);
}

/** Digits, perhaps in groups of three, perhaps with two decimals, perhaps with a currency's sign beside them. */
const amountPattern =
  /^(?<before>[€$£])?[ \u202F\n]?(?<units>0|[1-9]\d*|[1-9]\d{0,2}(?:(?<group>[,.' \u202F])\d{3})(?:\k<group>\d{3})*)(?:(?<point>[,.])(?<cents>\d\d))?[ \u202F\n]?(?<after>[€$£])?$/;

/** The amounts that a text may be: without decimals, groups and sign both major and minor units. */
function readAmounts(text: string): TypedAmount[] {
  const found = amountPattern.exec(text)?.groups ?? {};
  const { units = "", cents, group, point, before, after } = found;
  if (units === "" || (before && after) || (point !== undefined && point === group)) return [];
  const digits = units.replaceAll(/\D/g, "");
  const currency = signs[before ?? after ?? ""];
  const isPlain = cents === undefined && group === undefined && currency === undefined;
  return [digits + (cents ?? "00"), ...(isPlain ? [digits] : [])]
    .map((minor) => ({ minor: Number(minor), currency }))
    .filter(({ minor }) => minor > 0 && Number.isSafeInteger(minor));
}

/** The fewest words that a search can be read as. */
function countWords(words: TypedWord[], amounts: TypedSearch["amounts"]): number {
  const counts = [0];
  for (let at = words.length - 1; at >= 0; at--) {
    const asWord = (counts[0] ?? 0) + (isCurrencySign(words[at]?.word ?? "") ? 0 : 1);
    const asAmounts = amounts
      .filter(({ from }) => from === at)
      .map(({ from, to }) => 1 + (counts[to - from - 1] ?? 0));
    counts.unshift(Math.min(asWord, ...asAmounts));
  }
  return counts[0] ?? 0;
}
