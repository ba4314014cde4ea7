import { writeJson } from "./json.ts";

/** Whether every store returns a string unchanged. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Whether a string has from `min` to `max` code points. */
export function isWithin(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > 2 * max) return false;
  if (value.length <= max && min <= 1) return true;
  const count = [...value].length;
  return count >= min && count <= max;
}

/** A word of a command line, in quotes where a shell would take it apart. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Makes text from an API harmless for a terminal: control characters (escape sequences begin with one),
 * line breaks, and characters that change the direction of writing become visible marks.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd");
}

/** As `escapeControls`, for a text of several lines. */
export function escapeLines(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => escapeControls(line.replaceAll("\t", "  ")));
}

/**
 * Writes an API object as JSON: on one line in a pipe, indented in a terminal. It escapes the characters that
 * JSON allows unescaped but a terminal would obey: control characters, and those that change the direction of
 * writing.
 */
export function toSafeJson(value: unknown, options: { indented: boolean }): string {
  return writeJson(value, options.indented ? 2 : undefined).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    escapeInJson,
  );
}

/** Writes a character as an escape in a JSON string. */
export function escapeInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * The names that a mistyped one may stand for, the nearest first: at most one letter in three differs, in any case. The
 * caller limits the length: the time grows with its square.
 */
export function findNearNames(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, edits: countEdits(typed.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= name.length / 3)
    .toSorted((one, other) => one.edits - other.edits)
    .map(({ name }) => name);
}

/** How many letters have to be put in, left out or replaced to make one word of another (Levenshtein). */
export function countEdits(one: string, other: string): number {
  let counts = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [at, expected] of [...other].entries()) {
      const replaced = (counts[at] ?? 0) + (letter === expected ? 0 : 1);
      next.push(Math.min(replaced, (counts[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    counts = next;
  }
  return counts.at(-1) ?? 0;
}
