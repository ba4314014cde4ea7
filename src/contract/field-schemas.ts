import * as z from "zod";
import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber, isCardNumber } from "./card-in-text.ts";
import {
  deliveryIdPattern,
  endpointIdPattern,
  eventIdPattern,
  paymentIdPattern,
} from "./field-values.ts";

// Fields of several requests. A phrase says what a field must be; it is the message for every mistake in it.

/**
 * A string that every store returns unchanged: well-formed Unicode without NUL, its length counted in
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

const emailPhrase = "must be an e-mail address of at most 254 characters, such as ada@example.com";
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export function emailAddress() {
  return (
    z
      .string({ error: emailPhrase })
      // The length comes first: the expression's time grows with its square.
      .refine((value) => isStorable(value) && isWithin(value, 3, 254) && emailPattern.test(value), {
        error: emailPhrase,
        abort: true,
      })
      .refine((value) => !containsCardNumber(value), { error: cardNumberPhrase })
      .meta({ format: "email", pattern: emailPattern.source, maxLength: 254 })
  );
}

/** An integer of a response that stays below 2^31, for generators of clients: a count, a status, milliseconds. */
export const smallInteger = () => z.int().meta({ format: "int32" });

/** An integer, both bounds included. It would be stored, or shown again: none is a card number. */
export function integer(min: number, max: number, phrase: string) {
  return z
    .int({ error: phrase })
    .min(min, { error: phrase, abort: true })
    .max(max, { error: phrase, abort: true })
    .refine((value) => !isCardNumber(value), { error: "must not be a card number" });
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

export const maxAddressLength = 2_000;

/**
 * An http or https address without user name and password, in its normal form, which is ASCII without spaces or line
 * breaks: a Location header never has the text as it was typed.
 */
export function webAddress(phrase: string) {
  return z
    .string({ error: phrase })
    .refine(isWebAddress, { error: phrase, abort: true })
    .refine((value) => ![value, new URL(value).href].some(containsCardNumber), {
      error: cardNumberPhrase,
    })
    .meta({ format: "uri", pattern: addressPattern, maxLength: maxAddressLength })
    .transform((value) => new URL(value).href);
}

/** For the API's description: what `isWebAddress` asks for, but for what a URL may hold. */
const addressPattern = String.raw`^[hH][tT][tT][pP][sS]?://[^/\\@?#\s]+([/?#][^\\\s]*)?$`;

function isWebAddress(value: string): boolean {
  if (!isWithin(value, 1, maxAddressLength) || !isStorable(value)) return false;
  // A host must follow the two slashes: a browser would read a backslash there as a slash.
  const hasHost = /^https?:\/\/[^/\\@?#]+(?:[/?#]|$)/i.test(value);
  if (!hasHost || /[\s\p{Cc}\\]/u.test(value) || !URL.canParse(value)) return false;
  const { username, password, href } = new URL(value);
  return !username && !password && href.length <= maxAddressLength;
}
