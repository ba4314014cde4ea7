import type { FastifyReply, FastifyRequest } from "fastify";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import { findIdempotencyKeyMistake } from "../../contract/route.ts";
import { mask } from "../../contract/mask.ts";
import { paymentIdPattern } from "../../contract/field-values.ts";
import type { Log } from "../../runtime/log.ts";
import type { ServiceError } from "../../contract/error.ts";
import { parsePath } from "../web/read-request.ts";
import type { Principal } from "../accounts/accounts-service.ts";
import type { StoredRequest } from "../requests/requests-store.ts";
import { isApiPath } from "./request-guards.ts";
import { isOperationsPath } from "./keyless-routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request began, by `performance.now`. */
    startMs: number;
    /** Why the request is refused, once that is known. */
    failure?: ServiceError;
    /** The payment that the request made or changed. */
    paymentId?: string | undefined;
    /** A listener's poll that took no delivery. */
    wroteNothing?: boolean;
    /** Fields of the dashboard's log lines beyond those of every request. */
    logged?: Record<string, string>;
    /** When its response was made, where the rest of it is read afterwards. */
    answeredAtMs?: number;
  }
}

/** A request that is over, by its route and never its path, which may contain a secret. */
export type CompletedRequest = {
  method: string;
  /** null: there is no such route. */
  route: string | null;
  /** null: the client left before it was answered. */
  status: number | null;
  durationMs: number;
};

export type RequestObserver = (request: CompletedRequest) => void;

/** Logs and reports a request that is over, whether it was answered or its client left before. */
export function logClosed(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, observe }: { log?: Log; observe?: RequestObserver },
): void {
  const completed: CompletedRequest = {
    method: request.method,
    route: request.is404 ? null : (request.routeOptions.url ?? null),
    status: reply.sent ? reply.statusCode : null,
    durationMs: (request.answeredAtMs ?? performance.now()) - request.startMs,
  };
  observe?.(completed);
  if (!isQuiet(request, completed)) log?.info(toLogFields(request, completed), "request");
}

/**
 * Probes come every second: they are logged when they fail. Shed requests share a line a second (see
 * shed-load.ts), since a line for each is work, too.
 */
function isQuiet(request: FastifyRequest, { status }: CompletedRequest): boolean {
  return request.isShed || (status === 200 && isOperationsPath(request.url));
}

function toLogFields(
  request: FastifyRequest,
  { method, route, status, durationMs }: CompletedRequest,
): object {
  const principal = request.principal as FastifyRequest["principal"] | undefined;
  return {
    request_id: request.id,
    method,
    route,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    mode: principal ? (principal.scope.livemode ? "live" : "test") : null,
    key_id: principal?.keyId ?? null,
    ...request.logged,
  };
}

/**
 * A request as it is logged when its response is ready, also where its client has left; undefined for a read that
 * succeeded, outside the API, and where no key says whose request it is. Secrets in its path and headers are masked.
 */
export function toStoredRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { logsReads }: { logsReads: boolean },
): StoredRequest | undefined {
  const principal = request.principal as Principal | undefined;
  if (!principal || !isApiPath(request.url)) return undefined;
  const { method, failure, id } = request;
  const status = reply.statusCode;
  const isWrite = method === "POST" || method === "DELETE";
  if (isWrite ? request.wroteNothing : !logsReads || status < 400) return undefined;
  return {
    scope: principal.scope,
    id,
    method,
    path: maskPathSegments(request.url),
    status,
    durationMs: Math.round((performance.now() - request.startMs) * 10) / 10,
    keyId: principal.keyId,
    keyName: readKeyName(principal),
    errorCode: failure?.code ?? null,
    errorParam: failure?.param == null ? null : toStorable(mask(failure.param)),
    paymentId: request.paymentId ?? findNamedPayment(request) ?? failure?.paymentId ?? null,
    idempotencyKey: readIdempotencyKey(request),
    isReplayed: reply.hasHeader("idempotent-replayed"),
  };
}

const keyNames = new WeakMap<Principal, string>();

/** The name of the key, masked once for the requests that follow each other. */
function readKeyName(principal: Principal): string {
  const known = keyNames.get(principal) ?? mask(principal.actor.name);
  keyNames.set(principal, known);
  return known;
}

/** Most paths have nothing to mask. */
const plainPath = /^\/v1(?:\/[a-z_]+|\/[a-z]+_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})*$/;
const plainSegment = /^(?![0-9]+$)[\w.~-]{1,100}$/;
const maxDecodings = 3;

/** The path of a target, without its query. A part that is no name or id, or has a secret in it, is hidden. */
export function maskPathSegments(target: string): string {
  const path = parsePath(target);
  if (plainPath.test(path)) return path;
  const segments = path.split("/").map((segment) => {
    const text = decodeWhole(segment);
    return text === "" || text === "v1" ? text : plainSegment.test(text) ? mask(text) : "…";
  });
  const masked = segments.join("/").slice(0, maxPathLength);
  // A number may be spread over several segments.
  return containsCardNumber(masked) ? "/v1/…" : masked;
}

const maxPathLength = 500;

/** A segment without percent-encoding, however often it was encoded. */
function decodeWhole(segment: string): string {
  let text = segment;
  for (let i = 0; i < maxDecodings && text.includes("%"); i++) {
    try {
      text = decodeURIComponent(text);
    } catch {
      return "%"; // hidden
    }
  }
  return text;
}

/** The payment that the path names, whether it exists or not. */
function findNamedPayment({ params, routeOptions }: FastifyRequest): string | undefined {
  const { id } = (params ?? {}) as { id?: string };
  const isNamed = routeOptions.url?.startsWith("/v1/payments/:id") && id !== undefined;
  return isNamed && paymentIdPattern.test(id) && id.length <= 100 && mask(id) === id
    ? id
    : undefined;
}

/**
 * PostgreSQL stores no NUL, which a field's name may have: one would keep all requests of a batch from being written. A
 * lone surrogate would come back as another text than it was logged with.
 */
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}

/** The key of a write. One that is refused is not stored, and secrets in others are masked; long numbers stay. */
export function readIdempotencyKey({ method, headers, failure }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  if (method !== "POST" || typeof key !== "string") return null;
  if (failure && findIdempotencyKeyMistake(key) !== undefined) return null;
  return /sk_|pk_|rk_|whsec_/i.test(key) ? mask(key) : key;
}
