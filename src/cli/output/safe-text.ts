/**
 * Text from an API made harmless for a terminal: control characters (escape sequences begin with
 * one), line breaks, and characters that turn the direction of writing become visible marks.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, "\ufffd");
}

/**
 * An API object as JSON, exactly: on one line in a pipe, indented in a terminal. What JSON allows
 * unescaped and a terminal would act on is escaped: control characters, and those that turn the
 * direction of writing as above.
 */
export function toSafeJson(value: unknown, options: { indented: boolean }): string {
  return JSON.stringify(value, null, options.indented ? 2 : undefined).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    escapeInJson,
  );
}

/** A character as a JSON string may write it: the same string, in other letters. */
export function escapeInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
