import { writeJson } from "./json.ts";

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
