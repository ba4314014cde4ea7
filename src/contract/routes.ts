import type { ErrorCode } from "./error.ts";

export const defaultPageSize = 10;
export const maxPageSize = 100;

/** The names of the response schemas in schemas.ts. */
export type ResponseName =
  | "payment"
  | "paymentList"
  | "account"
  | "event"
  | "eventList"
  | "endpoint"
  | "endpointList"
  | "deletedEndpoint"
  | "delivery"
  | "deliveryList"
  | "leasedList";

export type Route = {
  method: "GET" | "POST" | "DELETE";
  /** A parameter is written `:id`. */
  path: string;
  summary: string;
  description?: string;
  status: 200 | 201;
  response: ResponseName;
  /** Beside `commonErrors`. */
  errors: readonly ErrorCode[];
};

/** The errors of every endpoint under /v1. */
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

/** Every endpoint of the API, for the server, the client and /openapi.json. Their schemas are in schemas.ts. */
export const routes = {
  createPayment: {
    method: "POST",
    path: "/v1/payments",
    summary: "Create a payment from card details",
    status: 201,
    response: "payment",
    errors: bodyErrors,
  },
  createHosted: {
    method: "POST",
    path: "/v1/payments/hpp",
    summary: "Create a payment that the customer pays on a hosted page",
    status: 201,
    response: "payment",
    errors: [...bodyErrors, "endpoint_not_found"],
  },
  listPayments: {
    method: "GET",
    path: "/v1/payments",
    summary: "List payments, newest first",
    description:
      "The newest first in both directions. Only `has_more` says whether there are more in the direction of travel: a page holds at most `limit` payments, and 1 MiB of them. Paging with `starting_after` returns every payment that existed at the start exactly once. `ending_before` is for paging back: payments that replicas create at the same time may become visible in another order than that of their ids, so a payment may appear behind a cursor that was read just before. To follow new payments without missing one, list again from a payment that is a minute old, and skip the ids already seen.",
    status: 200,
    response: "paymentList",
    errors: [],
  },
  getPayment: {
    method: "GET",
    path: "/v1/payments/:id",
    summary: "Retrieve a payment",
    status: 200,
    response: "payment",
    errors: ["resource_missing"],
  },
  refundPayment: {
    method: "POST",
    path: "/v1/payments/:id/refund",
    summary: "Refund a succeeded payment in full",
    status: 200,
    response: "payment",
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
    response: "account",
    errors: [],
  },
  listEvents: {
    method: "GET",
    path: "/v1/events",
    summary: "List events, newest first",
    description: "Paging works as for payments. Events are stored for 30 days by default.",
    status: 200,
    response: "eventList",
    errors: [],
  },
  getEvent: {
    method: "GET",
    path: "/v1/events/:id",
    summary: "Retrieve an event",
    status: 200,
    response: "event",
    errors: ["resource_missing"],
  },
  resendEvent: {
    method: "POST",
    path: "/v1/events/:id/resend",
    summary: "Send an event again, to one endpoint or to all that are enabled",
    description:
      "Returns the deliveries that were queued. With `endpoint` the event is sent to it whatever its subscription.",
    status: 200,
    response: "deliveryList",
    errors: [...bodyErrors, "resource_missing"],
  },
  createEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints",
    summary: "Create a webhook endpoint",
    description:
      "Returns the endpoint's `secret`, which is not shown again. With `url` null the endpoint is a listener: it fetches its deliveries instead of receiving requests.",
    status: 201,
    response: "endpoint",
    errors: bodyErrors,
  },
  listEndpoints: {
    method: "GET",
    path: "/v1/webhook_endpoints",
    summary: "List webhook endpoints, newest first",
    status: 200,
    response: "endpointList",
    errors: [],
  },
  getEndpoint: {
    method: "GET",
    path: "/v1/webhook_endpoints/:id",
    summary: "Retrieve a webhook endpoint",
    status: 200,
    response: "endpoint",
    errors: ["resource_missing"],
  },
  updateEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id",
    summary: "Change a webhook endpoint",
    description:
      "While an endpoint is disabled, no events are queued for it, and its pending deliveries fail. Once enabled again it gets new events.",
    status: 200,
    response: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  rollEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/roll",
    summary: "Give a webhook endpoint a new secret",
    description:
      "Returns the new `secret`. The old one also signs until `overlap_hours` have passed: 24 by default, none with 0.",
    status: 200,
    response: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  deleteEndpoint: {
    method: "DELETE",
    path: "/v1/webhook_endpoints/:id",
    summary: "Delete a webhook endpoint",
    status: 200,
    response: "deletedEndpoint",
    errors: ["resource_missing"],
  },
  listDeliveries: {
    method: "GET",
    path: "/v1/webhook_endpoints/:id/deliveries",
    summary: "List the deliveries of a webhook endpoint, newest first",
    status: 200,
    response: "deliveryList",
    errors: ["resource_missing"],
  },
  startListener: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/start",
    summary: "Choose where a listener continues",
    description:
      "For `payments listen`. Without `since` and `only_new` the listener continues with its pending deliveries of the last 24 hours; deliveries that were taken but not reported are due again at once.",
    status: 200,
    response: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  takeDeliveries: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/take",
    summary: "Take the deliveries of a listener, waiting for the first",
    description:
      "For `payments listen`. A delivery that is not reported within a minute is due again. A listener has one waiting request: a second one, or too many listeners, end the wait early with an empty list.",
    status: 200,
    response: "leasedList",
    errors: [...bodyErrors, "resource_missing"],
  },
  reportDelivery: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/report",
    summary: "Report the outcome of a delivery that a listener took",
    status: 200,
    response: "delivery",
    errors: [...bodyErrors, "resource_missing"],
  },
} as const satisfies Record<string, Route>;
