import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { isNativeError } from "node:util/types";
import { ConfigError, Unavailable } from "../runtime/failures.ts";
import type { Answers, Route } from "../contract/routes.ts";
import {
  ConnectionError,
  InterruptedError,
  isUnanswered,
  isOutcomeUnknown,
  PaymentsError,
} from "./errors.ts";
import { describeFailure } from "./failure-reason.ts";
import { readResponse, type AttemptResult } from "./read-answer.ts";
import { computeRetryDelay } from "./retry-timing.ts";
import {
  NotSentError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.ts";

export type Connection = {
  apiKey: string;
  transport: Transport;
  serviceVersion: string | undefined;
  maxRetries: number;
  timeoutMs: number;
  /** Aborted when the client is closed: nothing is sent any more then. */
  closed: AbortSignal;
};

export type CallOptions = {
  /** Gives the call up: it ends with an `InterruptedError`, and what was sent may have happened. */
  signal?: AbortSignal | undefined;
};

export type Call = CallOptions & {
  params?: { id: string };
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  idempotencyKey?: string;
};

/**
 * One call of the API: reads, and writes with their idempotency key, are tried again while that can
 * help, with the same bytes each time. Gives what the service sent, checked against the contract but
 * otherwise untouched. What JSON or a URL cannot hold is the caller's mistake: the TypeError or
 * URIError about it is thrown, and nothing is sent.
 */
export async function request<R extends Route>(
  connection: Connection,
  route: R,
  call: Call,
): Promise<Answers[R["answer"]]> {
  const { signal } = call;
  if (connection.closed.aborted) {
    throw new PaymentsError("The client is closed.", { retryable: false });
  }
  const prepared = requestOf(connection, route, call);
  let isSent = false;
  let unclear = false;
  for (let attempt = 0; ; attempt++) {
    const tried = signal?.aborted
      ? { error: new InterruptedError(signal.reason, { sent: false }) }
      : await unlessAborted(
          async (given) => attemptOnce(connection, route, call, { ...prepared, ...given }),
          signal,
        );
    if (!("error" in tried)) return tried.value as Answers[R["answer"]];
    const delayMs = tried.error.retryable
      ? computeRetryDelay(attempt, tried.error.retryAfterMs, Math.random)
      : undefined;
    isSent ||= !isUnanswered(tried.error) || tried.error.sent;
    unclear ||= isOutcomeUnknown(tried.error);
    const isTriedAgain = delayMs !== undefined && attempt < connection.maxRetries;
    if (isTriedAgain) {
      const ended = AbortSignal.any([connection.closed, ...(signal ? [signal] : [])]);
      await delay(delayMs, undefined, { signal: ended }).catch(() => {});
    }
    if (!isTriedAgain || connection.closed.aborted) {
      const isWrite = call.idempotencyKey !== undefined;
      if (isSent) tried.error.idempotencyKey = call.idempotencyKey;
      else if (isWrite && tried.error instanceof ConnectionError) tried.error.sayNothingWasSent();
      tried.error.outcomeUnknown = isWrite && unclear;
      throw tried.error;
    }
  }
}

/**
 * What a try ends with, or that it was given up: what was sent may still happen, but holds neither a
 * connection nor this process any longer.
 */
async function unlessAborted(
  attempt: (given: { signal?: AbortSignal }) => Promise<AttemptResult>,
  signal?: AbortSignal,
): Promise<AttemptResult> {
  if (!signal) return await attempt({});
  const settled = new AbortController();
  const aborted = once(signal, "abort", { signal: settled.signal }).then(() => ({
    error: new InterruptedError(signal.reason, { sent: true }),
  }));
  aborted.catch(() => {});
  try {
    return await Promise.race([attempt({ signal: settled.signal }), aborted]);
  } finally {
    settled.abort();
  }
}

function requestOf(connection: Connection, route: Route, call: Call): TransportRequest {
  return {
    method: route.method,
    path: toPath(route, call),
    headers: toHeaders(connection, call),
    timeoutMs: connection.timeoutMs,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  };
}

async function attemptOnce(
  connection: Connection,
  route: Route,
  call: Call,
  prepared: TransportRequest,
): Promise<AttemptResult> {
  let answer: TransportAnswer;
  try {
    answer = await connection.transport.send(prepared);
  } catch (error) {
    // What keeps this very process from asking is told as it is: another try would not help.
    const isOurs = error instanceof Unavailable || error instanceof ConfigError;
    // Where tests run in a realm of their own, Node's errors are no instances of that realm's Error.
    if (!isNativeError(error) || isOurs) throw error;
    const message = `The service did not answer: ${describeFailure(error)}.`;
    const isNotSent = error instanceof NotSentError;
    const cause = isNotSent ? error.cause : error;
    return { error: new ConnectionError(message, cause, { sent: !isNotSent }) };
  }
  return await readResponse({ apiKey: connection.apiKey, route, id: call.params?.id }, answer);
}

/** The path of a call, its query in the order given. */
export function toPath(route: Route, { params, query }: Call): string {
  const path = route.path.replace(":id", encodeURIComponent(params?.id ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

export function toHeaders(
  connection: Pick<Connection, "apiKey" | "serviceVersion">,
  { body, idempotencyKey }: Call,
): Record<string, string> {
  return {
    authorization: `Bearer ${connection.apiKey}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(connection.serviceVersion !== undefined && {
      "service-version": connection.serviceVersion,
    }),
  };
}
