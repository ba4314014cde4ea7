import * as z from "zod";
import { cardBrands } from "./card.ts";
import { smallInteger } from "./field-schemas.ts";
import { currencies, paymentIdPattern, paymentStatuses } from "./field-values.ts";
import { defineRoute, type Route } from "./route.ts";

export const currency = z.enum(currencies, {
  error: `must be one of ${currencies.join(", ")}, in lowercase`,
});

export const paymentStatus = z.enum(paymentStatuses, {
  error: `must be one of ${paymentStatuses.join(", ")}`,
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
    description: "Returns the payment in its present state.",
    response: payment,
    headers: ["Payment-Progress"],
  }),
  refundPayment: defineRoute("POST /v1/payments/:id/refund", {
    summary: "Refund a succeeded payment in full",
    description:
      "The payment becomes `refunded`; `succeeded_at` stays as it was. A payment is refunded once: a second refund is refused.",
    body: refundBody,
    response: payment,
    errors: ["payment_not_refundable", "payment_already_refunded", "refund_declined"],
  }),
  cancelPayment: defineRoute("POST /v1/payments/:id/cancel", {
    summary: "Cancel a payment whose page is open",
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
  "Payment.redirect_url": "The page where the customer pays; null for a direct payment.",
  "Payment.refunded_at": "When it was refunded, in Unix seconds.",
  "Payment.succeeded_at": "When it succeeded, in Unix seconds. A refund does not change it.",
  "Payment.failed_at": "When it failed, in Unix seconds.",
  "Card.brand": "From the card's number; `unknown` if no brand has it.",
  "Card.last4": "The last four digits of the number.",
  "Card.country": "The country of the card, in two letters.",
};
