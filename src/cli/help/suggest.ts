import { distance } from "fastest-levenshtein";
import { openValues } from "./describe.ts";

const maxSuggestions = 3;
/** A longer word is compared with nothing: no command, flag or value is as long. */
const maxLength = 40;

/** Finds the known words nearest to a mistyped one, the nearest first, at most three. */
export function findNearest(typed: string, known: readonly string[]): string[] {
  return [...new Set(known)]
    .flatMap((word) => {
      const far = measureDistance(typed, word);
      return far === undefined ? [] : [{ word, far }];
    })
    .toSorted((a, b) => a.far - b.far)
    .filter(({ far }, _, [first]) => far <= (first?.far ?? 0) + 1)
    .slice(0, maxSuggestions)
    .map(({ word }) => word);
}

/**
 * Finds the known names that end with the same word as the typed one (`customer-email` and `email`, `retries`
 * and `max-retries`), those with the fewest other words.
 */
export function findNearestByLastWord(typed: string, known: readonly string[]): string[] {
  if (typed.length > maxLength) return [];
  const words = splitWords(typed);
  return known
    .filter((name) => splitWords(name).at(-1) === words.at(-1))
    .map((name) => ({ name, others: countUnshared(words, splitWords(name)) }))
    .toSorted((a, b) => a.others - b.others)
    .filter(({ others }, _, [first]) => others === first?.others)
    .slice(0, maxSuggestions)
    .map(({ name }) => name);
}

function splitWords(name: string): string[] {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function countUnshared(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((word) => other.includes(word)).length;
  return one.length + other.length - 2 * shared;
}

/**
 * Counts the slips between two words; undefined if there is more than one in three letters. Two swapped
 * letters count as one slip, an unfinished word as one, another ending (`success` for `succeeded`) as two.
 */
export function measureDistance(typed: string, known: string): number | undefined {
  if (typed.length < 2 || typed.length > maxLength) return undefined;
  const word = typed.toLowerCase();
  if (word === known) return 0;
  if (known.startsWith(word) || isSwapped(word, known)) return 1;
  const far = distance(word, known);
  if (far <= Math.max(word.length, known.length) / 3) return far;
  return hasSameStart(word, known) ? 2 : undefined;
}

function hasSameStart(word: string, known: string): boolean {
  return word.length > 5 && known.startsWith(word.slice(0, Math.ceil((word.length * 2) / 3)));
}

function isSwapped(word: string, known: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== known[index]);
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ""}${word[at] ?? ""}${word.slice(at + 2)}`;
  return swapped === known;
}

/** `Did you mean a, b or c?`, or undefined where nothing is near. */
export function suggest(near: readonly string[]): string | undefined {
  return near.length === 0 ? undefined : `Did you mean ${joinWithOr(near)}?`;
}

/** `a`, `a or b`, `a, b or c`. */
export function joinWithOr(words: readonly string[]): string {
  return joinWords(words, "or");
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(words: readonly string[]): string {
  return joinWords(words, "and");
}

function joinWords(words: readonly string[], last: string): string {
  return [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(` ${last} `);
}

/**
 * Suggests a value for one that the parser accepted, but the flag's own rule (`--expect must be …`) or the
 * API (param `currency`) refused.
 */
export function suggestValue(
  { message, param }: { message: string; param: string | null },
  argv: readonly string[],
): string | null {
  const [name, values] =
    Object.entries(openValues).find(
      ([flag]) => param === flag || message.startsWith(`--${flag} must `),
    ) ?? [];
  if (name === undefined || values === undefined) return null;
  const wrong = listTypedValues(name, argv).filter((typed) => !values.includes(typed));
  const meant = new Set(wrong.flatMap((typed) => findNearest(typed, values)));
  return suggest([...meant].map((value) => `--${name} ${value}`)) ?? null;
}

/** Lists the values typed for a flag, which the user may repeat, and which may hold several with commas. */
function listTypedValues(name: string, argv: readonly string[]): string[] {
  return argv
    .flatMap((word, at) => {
      if (word === `--${name}`) return argv[at + 1] ?? "";
      return word.startsWith(`--${name}=`) ? word.slice(`--${name}=`.length) : [];
    })
    .flatMap((value) => value.split(",").map((each) => each.trim()));
}
