import type * as z from "zod";
import type { ErrorCode } from "./error.ts";

type Method = "GET" | "POST" | "DELETE";

/** The response headers of single routes; the API's description says what they mean. */
type ResponseHeader = "Payment-Progress";

export type Route = {
  /** Method and path, such as `GET /v1/payments/:id`: a parameter is written `:id`. */
  endpoint: `${Method} /${string}`;
  method: Method;
  path: string;
  summary: string;
  description?: string;
  status: 200 | 201;
  /** What a request may carry. */
  body?: z.ZodType;
  query?: z.ZodType;
  response: z.ZodType;
  /** Headers that a successful response may have, beside those of every response. */
  headers?: readonly ResponseHeader[];
  /** A POST that may happen twice: an `Idempotency-Key` has no effect on it. */
  ignoresKey?: true;
  /** Beside `commonErrors`. */
  errors: readonly ErrorCode[];
};

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

type Parts = Omit<Route, "endpoint" | "method" | "path" | "status" | "errors"> &
  Partial<Pick<Route, "status" | "errors">>;

/**
 * A route of the API. One that takes a body has the errors of bodies, and one that names an id that of a
 * missing object.
 */
export function defineRoute<
  const Endpoint extends Route["endpoint"],
  const RouteParts extends Parts,
>(endpoint: Endpoint, parts: RouteParts): DefinedRoute<Endpoint, RouteParts> {
  const { method, path } = splitEndpoint(endpoint);
  const errors: readonly ErrorCode[] = [
    ...(method === "POST" ? bodyErrors : []),
    ...(method === "POST" && !parts.ignoresKey ? keyErrors : []),
    ...(path.includes("/:id") ? (["resource_missing"] as const) : []),
    ...(parts.errors ?? []),
  ];
  const route = { endpoint, method, path, status: 200, ...parts, errors };
  return route as unknown as DefinedRoute<Endpoint, RouteParts>;
}

type DefinedRoute<Endpoint extends string, RouteParts extends Parts> = Split<Endpoint> &
  Omit<RouteParts, "status" | "errors"> & {
    endpoint: Endpoint;
    status: RouteParts extends { status: infer Status extends Route["status"] } ? Status : 200;
    errors: readonly ErrorCode[];
  };

type Split<Endpoint extends string> = Endpoint extends `${infer Verb extends Method} ${infer Path}`
  ? { method: Verb; path: Path }
  : never;

export function splitEndpoint<Endpoint extends Route["endpoint"]>(endpoint: Endpoint) {
  const [method, path] = endpoint.split(" ");
  return { method, path } as Split<Endpoint>;
}
