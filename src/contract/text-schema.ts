import * as z from "zod";
import { holdsCardNumber } from "./card.ts";
import { cardNumberPhrase, isKept, isWithin } from "./text.ts";

/**
 * A string that every store keeps exactly: well-formed Unicode without NUL, its length counted in
 * code points.
 */
export function text(limits: { min?: number; max: number }) {
  const { min = 0, max } = limits;
  const phrase = `must be a string of ${min === 0 ? "at most" : `${min} to`} ${max} characters, without NUL or lone surrogates`;
  return z
    .string({ error: phrase })
    .refine((value) => isKept(value) && isWithin(value, min, max), { error: phrase, abort: true })
    .refine((value) => !holdsCardNumber(value), { error: cardNumberPhrase })
    .meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}
