import type { Delivery, DeliveryList, ListenerDeliveryList } from "./delivery.ts";
import type { ErrorCode } from "./error.ts";
import type { Event, EventList } from "./event.ts";
import type { KeyAccount } from "./key-account.ts";
import type { PaymentList } from "./list-object.ts";
import type { Payment } from "./payment.ts";
import type { DeletedEndpoint, EndpointList, WebhookEndpoint } from "./webhook-endpoint.ts";

/** What a call that succeeds is answered with. */
export type Answers = {
  payment: Payment;
  list: PaymentList;
  account: KeyAccount;
  event: Event;
  eventList: EventList;
  endpoint: WebhookEndpoint;
  endpointList: EndpointList;
  deletedEndpoint: DeletedEndpoint;
  delivery: Delivery;
  deliveryList: DeliveryList;
  takenList: ListenerDeliveryList;
};

export type Route = {
  method: "GET" | "POST" | "DELETE";
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
  listEvents: {
    method: "GET",
    path: "/v1/events",
    summary: "List events, newest first",
    description:
      "Events are listed as payments are, and kept for 30 days unless the operator has chosen otherwise.",
    status: 200,
    answer: "eventList",
    errors: [],
  },
  getEvent: {
    method: "GET",
    path: "/v1/events/:id",
    summary: "Retrieve an event",
    status: 200,
    answer: "event",
    errors: ["resource_missing"],
  },
  resendEvent: {
    method: "POST",
    path: "/v1/events/:id/resend",
    summary: "Send an event again, to one endpoint or to all that are enabled",
    description:
      "Answers with the deliveries that were queued. An endpoint that is named gets it whatever it is subscribed to.",
    status: 200,
    answer: "deliveryList",
    errors: [...bodyErrors, "resource_missing"],
  },
  createEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints",
    summary: "Create a webhook endpoint",
    description:
      "The answer has the endpoint's `secret`, which is not shown again. Without an address (`url` is null) it is a listener: nothing is sent to it, its deliveries are taken.",
    status: 201,
    answer: "endpoint",
    errors: bodyErrors,
  },
  listEndpoints: {
    method: "GET",
    path: "/v1/webhook_endpoints",
    summary: "List webhook endpoints, newest first",
    status: 200,
    answer: "endpointList",
    errors: [],
  },
  getEndpoint: {
    method: "GET",
    path: "/v1/webhook_endpoints/:id",
    summary: "Retrieve a webhook endpoint",
    status: 200,
    answer: "endpoint",
    errors: ["resource_missing"],
  },
  updateEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id",
    summary: "Change a webhook endpoint",
    description:
      "While an endpoint is disabled nothing is queued for it, and what waits for it is given up; enabled again it starts from then.",
    status: 200,
    answer: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  rollEndpoint: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/roll",
    summary: "Give a webhook endpoint a new secret",
    description:
      "The answer has the new `secret`. The old one signs, too, until `overlap_hours` have passed: 24 by default, none with 0.",
    status: 200,
    answer: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  deleteEndpoint: {
    method: "DELETE",
    path: "/v1/webhook_endpoints/:id",
    summary: "Delete a webhook endpoint",
    status: 200,
    answer: "deletedEndpoint",
    errors: ["resource_missing"],
  },
  listDeliveries: {
    method: "GET",
    path: "/v1/webhook_endpoints/:id/deliveries",
    summary: "List the deliveries of a webhook endpoint, newest first",
    status: 200,
    answer: "deliveryList",
    errors: ["resource_missing"],
  },
  startListener: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/start",
    summary: "Say where a listener goes on from",
    description:
      "For `payments listen`. Without `since` and `only_new` it goes on from what waits for it, 24 hours back at the most; what was taken before and not reported is given again at once.",
    status: 200,
    answer: "endpoint",
    errors: [...bodyErrors, "resource_missing"],
  },
  takeDeliveries: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/take",
    summary: "Take the deliveries of a listener, waiting for the first",
    description:
      "For `payments listen`. What was taken and not reported within a minute is given again. A listener waits once: where it asks again, or too many wait, the answer has nothing before the time is over.",
    status: 200,
    answer: "takenList",
    errors: [...bodyErrors, "resource_missing"],
  },
  reportDelivery: {
    method: "POST",
    path: "/v1/webhook_endpoints/:id/report",
    summary: "Report how a delivery went that a listener has taken",
    status: 200,
    answer: "delivery",
    errors: [...bodyErrors, "resource_missing"],
  },
} as const satisfies Record<string, Route>;
