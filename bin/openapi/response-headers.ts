import { type ErrorCode, headersByCode } from "../../src/contract/error.ts";
import { type Route, atBank, newestVersion, simulatorName } from "../../src/contract/route.ts";
import type { JsonSchema } from "./write-schema.ts";

const seconds = { type: "integer", format: "int32", minimum: 1, maximum: 86_400 };
const count = { type: "integer", format: "int32", minimum: 0, maximum: 2_147_483_647 };

/** Every header that a response of the API may have, beside those of HTTP itself. */
export const responseHeaders = {
  "Service-Request-Id": {
    description:
      "Identifies the request. Give it to the operator of the service; `GET /v1/requests/{id}` shows a logged request.",
    required: true,
    schema: { type: "string", pattern: "^req_[a-zA-Z0-9-]+$", maxLength: 255 },
    example: "req_0199c5a8-7f3e-7abc-9def-0123456789ab",
  },
  "Service-Version": {
    description: "The version of the API that was applied.",
    schema: { type: "string", format: "date", maxLength: 10 },
    example: newestVersion,
  },
  "X-RateLimit-Limit": {
    description:
      "How many requests a second the key may make. Absent where the service does not limit requests.",
    schema: count,
    example: 100,
  },
  "X-RateLimit-Remaining": {
    description: "How many requests the key may still make in this second.",
    schema: count,
    example: 99,
  },
  "X-RateLimit-Reset": {
    description: "In how many seconds the count begins again.",
    schema: seconds,
    example: 1,
  },
  "Service-Network": {
    description:
      "`simulator` on answers to a live key, where the service is on its built-in simulator: no money moves. Absent from all others.",
    schema: { type: "string", enum: [simulatorName] },
    example: simulatorName,
  },
  "Idempotent-Replayed": {
    description:
      "`true` where this is the stored response to an earlier request with the same `Idempotency-Key`. Absent from all others.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "Payment-Progress": {
    description:
      "`at_bank` while the customer is at the bank, which asks for a confirmation of the payment (3-D Secure). Absent from all others.",
    schema: { type: "string", enum: [atBank] },
    example: atBank,
  },
  "Retry-After": {
    description: "After how many seconds to try again.",
    schema: seconds,
    example: 1,
  },
  "WWW-Authenticate": {
    description: "How a request is authenticated: with a bearer token.",
    schema: { type: "string", enum: ["Bearer"] },
    example: "Bearer",
  },
} satisfies Record<string, JsonSchema>;
type HeaderName = keyof typeof responseHeaders;

const always: HeaderName[] = ["Service-Request-Id"];
const withKey: HeaderName[] = [
  ...always,
  "Service-Version",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Service-Network",
];
/** These errors are found before the key is known. */
const beforeKey: ReadonlySet<ErrorCode> = new Set([
  "invalid_api_key",
  "request_timeout",
  "headers_too_large",
]);

/** References to the headers of a successful response. */
export function referToHeaders({ method, ignoresKey, headers = [] }: Route): JsonSchema {
  const isReplayable = method === "POST" && !ignoresKey;
  return refer([...withKey, ...(isReplayable ? ["Idempotent-Replayed" as const] : []), ...headers]);
}

/** References to the headers of a response with one of these errors. */
export function referToErrorHeaders(codes: readonly ErrorCode[]): JsonSchema {
  const own = new Set(codes.flatMap((code) => Object.keys(headersByCode[code] ?? {})));
  const names = Object.keys(responseHeaders) as HeaderName[];
  return refer([
    ...(codes.every((code) => beforeKey.has(code)) ? always : withKey),
    ...names.filter((name) => own.has(name.toLowerCase())),
  ]);
}

function refer(names: HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
