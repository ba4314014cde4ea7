import { mask } from "../../contract/mask.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isOperationsPath } from "./routes/operations.ts";

/** The service's log. The caller masks secrets. */
export type Log = {
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

/**
 * Counts occurrences, and reports their number at once and then once an interval at most: under an attack, a log
 * line for each would overload the service.
 */
export function countAndReport(
  everyMs: number,
  report: (count: number) => void,
  nowMs = () => performance.now(),
): () => void {
  let reportedAtMs = -Infinity;
  let count = 0;
  return () => {
    count++;
    if (nowMs() < reportedAtMs + everyMs) return;
    reportedAtMs = nowMs();
    report(count);
    count = 0;
  };
}

const maxCauses = 5;

type LoggedError = { type: string; message: string; stack: string; cause?: LoggedError };

/**
 * An error for the log, with its causes. An error may quote or carry a request, so its texts are masked and
 * its other properties left out.
 */
export function toMaskedError(error: unknown, depth = 0): LoggedError {
  const { name, message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const hasCause = cause instanceof Error && depth < maxCauses;
  return {
    type: name,
    message: mask(message),
    stack: mask(stack ?? ""),
    ...(hasCause && { cause: toMaskedError(cause, depth + 1) }),
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Fields of the dashboard's log lines beyond those of every request. */
    logged?: Record<string, string>;
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
  const startMs = performance.now();
  reply.raw.on("close", () => {
    const completed: CompletedRequest = {
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.sent ? reply.statusCode : null,
      durationMs: performance.now() - startMs,
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
