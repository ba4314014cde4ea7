import * as z from "zod";
import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber, isCardNumber } from "./card-in-text.ts";
import {
  deliveryIdPattern,
  endpointIdPattern,
  eventIdPattern,
  maxPageSize,
  paymentIdPattern,
  type Several,
  writeSeveralPattern,
} from "./field-values.ts";

/** A query parameter that holds an integer; a query carries it as text. */
function integerText(min: number, max: number, phrase: string) {
  return z
    .string({ error: phrase })
    .regex(/^(?:0|[1-9][0-9]{0,15})$/, { error: phrase })
    .transform(Number)
    .pipe(integer(min, max, phrase));
}

const timestamp = () =>
  integerText(
    0,
    Number.MAX_SAFE_INTEGER,
    "must be a Unix timestamp in seconds, such as 1767225600",
  );

/** A page of what is listed, newest first (specification: List object). */
export function listOf<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal("list"),
      url: z.string(),
      data: z.array(item).meta({ maxItems: maxPageSize }),
      has_more: z.boolean(),
    })
    .meta({ id });
}

/** A page of `Item`s, newest first. */
export type List<Item> = ListPart<Item> & { url: string };

/** A page of a list that is at no address. */
export type ListPart<Item> = { object: "list"; data: Item[]; has_more: boolean };

/** The query of every list: cursors are ids, and `filters` are the list's own parameters. */
export function listQuery<Filters extends z.ZodRawShape>(id: z.ZodString, filters: Filters) {
  return useOneCursor(z.strictObject({ ...cursors(id), ...filters }));
}

export function cursors(id: z.ZodString) {
  return {
    limit: integerText(1, maxPageSize, `must be an integer from 1 to ${maxPageSize}`).optional(),
    starting_after: id.optional(),
    ending_before: id.optional(),
  };
}

type Cursors = { starting_after?: unknown; ending_before?: unknown };

export function useOneCursor<Query extends z.ZodObject>(query: Query) {
  return query.refine(
    ({ starting_after: after, ending_before: before }: Cursors) => !(after && before),
    {
      path: ["ending_before"],
      error: "must not be used together with starting_after: send one of them",
    },
  );
}

/** Narrows a list by time of creation. */
export const createdRange = {
  "created[gte]": timestamp().optional(),
  "created[lt]": timestamp().optional(),
};

/** The texts of fields that many schemas have. */
export const listTexts = {
  id: "Identifies it.",
  object: "What kind of object it is.",
  created: "When it was created, in Unix seconds.",
  livemode: "True in live mode, false in test mode.",
  url: "The path of the list.",
  data: "The page, newest first.",
  has_more: "Whether there are more in the direction of travel.",
};

/** The texts and examples of query parameters in the API's description. */
export const listParameters = {
  limit: { text: "How many to return at most. By default 10.", example: 25 },
  starting_after: {
    text: "The id of an object that exists: returns what comes after it, which is older. Not together with `ending_before`.",
  },
  ending_before: {
    text: "The id of an object that exists: returns what comes before it, which is newer. Not together with `starting_after`.",
  },
  "created[gte]": {
    text: "Only those created at this time or later, in Unix seconds.",
    example: 1_793_491_200,
  },
  "created[lt]": {
    text: "Only those created before this time, in Unix seconds.",
    example: 1_796_083_200,
  },
};

/** A query parameter that is one of some values, or several separated by commas. */
export function severalOf<Value extends string>(values: readonly Value[]) {
  const phrase = `must be one of ${values.join(", ")}, or several of them separated by commas`;
  return z
    .string({ error: phrase })
    .regex(writeSeveralPattern(values), { error: phrase }) as unknown as z.ZodType<Several<Value>>;
}

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
