// The words of `search`, without zod: a prompt that searches while the user types does not load it.

export const maxSearchLength = 200;
export const maxSearchWords = 8;

/** Letters without case and accents: what is compared. */
export function foldText(text: string): string {
  // Nearly all text is plain, and stays as it is but for its case.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  // A sigma has two small letters, by its place in the word.
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ς", "σ");
}

/** A folded word without the punctuation around it. */
export function trimPunctuation(word: string): string {
  return word.replace(/^\p{P}+/u, "").replace(/\p{P}+$/u, "");
}

/**
 * The words of a search as they are compared; undefined where one of them cannot be searched, because it consists of
 * signs alone, and where there are none or too many.
 */
export function splitSearch(search: string): string[] | undefined {
  const typed = search.split(/\s+/u).filter((word) => word !== "");
  const words = typed.flatMap((word) => {
    const folded = foldText(word).split(/\s+/u).map(trimPunctuation);
    return folded.some(isWord) ? folded.filter((part) => part !== "") : [""];
  });
  const canBeSearched = words.length > 0 && words.length <= maxSearchWords && words.every(isWord);
  return canBeSearched ? words : undefined;
}

/** Signs alone are no word; a picture is. */
function isWord(word: string): boolean {
  return /[^\p{P}\p{S}]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(word);
}

/** The end of a payment's id, of at least eight characters, in the groups of its UUID; or the whole id. */
const idEnd =
  /(?<!\S)(?:(?:(?:(?:(?:pay_)?[0-9a-f]{8}-|[0-9a-f]{0,7}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)?[0-9a-f]{4}-|[0-9a-f]{0,3}-)[0-9a-f]{12}(?!\S)/gi;

/** A search without the ends of ids in it, whose digits might look like a card number. */
export function hideIdEnds(search: string): string {
  return search.replaceAll(idEnd, "|");
}

/** The key in `metadata[KEY]`, the name of a parameter; undefined where it is another one. */
export function metadataKeyOf(parameter: string): string | undefined {
  return /^metadata\[(.+)\]$/s.exec(parameter)?.[1];
}
