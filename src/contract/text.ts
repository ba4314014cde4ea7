import { z } from "zod";

/**
 * A string that every store keeps exactly: well-formed Unicode without NUL, its length counted in
 * code points.
 */
export function text(limits: { min?: number; max: number }) {
  const { min = 0, max } = limits;
  const phrase = `must be a string of ${min === 0 ? "at most" : `${min} to`} ${max} characters, without NUL or lone surrogates`;
  return z
    .string({ error: phrase })
    .refine((value) => isKept(value) && isWithin(value, min, max), { error: phrase })
    .meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}

/** Whether a string comes back from every store as it was given. */
export function isKept(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Whether a string has from `min` to `max` code points. */
export function isWithin(value: string, min: number, max: number): boolean {
  if (value.length < min || value.length > 2 * max) return false;
  if (value.length <= max && min <= 1) return true;
  const count = [...value].length;
  return count >= min && count <= max;
}

/** The value that `json` stands for, or undefined where it is not JSON. */
export function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
