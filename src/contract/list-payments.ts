import * as z from "zod";
import { isStorable, isWithin } from "../runtime/text.ts";
import { containsCardNumber, searchedCardPhrase } from "./card-in-text.ts";
import { cardBrands } from "./card.ts";
import {
  createdRange,
  cursors,
  emailAddress,
  integer,
  listOf,
  paymentId,
  severalOf,
  useOneCursor,
} from "./list.ts";
import { declineCodes, paymentStatuses } from "./field-values.ts";
import { amountPhrase, currency, payment } from "./payment.ts";
import { defineRoute, type Route } from "./route.ts";
import {
  hideIdEnds,
  maxSearchLength,
  maxSearchWords,
  metadataKeyOf,
  parseSearch,
} from "./search-words.ts";

const searchPhrase = `must be 1 to ${maxSearchWords} words of 1 to ${maxSearchLength} characters in all, and not signs alone`;

const maxMetadataFilters = 3;

/** The parameters that find payments, beside status and time. A payment has to match all of them. */
const searchParameters = {
  "customer[email]": emailAddress().optional(),
  "card[last4]": z
    .string()
    .regex(/^[0-9]{4}$/, { error: "must be four digits" })
    .optional(),
  "card[brand]": z
    .enum(cardBrands, { error: `must be one of ${cardBrands.join(", ")}, in lowercase` })
    .optional(),
  amount: z
    .string()
    .regex(/^[1-9][0-9]{0,15}$/, { error: amountPhrase, abort: true })
    .refine((value) => !containsCardNumber(value), { error: searchedCardPhrase })
    .transform(Number)
    .pipe(integer(1, Number.MAX_SAFE_INTEGER, amountPhrase))
    .optional(),
  currency: currency.optional(),
  decline_code: z
    .enum(declineCodes, { error: `must be one of ${declineCodes.join(", ")}` })
    .optional(),
  search: z
    .string()
    .refine((value) => isStorable(value) && isWithin(value, 1, maxSearchLength), {
      error: searchPhrase,
      abort: true,
    })
    .refine((value) => !containsCardNumber(hideIdEnds(value)), {
      error: searchedCardPhrase,
      abort: true,
    })
    .refine((value) => parseSearch(value) !== undefined, { error: searchPhrase })
    .meta({ minLength: 1, maxLength: maxSearchLength })
    .optional(),
};

const paymentParameters = z.looseObject({
  ...cursors(paymentId),
  status: severalOf(paymentStatuses).optional(),
  ...createdRange,
  ...searchParameters,
});

/** `metadata[KEY]`: a whole value under a key. */
type MetadataParameters = { [parameter: `metadata[${string}]`]: string };

type KnownParameters<Query> = {
  [Name in keyof Query as string extends Name ? never : Name]: Query[Name];
};

export type ListPaymentsQuery = KnownParameters<z.infer<typeof paymentParameters>> &
  MetadataParameters;

/** The query of GET /v1/payments (specification: list payments). */
export const listPaymentsQuery = z
  .custom<Record<string, unknown>>()
  .superRefine(checkOtherParameters)
  .pipe(useOneCursor(paymentParameters))
  .meta({
    patternProperties: { "^metadata\\[.{1,40}\\]$": { type: "string", maxLength: 500 } },
  }) as unknown as z.ZodType<ListPaymentsQuery>;

/** Any parameter that has no schema of its own has to be `metadata[KEY]`. */
function checkOtherParameters(query: Record<string, unknown>, context: z.RefinementCtx): void {
  const others = Object.keys(query).filter((name) => !Object.hasOwn(paymentParameters.shape, name));
  const unknown = others.filter((name) => metadataKeyOf(name) === undefined);
  if (unknown.length > 0) {
    context.addIssue({ code: "unrecognized_keys", keys: unknown, input: query, continue: false });
    return;
  }
  for (const [index, name] of others.entries()) {
    const mistake =
      index < maxMetadataFilters
        ? findMetadataMistake(metadataKeyOf(name) ?? "", String(query[name]))
        : `must not be the fourth of its kind: at most ${maxMetadataFilters} metadata filters fit in one request`;
    if (mistake !== undefined) context.addIssue({ code: "custom", path: [name], message: mistake });
  }
}

function findMetadataMistake(key: string, value: string): string | undefined {
  if (!isStorable(key) || !isWithin(key, 1, 40)) {
    return "must name a key of 1 to 40 characters, without NUL";
  }
  if (!isStorable(value) || !isWithin(value, 0, 500)) {
    return "must be a string of at most 500 characters, without NUL";
  }
  return containsCardNumber(key) || containsCardNumber(value) ? searchedCardPhrase : undefined;
}

/** A page of payments, newest first (specification: list payments). */
export const paymentList = listOf(payment, "PaymentList");
export type PaymentList = z.infer<typeof paymentList>;

export const paymentListRoutes = {
  listPayments: defineRoute("GET /v1/payments", {
    summary: "List payments, newest first",
    permission: "read",
    description:
      "The newest first in both directions. Only `has_more` says whether there are more in the direction of travel: a page holds at most `limit` payments, and 1 MiB of them. Paging with `starting_after` returns every payment that existed at the start exactly once. `ending_before` is for paging back: payments that replicas create at the same time may become visible in another order than that of their ids, so a payment may appear behind a cursor that was read just before. To follow new payments without missing one, list again from a payment that is a minute old, and skip the ids already seen.",
    query: listPaymentsQuery,
    response: paymentList,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const paymentListTexts = {
  PaymentList: "A page of payments, newest first.",
};

/** The texts and examples of query parameters in the API's description. */
export const paymentListParameters = {
  "/v1/payments status": {
    text: "Only those in this state, or in one of several, separated by commas.",
    example: "failed,refunded",
  },
  "customer[email]": {
    text: "Only payments of this customer, in whatever case the address is written.",
    example: "ada@example.com",
  },
  "card[last4]": {
    text: "Only payments whose card's number ends in these four digits.",
    example: "4242",
  },
  "card[brand]": { text: "Only payments with a card of this brand.", example: "visa" },
  amount: { text: "Only payments of this amount, in minor units.", example: 4999 },
  currency: { text: "Only payments in this currency.", example: "eur" },
  decline_code: {
    text: "Only payments that failed with this code.",
    example: "insufficient_funds",
  },
  search: {
    text: "Only payments in which each of these words, at most 8, is found in any case and without accents: the whole id or its end from 8 characters on, a word of the description, the customer or the metadata, the beginning of a name or of an address before its `@` from 3 characters on, the last four digits, the brand, the currency, or the amount, as `49.99`, `1.299,99` or `€49.99`. A word with punctuation is also found by its parts; signs that stand alone are left out. Signs alone, and a card number, are refused.",
    example: "lovelace 1001",
  },
  metadata: {
    text: "Only payments with this value under this key, as `metadata[order_id]`: at most three.",
    example: { order_id: "1001" },
  },
};
