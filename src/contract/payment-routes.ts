import { type ApiRoute, defineRoute } from "./route.ts";

/** The routes of payments, and of the account that they are in. */
export const paymentRoutes = {
  createPayment: defineRoute(
    "POST",
    "/v1/payments",
    "payment",
    "Create a payment from card details",
    {
      status: 201,
      description:
        "The payment is `succeeded`, or `pending` where the card will be declined or the card network has not decided yet: then retrieve it later, or wait for its event. A card that is declined is no error: the payment is `failed`, with `decline_code`. Send an `Idempotency-Key`, so that a retry after a lost response charges once.",
    },
  ),
  createHosted: defineRoute(
    "POST",
    "/v1/payments/hpp",
    "payment",
    "Create a payment that the customer pays on a hosted page",
    {
      status: 201,
      description:
        "The payment is `pending`, and the customer pays it at its `redirect_url`. A page that is not paid within `expires_in` seconds ends the payment as `failed`, with the decline code `hpp_expired`. The service inside the command has no pages, and answers 404.",
      errors: ["endpoint_not_found"],
    },
  ),
  listPayments: defineRoute("GET", "/v1/payments", "paymentList", "List payments, newest first", {
    description:
      "The newest first in both directions. Only `has_more` says whether there are more in the direction of travel: a page holds at most `limit` payments, and 1 MiB of them. Paging with `starting_after` returns every payment that existed at the start exactly once. `ending_before` is for paging back: payments that replicas create at the same time may become visible in another order than that of their ids, so a payment may appear behind a cursor that was read just before. To follow new payments without missing one, list again from a payment that is a minute old, and skip the ids already seen.",
  }),
  getPayment: defineRoute("GET", "/v1/payments/:id", "payment", "Retrieve a payment", {
    description: "Returns the payment in its present state.",
    headers: ["Payment-Progress"],
  }),
  refundPayment: defineRoute(
    "POST",
    "/v1/payments/:id/refund",
    "payment",
    "Refund a succeeded payment in full",
    {
      description:
        "The payment becomes `refunded`; `succeeded_at` stays as it was. A payment is refunded once: a second refund is refused.",
      errors: ["payment_not_refundable", "payment_already_refunded", "refund_declined"],
    },
  ),
  cancelPayment: defineRoute(
    "POST",
    "/v1/payments/:id/cancel",
    "payment",
    "Cancel a payment whose page is open",
    {
      description:
        "The payment becomes `failed` with the decline code `canceled`, and its page says so. While the bank asks the customer, and when the card network has not answered for 30 seconds, the charge is canceled too: money that was taken goes back.",
      errors: ["payment_not_cancelable"],
    },
  ),
  getAccount: defineRoute("GET", "/v1/account", "account", "Retrieve the account of the key", {
    description:
      "Says to which account and mode a key belongs, and which version of the API applies without `Service-Version`.",
  }),
  reportPayments: defineRoute(
    "GET",
    "/v1/reports/payments",
    "report",
    "Report the payments of a range of days by day or month",
    {
      description:
        "Days are in UTC, by creation, from `from` up to but not including `to`; by default this month up to today, by day. There is a row for each period and currency that has payments, in this order; a first and a last month have only their days within the range. The figures are those of a list of the same payments at this moment: `succeeded` and `gross` include payments that were refunded later, and `net` is `gross` less `refunds`, in minor units. `success_rate` is `succeeded` divided by `succeeded` and declined payments together; pages that were never paid count as `failed`, but not towards it, and it is null where there are neither. `decline_codes` counts the failed payments by their code. Sums are exact up to 2^53 minor units, and rounded beyond.",
    },
  ),
} satisfies Record<string, ApiRoute>;
