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
