import type { ErrorCode } from "./error.ts";

export const defaultPageSize = 10;
export const maxPageSize = 100;

/** The names of the response schemas in schemas.ts. */
export type ResponseName =
  | "payment"
  | "paymentList"
  | "account"
  | "report"
  | "event"
  | "eventList"
  | "endpoint"
  | "endpointList"
  | "deletedEndpoint"
  | "delivery"
  | "deliveryDetails"
  | "deliveryList"
  | "recovery"
  | "webhookTest"
  | "leasedList"
  | "request"
  | "requestList";

/** The names of the response schemas of a sandbox's control, in sandbox.ts. */
export type SandboxResponseName =
  | "sandboxAccount"
  | "sandboxClock"
  | "movedClock"
  | "sandboxFault"
  | "sandboxFaultList"
  | "sandboxRequestList";

/** The response headers of single routes; response-headers.ts describes them. */
type ResponseHeader = "Payment-Progress";

export type Route = {
  method: "GET" | "POST" | "DELETE";
  /** A parameter is written `:id`. */
  path: string;
  summary: string;
  description?: string;
  status: 200 | 201;
  response: ResponseName | SandboxResponseName;
  /** Headers that a successful response may have, beside those of every response. */
  headers?: readonly ResponseHeader[];
  /** A POST that may happen twice: an `Idempotency-Key` has no effect on it. */
  ignoresKey?: true;
  /** Beside `commonErrors`. */
  errors: readonly ErrorCode[];
};

/** A route of the API, under /v1. */
export type ApiRoute = Route & { response: ResponseName };

/** The errors of every endpoint under /v1. */
export const commonErrors = [
  "invalid_api_key",
  "parameter_invalid",
  "parameter_unknown",
  "malformed_request",
  "request_timeout",
  "headers_too_large",
  "rate_limit_exceeded",
  "service_unavailable",
  "internal_error",
] as const satisfies ErrorCode[];

const bodyErrors = [
  "parameter_missing",
  "invalid_json",
  "request_too_large",
  "unsupported_media_type",
] as const satisfies ErrorCode[];

const keyErrors = [
  "idempotency_key_reused",
  "idempotency_key_in_use",
] as const satisfies ErrorCode[];

/** A route that takes a body has the errors of bodies, and one that names an id that of a missing object. */
function route<
  const Method extends Route["method"],
  const Path extends string,
  const Response extends ResponseName,
>(
  method: Method,
  path: Path,
  response: Response,
  summary: string,
  more: Partial<Pick<Route, "status" | "description" | "headers" | "ignoresKey" | "errors">> = {},
) {
  const errors: readonly ErrorCode[] = [
    ...(method === "POST" ? bodyErrors : []),
    ...(method === "POST" && !more.ignoresKey ? keyErrors : []),
    ...(path.includes("/:id") ? (["resource_missing"] as const) : []),
    ...(more.errors ?? []),
  ];
  return { method, path, response, summary, status: 200 as const, ...more, errors };
}

/** Every endpoint of the API, for the server, the client and /openapi.json. Their schemas are in schemas.ts. */
export const routes = {
  createPayment: route("POST", "/v1/payments", "payment", "Create a payment from card details", {
    status: 201,
    description:
      "The payment is `succeeded`, or `pending` where the card will be declined or the card network has not decided yet: then retrieve it later, or wait for its event. A card that is declined is no error: the payment is `failed`, with `decline_code`. Send an `Idempotency-Key`, so that a retry after a lost response charges once.",
  }),
  createHosted: route(
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
  listPayments: route("GET", "/v1/payments", "paymentList", "List payments, newest first", {
    description:
      "The newest first in both directions. Only `has_more` says whether there are more in the direction of travel: a page holds at most `limit` payments, and 1 MiB of them. Paging with `starting_after` returns every payment that existed at the start exactly once. `ending_before` is for paging back: payments that replicas create at the same time may become visible in another order than that of their ids, so a payment may appear behind a cursor that was read just before. To follow new payments without missing one, list again from a payment that is a minute old, and skip the ids already seen.",
  }),
  getPayment: route("GET", "/v1/payments/:id", "payment", "Retrieve a payment", {
    description: "Returns the payment in its present state.",
    headers: ["Payment-Progress"],
  }),
  refundPayment: route(
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
  cancelPayment: route(
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
  getAccount: route("GET", "/v1/account", "account", "Retrieve the account of the key", {
    description:
      "Says to which account and mode a key belongs, and which version of the API applies without `Service-Version`.",
  }),
  reportPayments: route(
    "GET",
    "/v1/reports/payments",
    "report",
    "Report the payments of a range of days by day or month",
    {
      description:
        "Days are in UTC, by creation, from `from` up to but not including `to`; by default this month up to today, by day. There is a row for each period and currency that has payments, in this order; a first and a last month have only their days within the range. The figures are those of a list of the same payments at this moment: `succeeded` and `gross` include payments that were refunded later, and `net` is `gross` less `refunds`, in minor units. `success_rate` is `succeeded` divided by `succeeded` and declined payments together; pages that were never paid count as `failed`, but not towards it, and it is null where there are neither. `decline_codes` counts the failed payments by their code. Sums are exact up to 2^53 minor units, and rounded beyond.",
    },
  ),

  listEvents: route("GET", "/v1/events", "eventList", "List events, newest first", {
    description: "Paging works as for payments. Events are stored for 30 days by default.",
  }),
  getEvent: route("GET", "/v1/events/:id", "event", "Retrieve an event", {
    description: "The response has the same bytes as the body of the event's webhooks.",
  }),
  resendEvent: route(
    "POST",
    "/v1/events/:id/resend",
    "deliveryList",
    "Send an event again, to one endpoint or to all that are enabled",
    {
      description:
        "Returns the deliveries that were queued. With `endpoint` the event is sent to it whatever its subscription.",
    },
  ),
  createEndpoint: route("POST", "/v1/webhook_endpoints", "endpoint", "Create a webhook endpoint", {
    status: 201,
    description:
      "Returns the endpoint's `secret`, which is not shown again. With `url` null the endpoint is a listener: it fetches its deliveries instead of receiving requests.",
  }),
  listEndpoints: route(
    "GET",
    "/v1/webhook_endpoints",
    "endpointList",
    "List webhook endpoints, newest first",
    { description: "Listeners are among them: their `url` is null. No `secret` is shown." },
  ),
  getEndpoint: route(
    "GET",
    "/v1/webhook_endpoints/:id",
    "endpoint",
    "Retrieve a webhook endpoint",
    {
      description: "Returns the endpoint without its `secret`.",
    },
  ),
  updateEndpoint: route(
    "POST",
    "/v1/webhook_endpoints/:id",
    "endpoint",
    "Change a webhook endpoint",
    {
      description:
        "While an endpoint is disabled, no events are queued for it, and its pending deliveries fail. Once enabled again it gets new events.",
    },
  ),
  rollEndpoint: route(
    "POST",
    "/v1/webhook_endpoints/:id/roll",
    "endpoint",
    "Give a webhook endpoint a new secret",
    {
      description:
        "Returns the new `secret`. The old one also signs until `overlap_hours` have passed: 24 by default, none with 0.",
    },
  ),
  deleteEndpoint: route(
    "DELETE",
    "/v1/webhook_endpoints/:id",
    "deletedEndpoint",
    "Delete a webhook endpoint",
    { description: "Deliveries that are still pending are not sent." },
  ),
  listDeliveries: route(
    "GET",
    "/v1/webhook_endpoints/:id/deliveries",
    "deliveryList",
    "List the deliveries of a webhook endpoint, newest first",
    { description: "Paging works as for payments. Deliveries are stored as long as their events." },
  ),
  getDelivery: route(
    "GET",
    "/v1/webhook_endpoints/:id/deliveries/:delivery",
    "deliveryDetails",
    "Retrieve a delivery with its last tries, and what the endpoint answered",
    { description: "The last 20 tries are stored, the newest last." },
  ),
  recoverEndpoint: route(
    "POST",
    "/v1/webhook_endpoints/:id/recover",
    "recovery",
    "Queue the events that a webhook endpoint missed",
    {
      description:
        "Queues again, in order of creation, the events since a time whose deliveries failed, and those that were not queued because the endpoint was disabled: at most 10,000 in one request, with `has_more` where there are more. What was delivered, or waits for an attempt, is left alone.",
    },
  ),
  testEndpoint: route(
    "POST",
    "/v1/webhook_endpoints/:id/test",
    "webhookTest",
    "Send a test event to a webhook endpoint, and return its answer",
    {
      description:
        "Sends one signed event of type `webhook.test` at once, to a disabled endpoint as well. It is sent once whatever the outcome, and not stored: it is in no list.",
    },
  ),
  startListener: route(
    "POST",
    "/v1/webhook_endpoints/:id/start",
    "endpoint",
    "Choose where a listener continues",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. Without `since` and `only_new` the listener continues with its pending deliveries of the last 24 hours; deliveries that were taken but not reported are due again at once.",
    },
  ),
  takeDeliveries: route(
    "POST",
    "/v1/webhook_endpoints/:id/take",
    "leasedList",
    "Take the deliveries of a listener, waiting for the first",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. A delivery that is not reported within `lease_seconds`, 60 by default, is due again. A listener has one waiting request: a second one, or too many listeners, end the wait early with an empty list.",
    },
  ),
  reportDelivery: route(
    "POST",
    "/v1/webhook_endpoints/:id/report",
    "delivery",
    "Report the outcome of a delivery that a listener took",
    {
      ignoresKey: true,
      description:
        "For `payments listen`. A delivery that was not delivered is due again after 1 s, 5 s, 30 s and 2 min. With `attempts` a report that comes twice, or too late, changes nothing.",
    },
  ),
  listRequests: route("GET", "/v1/requests", "requestList", "List requests, newest first", {
    description:
      "The requests of this account and mode that wrote, were refused or failed; reads that succeeded are not among them. They are stored for 7 days by default, at most 1,000,000 of them. A request is listed within 2 seconds of its response, and by the time at which it began: a long one may appear behind newer ones. `status` takes exact statuses and classes, separated by commas: `404`, `4xx,5xx`.",
  }),
  getRequest: route("GET", "/v1/requests/:id", "request", "Retrieve a request", {
    description: "The id is that of the header `Service-Request-Id`, or `request_id` of an error.",
  }),
} satisfies Record<string, ApiRoute>;
