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
