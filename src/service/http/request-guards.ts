import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "../accounts/authenticate.ts";
import {
  findIdempotencyKeyMistake,
  findVersion,
  findVersionMistake,
  networkHeader,
  reasonHeader,
  simulatorName,
} from "../../contract/route.ts";
import { decodeReason, findReasonMistake } from "../../contract/administration.ts";
import { WindowCounts } from "../../runtime/fair-semaphore.ts";
import { ServiceError } from "../../contract/error.ts";
import { type Permission, permissions } from "../../contract/field-values.ts";
import { parsePath } from "../web/read-request.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import type { Service } from "../service.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by authentication, before any handler under /v1 runs. */
    principal: Principal;
  }
  interface FastifyContextConfig {
    /** Of a route of the API. */
    permission?: Permission | null;
  }
}

/** Lets a request pass, or throws its error; it may set headers of the response either way. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void;

/** The headers that must not be repeated, as an error names them. */
const singleHeaders = new Map(
  ["Authorization", "Content-Type", "Idempotency-Key", "Service-Reason", "Service-Version"].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/**
 * The checks before a body is read, in this order: no header repeated, authentication, the limits of the key
 * and its account (`guards`), the route, the key's permission, the other headers. Authentication comes before the route,
 * because a client without a valid key must not learn whether a path or an id exists. A promise only where the key has
 * to be looked up.
 */
export function authenticateRequest(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  guards: readonly Guard[],
): Promise<void> | undefined {
  if (!isApiPath(request.url)) return undefined;
  refuseRepeatedHeaders(request);
  const admit = (principal: Principal) => {
    request.principal = principal;
    reply.header("service-version", principal.defaultVersion);
    if (principal.scope.livemode && !service.movesMoney) reply.header(networkHeader, simulatorName);
    for (const guard of guards) guard(request, reply);
    if (request.is404) return;
    checkPermission(request);
    checkHeaders(request, reply);
  };
  const principal = authenticate(service, request.headers.authorization);
  if ("then" in principal) return principal.then(admit);
  admit(principal);
  return undefined;
}

/** Refuses what the key of a request may not do. A route that names no permission is refused to a restricted key. */
export function checkPermission(request: FastifyRequest): void {
  const allowed = request.principal.permissions;
  if (allowed.length === permissions.length) return; // Fastify makes a route's options anew each time
  const { permission } = request.routeOptions.config;
  if (permission === null || (permission && allowed.includes(permission))) return;
  throw new ServiceError(
    "permission_denied",
    `This API key lacks the permission ${permission}. Use a key that has it.`,
  );
}

function checkHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const version = request.headers["service-version"];
  if (version !== undefined) {
    refuseMistake("Service-Version", findVersionMistake(String(version)));
    reply.header("service-version", findVersion(String(version)));
  }
  const key = request.headers["idempotency-key"];
  if (request.method === "POST" && key !== undefined) {
    refuseMistake("Idempotency-Key", findIdempotencyKeyMistake(String(key)));
  }
  const reason = request.headers[reasonHeader];
  if (request.method === "POST" && reason !== undefined) {
    refuseMistake("Service-Reason", findReasonMistake(decodeReason(String(reason))));
  }
}

/** Less than the second within which a revoked key is refused. */
const checkedForMs = 500;

/** Whether the body took so long to arrive that the key may have been revoked meanwhile. */
export function isAuthenticationOld({ body, startMs }: FastifyRequest): boolean {
  return body !== undefined && performance.now() - startMs >= checkedForMs;
}

/** Everything under /v1 needs a key, whether it exists or not. */
export function isApiPath(url: string): boolean {
  return /^\/v1(?:\/|$)/.test(parsePath(url));
}

/** Node drops or joins repeated headers silently; the raw ones still show them. */
function refuseRepeatedHeaders({ raw: { rawHeaders } }: FastifyRequest): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i] ?? "";
    if (sent.length < 12 || sent.length > 15) continue;
    const name = singleHeaders.get(sent.toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) refuseMistake(name, "must not be repeated. Send it once");
    seen.add(name);
  }
}

function refuseMistake(name: string, mistake: string | undefined): void {
  if (mistake === undefined) return;
  throw new ServiceError("parameter_invalid", `The header ${name} ${mistake}.`, name);
}

/** A name or an address, and perhaps a port (RFC 9110, section 7.2); it may be empty. */
const hostPattern = /^(?:\[[\w.:%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** HTTP/1.1 requires one Host header, and no version allows two, or one that is no host (RFC 9112, section 3.2). */
export function checkHost({ raw, headers }: FastifyRequest): void {
  const { rawHeaders, httpVersion } = raw;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  if (count === 0 && httpVersion === "1.1") {
    throw new ServiceError("malformed_request", "The request has no Host header. Send one.");
  }
  if (count > 1) {
    throw new ServiceError("malformed_request", "The request has two Host headers. Send one.");
  }
  if (!hostPattern.test(headers.host ?? "")) {
    throw new ServiceError(
      "malformed_request",
      "The Host header is not a host name or address. Send the host of the requested address.",
    );
  }
}

const rateWindowMs = 1_000;
/** Keys that are counted at a time. */
const maxRatedKeys = 10_000;

/**
 * Lets each key make so many requests a second on this replica, in windows of a second that begin with a key's
 * first request. Error: rate_limit_exceeded.
 */
export function limitRate(perSecond: number): Guard {
  const counts = new WindowCounts(rateWindowMs, maxRatedKeys);
  return ({ principal }, reply) => {
    const { count, leftMs } = counts.add(principal.keyId);
    const waitSeconds = Math.max(1, Math.ceil(leftMs / 1000));
    reply.headers({
      "x-ratelimit-limit": perSecond,
      "x-ratelimit-remaining": Math.max(0, perSecond - count),
      "x-ratelimit-reset": waitSeconds,
    });
    if (count <= perSecond) return;
    throw new ServiceError(
      "rate_limit_exceeded",
      `This key may make ${perSecond} requests a second. Wait for as many seconds as Retry-After says, then send fewer.`,
    );
  };
}
