import * as z from "zod";
import { containsCardNumber } from "./card.ts";
import { deliveryIdPattern, endpointIdPattern, eventIdPattern } from "./event-values.ts";
import { paymentIdPattern } from "./payment-values.ts";
import { cardNumberPhrase, isStorable, isWithin } from "./text.ts";

// What several requests hold; a phrase says what a field must be, whatever is wrong with it.

/**
 * A string that every store keeps exactly: well-formed Unicode without NUL, its length counted in
 * code points.
 */
export function text(limits: { min?: number; max: number }) {
  const { min = 0, max } = limits;
  const phrase = `must be a string of ${min === 0 ? "at most" : `${min} to`} ${max} characters, without NUL or lone surrogates`;
  return z
    .string({ error: phrase })
    .refine((value) => isStorable(value) && isWithin(value, min, max), {
      error: phrase,
      abort: true,
    })
    .refine((value) => !containsCardNumber(value), { error: cardNumberPhrase })
    .meta(min === 0 ? { maxLength: max } : { minLength: min, maxLength: max });
}

/** An integer, both bounds included. */
export function integer(min: number, max: number, phrase: string) {
  return z.int({ error: phrase }).min(min, { error: phrase }).max(max, { error: phrase });
}

export const paymentId = idOf(paymentIdPattern, "a payment, such as pay_0199…");
export const eventId = idOf(eventIdPattern, "an event, such as evt_0199…");
export const deliveryId = idOf(deliveryIdPattern, "a delivery, such as del_0199…");
export const endpointId = idOf(endpointIdPattern, "a webhook endpoint, such as we_0199…");

/** The id of `what`. */
export function idOf(pattern: RegExp, what: string) {
  const phrase = `must be the id of ${what}`;
  return z.string({ error: phrase }).regex(pattern, { error: phrase });
}
