import type * as z from "zod";
import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";
import type { ErrorCode } from "./error.ts";
import type { Permission } from "./field-values.ts";

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
  /** What a key needs for it; null: any valid key may. */
  permission: Permission | null;
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
 * A route of the API. One that takes a body has the errors of bodies, one that names an id that of a missing object,
 * and one that needs a permission that of a key without it.
 */
export function defineRoute<
  const Endpoint extends Route["endpoint"],
  const RouteParts extends Parts,
>(endpoint: Endpoint, parts: RouteParts): DefinedRoute<Endpoint, RouteParts> {
  const { method, path } = splitEndpoint(endpoint);
  const errors: readonly ErrorCode[] = [
    ...(parts.permission === null ? [] : (["permission_denied"] as const)),
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

export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** The mistake in the value of an Idempotency-Key header, if any (specification: Idempotency). */
export function findIdempotencyKeyMistake(key: string): string | undefined {
  if (!idempotencyKeyPattern.test(key)) {
    return "must be 1 to 255 visible ASCII characters, without spaces";
  }
  return containsCardNumber(key) ? cardNumberPhrase : undefined;
}

/** On a refund: its reason for the audit log, percent-encoded in UTF-8. The fingerprint of the request leaves it out. */
export const reasonHeader = "service-reason";

/** In each live response of a service without a card network: its live payments are simulated, and no money moves. */
export const networkHeader = "service-network";
export const simulatorName = "simulator";

/** In the response with a payment whose customer is at the bank, which asks for a confirmation (3-D Secure). */
export const progressHeader = "payment-progress";
export const atBank = "at_bank";

/** On each page of the checkout: the id and the mode of its payment, for programs that walk the page. */
export const pagePaymentHeader = "payment-id";
export const pageModeHeader = "payment-mode";

/** In each response of a sandbox: the mode of its clock, whose time is in `Date`. No other service sends it. */
export const sandboxClockHeader = "sandbox-clock";

/** In each response of a sandbox that signs webhooks at another time than its own: `wall`. */
export const sandboxSignAtHeader = "sandbox-sign-at";

/** Every released version of the API, oldest first. */
export const versions = ["2026-11-01"] as const;
export type Version = (typeof versions)[number];
export const newestVersion: Version = versions.at(-1) ?? versions[0];

/** The mistake in the value of a Service-Version header, if any (specification: Versioning). */
export function findVersionMistake(date: string): string | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(date) : new Date(Number.NaN);
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
  return isReal ? undefined : "must be a date written YYYY-MM-DD, such as 2026-11-01";
}

/** The newest version released on or before a date, else the oldest one. */
export function findVersion(date: string): Version {
  return versions.findLast((version) => version <= date) ?? versions[0];
}
