import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "./log.ts";
import { isOperationsPath } from "./routes/operations.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What a page's line says beyond what every request's does. */
    logged?: Record<string, string>;
  }
}

/** A request that is over, as it is told of: its route, never its path, which may hold anything. */
export type CompletedRequest = {
  method: string;
  /** null: there is no such route. */
  route: string | null;
  /** null: the client left before it was answered. */
  status: number | null;
  durationMs: number;
};

export type RequestObserver = (request: CompletedRequest) => void;

/** Tells of a request when it is over, whether it was answered or its client left before. */
export function logWhenDone(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, observe }: { log: Log | undefined; observe: RequestObserver | undefined },
): void {
  const startMs = performance.now();
  reply.raw.on("close", () => {
    const past: CompletedRequest = {
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.sent ? reply.statusCode : null,
      durationMs: performance.now() - startMs,
    };
    observe?.(past);
    if (!isQuiet(request, past)) log?.info(line(request, past), "request");
  });
}

/**
 * Probes come every second: they are logged when they fail. What was shed is counted and told of once
 * a second (see overload.ts), since to write a line for each is work too.
 */
function isQuiet(request: FastifyRequest, { status }: CompletedRequest): boolean {
  return request.isShed || (status === 200 && isOperationsPath(request.url));
}

function line(
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
