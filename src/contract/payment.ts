import * as z from "zod";
import { isJsonObject, isStorable, isWithin } from "../runtime/text.ts";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import { cardBrands } from "./card.ts";
import {
  maxPageSeconds,
  minPageSeconds,
  paymentIdPattern,
  paymentStatuses,
} from "./field-values.ts";
import { currencies } from "./money.ts";
import { emailAddress, integer, maxAddressLength, smallInteger, text, webAddress } from "./list.ts";
import { type Route, defineRoute } from "./route.ts";

export const currency = z.enum(currencies, {
  error: `must be one of ${currencies.join(", ")}, in lowercase`,
});

export const amountPhrase =
  "must be an integer in minor units (49.99 is written 4999), at least 1 and at most 2^53 - 1";

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

/**
 * A payment as the API returns it, in JSON. It is stored in this form, so that most responses are bytes that pass
 * through.
 */
export type PaymentJson = string;

/** The body of POST /v1/payments/{id}/cancel: none, or an empty object. */
export const emptyBody = z.strictObject({}).meta({ id: "EmptyBody", maxProperties: 0 });

/** The body of POST /v1/payments/{id}/refund: the same, where other services take an amount. */
const refundBody = z
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

export const paymentRoutes = {
  getPayment: defineRoute("GET /v1/payments/:id", {
    summary: "Retrieve a payment",
    permission: "read",
    description: "Returns the payment in its present state.",
    response: payment,
    headers: ["Payment-Progress"],
  }),
  refundPayment: defineRoute("POST /v1/payments/:id/refund", {
    summary: "Refund a succeeded payment in full",
    permission: "refund",
    description:
      "The payment becomes `refunded`; `succeeded_at` stays as it was. A payment is refunded once: a second refund is refused.",
    body: refundBody,
    response: payment,
    errors: [
      "refund_limit_exceeded",
      "payment_not_refundable",
      "payment_already_refunded",
      "refund_declined",
    ],
  }),
  cancelPayment: defineRoute("POST /v1/payments/:id/cancel", {
    summary: "Cancel a payment whose page is open",
    permission: "create",
    description:
      "The payment becomes `failed` with the decline code `canceled`, and its page says so. While the bank asks the customer, and when the card network has not answered for 30 seconds, the charge is canceled too: money that was taken goes back.",
    body: emptyBody,
    response: payment,
    errors: ["payment_not_cancelable"],
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const paymentTexts = {
  RefundPayment: "No fields: a refund is of the whole amount. The body may be left out.",
  EmptyBody: "No fields: the body may be left out.",
  Payment: "A payment, in its state at the time of the response.",
  Card: "The card of a payment, masked.",
  amount: "In minor units: 4999 is 49.99 EUR.",
  currency: "Three letters of ISO 4217, in lowercase.",
  exp_month: "The month of the card's expiry, 1 to 12.",
  exp_year: "The year of the card's expiry, in four digits.",
  "Payment.status":
    "`pending` until it is decided; `succeeded`; `failed` and `refunded` are final.",
  "Payment.description": "As it was sent.",
  "Payment.card": "The card, masked; null while a page has not been paid.",
  "Payment.customer": "Who pays.",
  "Payment.customer.email": "As it was sent, or empty.",
  "Payment.customer.name": "First and last name, or the card holder's name, or empty.",
  "Payment.decline_code": "Why the payment failed, for programs.",
  "Payment.decline_message": "Why the payment failed, for people.",
  "Payment.redirect_url":
    "The page where the customer pays; null for a direct payment, and for a key without the permission `create`.",
  "Payment.refunded_at": "When it was refunded, in Unix seconds.",
  "Payment.succeeded_at": "When it succeeded, in Unix seconds. A refund does not change it.",
  "Payment.failed_at": "When it failed, in Unix seconds.",
  "Card.brand": "From the card's number; `unknown` if no brand has it.",
  "Card.last4": "The last four digits of the number.",
  "Card.country": "The country of the card, in two letters.",
};

const amount = integer(1, Number.MAX_SAFE_INTEGER, amountPhrase);

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

export const newPaymentRoutes = {
  createPayment: defineRoute("POST /v1/payments", {
    summary: "Create a payment from card details",
    permission: "create",
    description:
      "The payment is `succeeded`, or `pending` where the card will be declined or the card network has not decided yet: then retrieve it later, or wait for its event. A card that is declined is no error: the payment is `failed`, with `decline_code`. Send an `Idempotency-Key`, so that a retry after a lost response charges once.",
    status: 201,
    body: createPaymentBody,
    response: payment,
  }),
  createHosted: defineRoute("POST /v1/payments/hpp", {
    summary: "Create a payment that the customer pays on a hosted page",
    permission: "create",
    description:
      "The payment is `pending`, and the customer pays it at its `redirect_url`. A page that is not paid within `expires_in` seconds ends the payment as `failed`, with the decline code `hpp_expired`. The service inside the command has no pages, and answers 404.",
    status: 201,
    body: createHostedBody,
    response: payment,
    errors: ["endpoint_not_found"],
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const newPaymentTexts = {
  CreatePayment: "A payment to make with a card.",
  CreateHostedPayment: "A payment that the customer makes on a page.",
  metadata:
    "Keys and values of your own: at most 50 keys of 1 to 40 characters, with values of at most 500. No card number, NUL or lone surrogate.",
  card: "The card to charge. Its number and security code are never stored.",
  "card.number": "12 to 19 digits, without spaces; the last is the check digit (Luhn).",
  "card.cvc": "The security code: 3 or 4 digits.",
  "card.holder_name": "The name on the card.",
  customer: "Who pays.",
  "customer.email": "The customer's e-mail address.",
  "customer.first_name": "The customer's first name.",
  "customer.last_name": "The customer's last name.",
  "customer.country": "The customer's country, in two letters.",
  "customer.phone": "The customer's phone number.",
  "customer.address": "Street and number.",
  "customer.city": "The city.",
  "customer.zip": "The postal code.",
  description: "What it is, in your words. No card number, NUL or lone surrogate.",
  "CreateHostedPayment.return_url":
    "An `http` or `https` address, without user name and password, where the customer is sent afterwards, with `payment_id` and `status` in the query. That is a hint: retrieve the payment.",
  "CreateHostedPayment.expires_in":
    "For how many seconds the page is open, from 5 minutes to 30 days. The service has a default, 24 hours.",
};
