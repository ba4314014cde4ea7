import type { ErrorCode } from "../../src/contract/error.ts";

/** The message of each error, and the parameter that it names, as the service answers them. */
export const errorExamples: Record<
  Exclude<ErrorCode, "resource_missing" | "parameter_missing">,
  { message: string; param: string | null }
> = {
  invalid_api_key: {
    message:
      "The API key is missing, malformed, unknown, expired or revoked. Send it as `Authorization: Bearer <key>`.",
    param: null,
  },
  parameter_invalid: {
    message: "The header Service-Version must be a date written YYYY-MM-DD, such as 2026-11-01.",
    param: "Service-Version",
  },
  parameter_unknown: {
    message: "colour is not known here. Check the spelling, or leave it out.",
    param: "colour",
  },
  invalid_json: { message: "The body is not valid JSON in UTF-8.", param: null },
  endpoint_not_found: {
    message:
      "A payment page needs a running service, which this one inside the command is not. Start one with `payments serve`, and create the payment there.",
    param: null,
  },
  method_not_allowed: {
    message: "This path does not have that method. Use GET or HEAD.",
    param: null,
  },
  request_too_large: { message: "The body is larger than 64 KiB. Send less.", param: null },
  unsupported_media_type: {
    message:
      "The body must be JSON in UTF-8, not compressed. Send `Content-Type: application/json`, and no `Content-Encoding`.",
    param: null,
  },
  headers_too_large: {
    message: "The request line and headers are larger than 16 KiB. Send fewer or shorter headers.",
    param: null,
  },
  malformed_request: {
    message: "The request is not valid HTTP. Check the path's encoding and the Content-Length.",
    param: null,
  },
  request_timeout: {
    message:
      "The request did not arrive in time: 5 s for the headers, 15 s for all of it. Send it again.",
    param: null,
  },
  payment_not_refundable: {
    message:
      "Only a succeeded payment can be refunded; this one is pending or failed. Retrieve it to see its status.",
    param: null,
  },
  refund_declined: {
    message:
      "The card network has declined the refund; the payment stays succeeded, and nothing was given back.",
    param: null,
  },
  payment_already_refunded: {
    message: "This payment has been refunded before; it was not refunded again.",
    param: null,
  },
  payment_not_cancelable: {
    message:
      "Only a pending payment whose page is open can be canceled. This one has no page, has ended, or its customer has just sent a card. Retrieve it to see its status.",
    param: null,
  },
  idempotency_key_reused: {
    message:
      "This Idempotency-Key was used for another request in the last 24 hours. Send a new key with a new request, or the same request again.",
    param: null,
  },
  idempotency_key_in_use: {
    message:
      "The first request with this Idempotency-Key is still being processed. Send it again later, with the same key.",
    param: null,
  },
  rate_limit_exceeded: {
    message:
      "This key may make 100 requests a second. Wait for as many seconds as Retry-After says, then send fewer.",
    param: null,
  },
  service_unavailable: {
    message:
      "The service cannot reach its store or the card network at the moment. Try again; a write with the same Idempotency-Key.",
    param: null,
  },
  internal_error: {
    message:
      "Internal error. Retry with exponential backoff; a write with the same Idempotency-Key.",
    param: null,
  },
};

/** The error `resource_missing` names what is missing, by the path. */
export const missingByPath = {
  payments: {
    name: "payment_not_found",
    message:
      "There is no payment with this id in this mode. Check the id, and that the key is of the mode in which the payment was created.",
    param: "id",
  },
  events: {
    name: "event_not_found",
    message:
      "There is no event with this id in this mode. Check the id and the key; old events are deleted.",
    param: "id",
  },
  webhook_endpoints: {
    name: "webhook_endpoint_not_found",
    message:
      "There is no webhook endpoint with this id in this mode. Check the id, and that the key is of the mode in which it was created.",
    param: "id",
  },
  requests: {
    name: "request_not_found",
    message:
      "There is no request with this id in this mode. Reads that succeed are not logged; a request is found 2 seconds after its response, until it is deleted.",
    param: "id",
  },
} as const;
