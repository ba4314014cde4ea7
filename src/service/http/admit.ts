import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  findIdempotencyKeyMistake,
  networkHeader,
  simulatorName,
  findVersionMistake,
  findVersion,
} from "../../contract/headers.ts";
import type { Principal } from "../ports/ports.ts";
import type { Service } from "../use-cases/service.ts";
import { ServiceError } from "../domain/service-error.ts";
import { parsePath } from "./target.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who makes the request; set before any handler under /v1 runs. */
    principal: Principal;
  }
}

/** Lets a request pass, or throws what it is refused with. Its answer may get headers either way. */
export type Guard = (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;
/** A guard that decides at once. */
export type PromptGuard = (request: FastifyRequest, reply: FastifyReply) => void;

/** Sets a guard up in an app; what it needs is loaded only by those who want it. */
export type GuardSetup = (app: FastifyInstance) => Guard;

/** The headers that may be sent once, as an error names them. */
const single = new Map(
  ["Authorization", "Idempotency-Key", "Service-Version"].map((name) => [name.toLowerCase(), name]),
);

/**
 * What comes before a request's body is read, in this order: no header repeated, authentication,
 * what the key and its account may send, the route, the other headers. So a bad key never learns whether a path or an id
 * exists.
 */
export async function admit(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  guards: readonly Guard[] = [],
): Promise<void> {
  if (!isApiPath(request.url)) return;
  refuseRepeatedHeaders(request);
  request.principal = await service.authenticate(request.headers.authorization);
  reply.header("service-version", request.principal.defaultVersion);
  if (request.principal.scope.livemode && !service.movesMoney) {
    reply.header(networkHeader, simulatorName);
  }
  for (const guard of guards) await guard(request, reply);
  if (request.is404) return;
  checkVersion(request, reply);
  checkIdempotencyKey(request);
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
      "The Host header is not a host name or address. Send the host of the address that is requested.",
    );
  }
}

/** Everything under /v1 needs a key, whether it exists or not. */
export function isApiPath(url: string): boolean {
  return /^\/v1(?:\/|$)/.test(parsePath(url));
}

/** Node drops or joins repeated headers silently; the raw ones still show them. */
function refuseRepeatedHeaders(request: FastifyRequest): void {
  const seen = new Set<string>();
  const raw = request.raw.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) {
    const sent = raw[i] ?? "";
    if (sent.length < 13 || sent.length > 15) continue;
    const name = single.get(sent.toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) {
      throw new ServiceError(
        "parameter_invalid",
        `The header ${name} must not be repeated. Send it once.`,
        name,
      );
    }
    seen.add(name);
  }
}

function checkVersion(request: FastifyRequest, reply: FastifyReply): void {
  const date = request.headers["service-version"];
  if (date === undefined) return;
  refuseMistake("Service-Version", findVersionMistake(String(date)));
  reply.header("service-version", findVersion(String(date)));
}

function checkIdempotencyKey(request: FastifyRequest): void {
  const key = request.headers["idempotency-key"];
  if (request.method !== "POST" || key === undefined) return;
  refuseMistake("Idempotency-Key", findIdempotencyKeyMistake(String(key)));
}

function refuseMistake(name: string, mistake: string | undefined): void {
  if (mistake === undefined) return;
  throw new ServiceError("parameter_invalid", `The header ${name} ${mistake}.`, name);
}
