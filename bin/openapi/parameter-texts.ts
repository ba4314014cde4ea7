import { exampleIds } from "./example-objects.ts";

/** What a query parameter does. One that means something else on a path stands there with it. */
export const parameterDescriptions: Record<string, string> = {
  limit: "How many to return at most. By default 10.",
  starting_after:
    "The id of an object that exists: returns what comes after it, which is older. Not together with `ending_before`.",
  ending_before:
    "The id of an object that exists: returns what comes before it, which is newer. Not together with `starting_after`.",
  status: "Only those in this state.",
  "/v1/requests status":
    "Only those with these HTTP statuses or classes of them, up to ten, separated by commas.",
  "created[gte]": "Only those created at this time or later, in Unix seconds.",
  "created[lt]": "Only those created before this time, in Unix seconds.",
  "customer[email]": "Only payments of this customer, in whatever case the address is written.",
  "card[last4]": "Only payments whose card's number ends in these four digits.",
  "card[brand]": "Only payments with a card of this brand.",
  amount: "Only payments of this amount, in minor units.",
  currency: "Only payments in this currency.",
  decline_code: "Only payments that failed with this code.",
  search:
    "Only payments in which each of these words, at most 8, is found in any case and without accents: the whole id or its end from 8 characters on, a word of the description, the customer or the metadata, the beginning of a name or of an address before its `@` from 3 characters on, the last four digits, the brand, the currency, or the amount, as `49.99`, `1.299,99` or `€49.99`. A word with punctuation is also found by its parts; signs that stand alone are left out. Signs alone, and a card number, are refused.",
  metadata: "Only payments with this value under this key, as `metadata[order_id]`: at most three.",
  type: "Only events of this type.",
  payment: "Only those of this payment.",
  method: "Only those with this HTTP method.",
  idempotency_key: "Only those with this `Idempotency-Key`.",
  from: "The first day, in UTC, from 1970 on. By default that of this month.",
  to: "The day after the last one, in UTC: after `from`, and at most 400 days, or with `by=month` 400 months, later. By default tomorrow.",
  by: "What a row is. By default a day.",
};

export const parameterExamples: Record<string, unknown> = {
  limit: 25,
  ...ofList("/v1/payments", exampleIds.payment),
  ...ofList("/v1/events", exampleIds.event),
  ...ofList("/v1/webhook_endpoints", exampleIds.endpoint),
  ...ofList("/v1/webhook_endpoints/:id/deliveries", exampleIds.delivery),
  ...ofList("/v1/requests", exampleIds.request),
  "/v1/payments status": "succeeded",
  "/v1/webhook_endpoints/:id/deliveries status": "failed",
  "/v1/requests status": "404,5xx",
  "created[gte]": 1_793_491_200,
  "created[lt]": 1_796_083_200,
  "customer[email]": "ada@example.com",
  "card[last4]": "4242",
  "card[brand]": "visa",
  amount: 4999,
  currency: "eur",
  decline_code: "insufficient_funds",
  search: "lovelace 1001",
  metadata: { order_id: "1001" },
  type: "payment.failed",
  payment: exampleIds.payment,
  method: "POST",
  idempotency_key: "4b4f3b0e-9c1d-4a53-8f0e-2f6a1f3f7c55",
  from: "2026-11-01",
  to: "2026-12-01",
  by: "month",
};

function ofList(path: string, id: string): Record<string, string> {
  return { [`${path} starting_after`]: id, [`${path} ending_before`]: id };
}
