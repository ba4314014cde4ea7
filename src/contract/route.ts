import type { ErrorCode } from "./error.ts";

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

/**
 * A route of the API. One that takes a body has the errors of bodies, and one that names an id that of a
 * missing object.
 */
export function defineRoute<
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

/** The control's endpoints; each needs a test key of the sandbox. */
export const sandboxRoutes = {
  reset: toRoute("POST", "/sandbox/reset", "sandboxClock", "Start over"),
  createAccount: toRoute("POST", "/sandbox/accounts", "sandboxAccount", "Create an account", 201),
  getClock: toRoute("GET", "/sandbox/clock", "sandboxClock", "Retrieve the time"),
  moveClock: toRoute("POST", "/sandbox/clock", "movedClock", "Move the time on"),
  setFault: toRoute("POST", "/sandbox/faults", "sandboxFault", "Set a fault", 201),
  listFaults: toRoute("GET", "/sandbox/faults", "sandboxFaultList", "List the faults"),
  clearFaults: toRoute("DELETE", "/sandbox/faults", "sandboxFaultList", "Clear the faults"),
  listRequests: toRoute("GET", "/sandbox/requests", "sandboxRequestList", "List the requests"),
} as const;

function toRoute<const Method extends Route["method"], const Response extends Route["response"]>(
  method: Method,
  path: string,
  response: Response,
  summary: string,
  status: 200 | 201 = 200,
) {
  return { method, path, response, summary, status, errors: [] };
}
