import * as z from "zod";
import { isJsonObject } from "../runtime/json.ts";
import { isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import { cardBrands } from "./card.ts";
import {
  emailAddress,
  integer,
  maxAddressLength,
  smallInteger,
  text,
  webAddress,
} from "./field-schemas.ts";
import {
  currencies,
  maxPageSeconds,
  minPageSeconds,
  paymentIdPattern,
  paymentStatuses,
} from "./field-values.ts";

export const currency = z.enum(currencies, {
  error: `must be one of ${currencies.join(", ")}, in lowercase`,
});
export const paymentStatus = z.enum(paymentStatuses, {
  error: `must be one of ${paymentStatuses.join(", ")}`,
});

export const amountPhrase =
  "must be an integer in minor units (49.99 is written 4999), at least 1 and at most 2^53 - 1";
const amount = integer(1, Number.MAX_SAFE_INTEGER, amountPhrase);

/** Masked card details, as every answer shows them (specification: Card object in a response). */
const card = z
  .object({
    brand: z.enum(cardBrands).or(z.string()),
    last4: z.string(),
    exp_month: smallInteger().meta({ minimum: 1, maximum: 12 }),
    exp_year: smallInteger().meta({ minimum: 1000, maximum: 9999 }),
    country: z.string(),
  })
  .meta({ id: "Card" });

const customer = z.object({ email: z.string(), name: z.string() });

/** A Payment as every answer shows it (specification: Payment). Times are Unix seconds. */
export const payment = z
  .object({
    id: z.string().regex(paymentIdPattern),
    object: z.literal("payment"),
    amount: z.int().min(0),
    currency: z.string(),
    status: z.enum(paymentStatuses),
    description: z.string().nullable(),
    card: card.nullable(),
    customer,
    metadata: z.record(z.string(), z.string()),
    decline_code: z.string().nullable(),
    decline_message: z.string().nullable(),
    redirect_url: z.string().nullable(),
    refunded_at: z.int().nullable(),
    succeeded_at: z.int().nullable(),
    failed_at: z.int().nullable(),
    created: z.int(),
    livemode: z.boolean(),
  })
  .meta({ id: "Payment" });
export type Payment = z.infer<typeof payment>;

export type PaymentStatus = Payment["status"];
export type Card = z.infer<typeof card>;

const digits = (min: number, max: number) => {
  const phrase = `must be a string of ${min} to ${max} digits, without spaces`;
  return z.string({ error: phrase }).regex(new RegExp(`^[0-9]{${min},${max}}$`), { error: phrase });
};

/** Card details in a request (specification: Card object in a request). Never stored, never logged. */
const cardInput = z.strictObject(
  {
    number: digits(12, 19),
    exp_month: integer(1, 12, "must be an integer from 1 to 12"),
    exp_year: integer(1000, 9999, "must be a year of four digits, such as 2030"),
    cvc: digits(3, 4),
    holder_name: text({ max: 200 }).nullish(),
  },
  { error: "must be an object with number, exp_month, exp_year and cvc" },
);
export type CardInput = z.infer<typeof cardInput>;

const customerFields = z.strictObject(
  {
    email: emailAddress().nullish(),
    first_name: text({ max: 200 }).nullish(),
    last_name: text({ max: 200 }).nullish(),
    country: z
      .string({ error: "must be a country code of two letters, such as DE" })
      .regex(/^[A-Za-z]{2}$/, { error: "must be a country code of two letters, such as DE" })
      .nullish(),
    phone: text({ max: 200 }).nullish(),
    address: text({ max: 200 }).nullish(),
    city: text({ max: 200 }).nullish(),
    zip: text({ max: 200 }).nullish(),
  },
  { error: "must be an object" },
);
/** A customer's two names are shown as one. */
const customerInput = customerFields.refine(
  ({ first_name: first, last_name: last }) =>
    !first || !last || !containsCardNumber(`${first} ${last}`),
  { path: ["last_name"], error: cardNumberPhrase },
);

/**
 * Metadata is checked but never copied: a copy by zod would drop a key called `__proto__`, and the
 * merchant gets metadata back unchanged.
 */
const metadata = z
  .custom<Record<string, string>>(isJsonObject, {
    error: "must be an object of string keys and string values",
  })
  .superRefine((pairs, context) => {
    const keys = Object.keys(pairs);
    if (keys.length > 50) context.addIssue("must have at most 50 keys");
    for (const key of keys.slice(0, 51)) {
      const value: unknown = pairs[key];
      const refuse = (message: string) =>
        context.addIssue({ code: "custom", path: [key], message });
      if (!isStorable(key) || !isWithin(key, 1, 40))
        context.addIssue("must have keys of 1 to 40 characters, without NUL or lone surrogates");
      else if (containsCardNumber(key))
        context.addIssue(`${cardNumberPhrase}, as a key of it does`);
      else if (typeof value !== "string" || !isStorable(value) || !isWithin(value, 0, 500))
        refuse("must be a string of at most 500 characters, without NUL or lone surrogates");
      else if (containsCardNumber(value)) refuse(cardNumberPhrase);
    }
  })
  .meta({
    type: "object",
    propertyNames: { minLength: 1, maxLength: 40 },
    additionalProperties: { type: "string", maxLength: 500 },
    maxProperties: 50,
  });

/** The body of POST /v1/payments (specification: create a direct API payment). */
export const createPaymentBody = z
  .strictObject({
    amount,
    currency,
    card: cardInput,
    customer: customerInput.nullish(),
    description: text({ max: 500 }).nullish(),
    metadata: metadata.nullish(),
  })
  .meta({ id: "CreatePayment" });
export type CreatePaymentBody = z.infer<typeof createPaymentBody>;

const returnUrlPhrase = `must be an http or https address of at most ${maxAddressLength} characters, such as https://shop.example/thanks, without user name, password, spaces or control characters`;

const expiresInPhrase = `must be an integer of seconds, from ${minPageSeconds} (5 minutes) to ${maxPageSeconds} (30 days)`;

/** The body of POST /v1/payments/hpp. `expires_in`: how long the page is open, in seconds. */
export const createHostedBody = createPaymentBody
  .omit({ card: true })
  .extend({
    return_url: webAddress(returnUrlPhrase).nullish(),
    expires_in: integer(minPageSeconds, maxPageSeconds, expiresInPhrase).nullish(),
  })
  .meta({ id: "CreateHostedPayment" });
export type CreateHostedBody = z.infer<typeof createHostedBody>;

/** The body of POST /v1/payments/{id}/cancel: none, or an empty object. */
export const emptyBody = z.strictObject({}).meta({ id: "EmptyBody", maxProperties: 0 });

/** The body of POST /v1/payments/{id}/refund: the same, where other services take an amount. */
export const refundBody = z
  .strictObject(
    {},
    {
      error: ({ code }) =>
        code === "unrecognized_keys"
          ? "is not taken: a refund is of the whole amount. Send no body"
          : undefined,
    },
  )
  .meta({ id: "RefundPayment", maxProperties: 0 });

/**
 * A payment as the API returns it, in JSON. It is stored in this form, so that most responses are bytes that pass
 * through.
 */
export type PaymentJson = string;
