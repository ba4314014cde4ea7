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
