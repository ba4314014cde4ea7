import type { FastifyReply, FastifyRequest } from "fastify";
import { isOperationsPath } from "./routes/operations.ts";
import type { Log } from "../../runtime/log.ts";

declare module "fastify" {
  interface FastifyRequest {
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

/** Logs and reports a request when it is over, whether it was answered or its client left before. */
export function logWhenDone(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, observe }: { log?: Log; observe?: RequestObserver },
): void {
  const { startMs } = request;
  reply.raw.on("close", () => {
    const completed: CompletedRequest = {
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.sent ? reply.statusCode : null,
      durationMs: (request.answeredAtMs ?? performance.now()) - startMs,
    };
    observe?.(completed);
    if (!isQuiet(request, completed)) log?.info(toLogFields(request, completed), "request");
  });
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
