import type { ErrorCode } from "./error.ts";
import type { KeyAccount } from "./key-account.ts";
import type { PaymentList } from "./list.ts";
import type { Payment } from "./payment.ts";

/** What a call that succeeds is answered with. */
export type Answers = { payment: Payment; list: PaymentList; account: KeyAccount };

export type Route = {
  method: "GET" | "POST";
  /** A parameter is written `:id`. */
  path: string;
  summary: string;
  /** What whoever calls it should know beyond that. */
  description?: string;
  status: 200 | 201;
  answer: keyof Answers;
  /** What can go wrong beside what can on every route (see `commonErrors`). */
  errors: readonly ErrorCode[];
};

/** What every endpoint under /v1 may answer. */
export const commonErrors = [
  "invalid_api_key",
  "parameter_invalid",
  "parameter_unknown",
  "rate_limit_exceeded",
  "service_unavailable",
  "internal_error",
] as const satisfies ErrorCode[];

const bodyErrors = [
  "parameter_missing",
  "invalid_json",
  "request_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
  "idempotency_key_in_use",
] as const satisfies ErrorCode[];

/**
 * Every endpoint of the API, written once: the server, the client and /openapi.json read it here. What it
 * takes and answers is in schemas.ts.
 */
export const routes = {
  createPayment: {
    method: "POST",
    path: "/v1/payments",
    summary: "Create a payment from card details",
    status: 201,
    answer: "payment",
    errors: bodyErrors,
  },
  createHosted: {
    method: "POST",
    path: "/v1/payments/hpp",
    summary: "Create a payment that the customer pays on a hosted page",
    status: 201,
    answer: "payment",
    errors: [...bodyErrors, "endpoint_not_found"],
  },
  listPayments: {
    method: "GET",
    path: "/v1/payments",
    summary: "List payments, newest first",
    description:
      "The newest first in both directions. `has_more` alone tells whether there are more in the direction of travel: a page holds at most `limit` payments, and 1 MiB of them. With `starting_after` a walk meets every payment that was there when it began, each once. `ending_before` is for paging back: replicas that work at the same time may make their payments visible in another order than that of the ids, so that one may appear behind a cursor that was taken just before. To follow new payments without missing one, ask again from a payment that is a minute old, and leave out the ids already seen.",
    status: 200,
    answer: "list",
    errors: [],
  },
  getPayment: {
    method: "GET",
    path: "/v1/payments/:id",
    summary: "Retrieve a payment",
    status: 200,
    answer: "payment",
    errors: ["resource_missing"],
  },
  refundPayment: {
    method: "POST",
    path: "/v1/payments/:id/refund",
    summary: "Refund a succeeded payment in full",
    status: 200,
    answer: "payment",
    errors: [
      ...bodyErrors,
      "resource_missing",
      "payment_not_refundable",
      "payment_already_refunded",
      "refund_declined",
    ],
  },
  getAccount: {
    method: "GET",
    path: "/v1/account",
    summary: "Retrieve the account of the key",
    status: 200,
    answer: "account",
    errors: [],
  },
} as const satisfies Record<string, Route>;
