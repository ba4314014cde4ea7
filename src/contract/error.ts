import * as z from "zod";
import type { AnsweredStatus } from "./field-values.ts";

type ErrorType =
  | "authentication_error"
  | "permission_error"
  | "invalid_request_error"
  | "idempotency_error"
  | "rate_limit_error"
  | "api_error"
  | "card_error";

/** Every error code, its type, and what the page at `doc_url` says of it. */
export const errorCodes = {
  invalid_api_key: {
    type: "authentication_error",
    meaning: "The API key is missing, malformed, unknown, expired or revoked.",
    remedy:
      "Send `Authorization: Bearer <key>` with a secret key of this service. Keys begin with `svc_test_sk_` or `svc_live_sk_`; an operator makes one with `payments keys create`.",
  },
  permission_denied: {
    type: "permission_error",
    meaning: "The API key may not do this: it lacks the permission that the message names.",
    remedy:
      "Use a key that has the permission; `payments keys create --can …` makes one. `GET /v1/account` says what a key may.",
  },
  refund_limit_exceeded: {
    type: "permission_error",
    meaning: "The payment is larger than what this API key may refund. Nothing was refunded.",
    remedy:
      "Refund it with another key, or in the dashboard. `GET /v1/account` says what a key may refund at most.",
  },
  parameter_missing: {
    type: "invalid_request_error",
    meaning: "A required field is absent.",
    remedy: "Add the field that `param` names.",
  },
  parameter_invalid: {
    type: "invalid_request_error",
    meaning:
      "A field, parameter or header has the wrong type, is out of range, is repeated, or names something that is not there.",
    remedy: "The message says what `param` must be; send the request again with that.",
  },
  parameter_unknown: {
    type: "invalid_request_error",
    meaning: "A field or query parameter does not exist.",
    remedy:
      "Check the spelling of what `param` names, or leave it out. Unknown fields are refused because a filter that is silently ignored gives the wrong list.",
  },
  invalid_json: {
    type: "invalid_request_error",
    meaning: "The body is not a JSON object in UTF-8.",
    remedy: "Send one JSON object, encoded in UTF-8.",
  },
  resource_missing: {
    type: "invalid_request_error",
    meaning: "Nothing of this kind in this account and mode has this id.",
    remedy:
      "Check the id, and that the key is of the mode in which it was created: test and live data never meet.",
  },
  endpoint_not_found: {
    type: "invalid_request_error",
    meaning:
      "This path is not part of the API; or it makes a payment page, and the service inside the command has no address at which a customer could open one.",
    remedy: "See `/openapi.json` for the paths there are; for payment pages run `payments serve`.",
  },
  method_not_allowed: {
    type: "invalid_request_error",
    meaning: "The path exists, but not with this method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  request_too_large: {
    type: "invalid_request_error",
    meaning: "The body is larger than 64 KiB.",
    remedy: "Send a smaller body.",
  },
  unsupported_media_type: {
    type: "invalid_request_error",
    meaning: "The body is not declared as JSON in UTF-8, or is compressed.",
    remedy: "Send `Content-Type: application/json`, and no `Content-Encoding`.",
  },
  headers_too_large: {
    type: "invalid_request_error",
    meaning: "The request line and headers are larger than 16 KiB.",
    remedy: "Send fewer or shorter headers.",
  },
  malformed_request: {
    type: "invalid_request_error",
    meaning: "The request is not valid HTTP.",
    remedy: "Use an HTTP client library; check what sits between it and the service.",
  },
  request_timeout: {
    type: "invalid_request_error",
    meaning:
      "The headers did not arrive within 5 seconds, or the whole request within 15 seconds. The connection was closed.",
    remedy: "Send the request again; a write with the same `Idempotency-Key`.",
  },
  payment_not_refundable: {
    type: "invalid_request_error",
    meaning: "The payment is pending or failed; only a succeeded payment can be refunded.",
    remedy: "Retrieve the payment to see its status. A pending one may still succeed.",
  },
  refund_declined: {
    type: "invalid_request_error",
    meaning:
      "The card network declined the refund. The payment stays succeeded; no money was given back.",
    remedy: "Ask the card network why, or give the money back in another way.",
  },
  payment_already_refunded: {
    type: "invalid_request_error",
    meaning: "The payment has been refunded before. It was not refunded again.",
    remedy: "Nothing is left to do.",
  },
  payment_not_cancelable: {
    type: "invalid_request_error",
    meaning:
      "Only a pending payment whose page is open can be canceled. This one has no page, has ended, or its customer has just sent a card.",
    remedy:
      "Retrieve the payment to see its status. Refund one that has succeeded; wait for the outcome of a pending one.",
  },
  idempotency_key_reused: {
    type: "idempotency_error",
    meaning: "This `Idempotency-Key` was used for another request within the last 24 hours.",
    remedy:
      "Use a new key (a UUIDv4) for a new request. To retry a request, send it exactly as it was sent first.",
  },
  idempotency_key_in_use: {
    type: "idempotency_error",
    meaning: "The first request with this `Idempotency-Key` is still being processed.",
    remedy: "Send the request again, with the same key, after `Retry-After` seconds.",
  },
  rate_limit_exceeded: {
    type: "rate_limit_error",
    meaning: "Too many requests were made with this key.",
    remedy: "Wait `Retry-After` seconds, then go on more slowly.",
  },
  service_unavailable: {
    type: "api_error",
    meaning:
      "The store or the card network cannot be reached at the moment, or the service has more requests than it can take.",
    remedy: "Retry after `Retry-After` seconds; a write with the same `Idempotency-Key`.",
  },
  internal_error: {
    type: "api_error",
    meaning: "Internal error.",
    remedy:
      "Retry with exponential backoff; a write with the same `Idempotency-Key`. Give the operator the `request_id` if it goes on.",
  },
} as const satisfies Record<string, { type: ErrorType; meaning: string; remedy: string }>;
export type ErrorCode = keyof typeof errorCodes;

/** The body of every answer that is not a success (specification: Error envelope). */
export const errorEnvelope = z
  .object({
    error: z.object({
      type: z.string(),
      code: z.string(),
      message: z.string(),
      param: z.string().nullable(),
      decline_code: z.string().nullable(),
      doc_url: z.string(),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

/** Every error code and the HTTP status it is answered with. */
export const statusByCode = {
  invalid_api_key: 401,
  permission_denied: 403,
  refund_limit_exceeded: 403,
  parameter_missing: 400,
  parameter_invalid: 400,
  parameter_unknown: 400,
  invalid_json: 400,
  resource_missing: 404,
  endpoint_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_too_large: 413,
  unsupported_media_type: 415,
  headers_too_large: 431,
  malformed_request: 400,
  payment_not_refundable: 422,
  payment_already_refunded: 422,
  refund_declined: 422,
  payment_not_cancelable: 422,
  idempotency_key_reused: 409,
  idempotency_key_in_use: 409,
  rate_limit_exceeded: 429,
  service_unavailable: 503,
  internal_error: 500,
} as const satisfies Record<ErrorCode, AnsweredStatus>;

/** The headers that go with an error code. */
export const headersByCode: { [Code in ErrorCode]?: Record<string, string> } = {
  invalid_api_key: { "www-authenticate": "Bearer" },
  idempotency_key_in_use: { "retry-after": "1" },
  rate_limit_exceeded: { "retry-after": "1" },
  service_unavailable: { "retry-after": "1" },
};

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const errorTexts = {
  Error: "Why a request was not done.",
  "Error.error": "What is wrong.",
  "Error.error.type": "The kind of error.",
  "Error.error.code": "Which error it is. Programs decide by it.",
  "Error.error.message": "What is wrong and what to do, for people.",
  "Error.error.param": "The field, parameter or header at fault, such as `card[number]`.",
  "Error.error.decline_code": "Always null: a decline is reported on the payment.",
  "Error.error.doc_url": "The page that explains the error.",
  "Error.error.request_id": "The request's id, as in `Service-Request-Id`.",
};

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
  permission_denied: {
    message: "This API key lacks the permission refund. Use a key that has it.",
    param: null,
  },
  refund_limit_exceeded: {
    message:
      "This API key may refund at most 2500 in minor units, and this payment is larger. Nothing was refunded; use another key.",
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

const noPayment =
  "There is no payment with this id in this mode. Check the id, and that the key is of the mode in which the payment was created.";

/** The error `resource_missing` names what is missing, by the path. */
export const missingByPath = {
  payments: { name: "payment_not_found", message: noPayment, param: "id" },
  deliveries: { name: "delivered_payment_not_found", message: noPayment, param: "payment" },
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

/** A request that is refused, by the code that the API names it with. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: ErrorCode;
  /** The field at fault, in bracket form (`card[number]`). */
  readonly param: string | null;
  /** The payment that it is about, where the request does not name it; for the log of requests alone. */
  paymentId: string | undefined;

  constructor(code: ErrorCode, message: string, param: string | null = null) {
    super(message);
    this.code = code;
    this.param = param;
  }
}
