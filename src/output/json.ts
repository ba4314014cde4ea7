/**
 * An API object as JSON, exactly: on one line in a pipe, indented in a terminal. Control characters
 * that JSON allows unescaped are escaped, so that none reaches a terminal.
 */
export function json(value: unknown, options: { indented: boolean }): string {
  return JSON.stringify(value, null, options.indented ? 2 : undefined).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
