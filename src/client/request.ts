import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { findIdempotencyKeyMistake } from "../contract/headers.ts";
import { ConfigError, Unavailable } from "../runtime/failures.ts";
import type { SandboxResponses } from "../contract/sandbox.ts";
import type { Responses } from "../contract/schemas.ts";
import type { Route } from "../contract/route.ts";
import {
  ConnectionError,
  InterruptedError,
  hasNoResponse,
  isOutcomeUnknown,
  PaymentsError,
} from "./errors.ts";
import { describeFailure } from "./failure-reason.ts";
import { readResponse, type AttemptResult, type Success } from "./read-response.ts";
import { computeRetryDelay } from "./retry-timing.ts";
import {
  NotSentError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "./transport.ts";

type AllResponses = Responses & SandboxResponses;

export type Connection = {
  apiKey: string;
  transport: Transport;
  serviceVersion: string | undefined;
  maxRetries: number;
  timeoutMs: number;
  /** Aborted when the client is closed: nothing is sent after that. */
  closed: AbortSignal;
};

export type CallOptions = {
  /** Ends the call with an `InterruptedError`; what was sent may have had its effect. */
  signal?: AbortSignal | undefined;
};

export type Call = CallOptions & {
  params?: { id: string; delivery?: string };
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  idempotencyKey?: string;
  /** Called with the headers of the successful response; their names are in lower case. */
  onHeaders?: (headers: TransportAnswer["headers"]) => void;
};

export type WriteOptions = CallOptions & {
  /** Names the write, so that it happens once however often it is sent; a UUIDv4 by default. */
  idempotencyKey?: string | undefined;
};

/** A write, under an idempotency key. Throws a `TypeError` for a key that no header can carry. */
export async function write<R extends Route>(
  connection: Connection,
  route: R,
  call: Pick<Call, "params" | "body">,
  { idempotencyKey = crypto.randomUUID(), signal }: WriteOptions = {},
): Promise<AllResponses[R["response"]]> {
  const mistake = findIdempotencyKeyMistake(idempotencyKey);
  if (mistake !== undefined) throw new TypeError(`idempotencyKey ${mistake}.`);
  return await request(connection, route, { ...call, idempotencyKey, signal });
}

/** A call whose only parameter is an id. */
export function byId<R extends Route>(connection: Connection, route: R) {
  return async (id: string, { signal }: CallOptions = {}) =>
    request(connection, route, { params: { id }, signal });
}

/**
 * One call of the API. Reads, and writes with their idempotency key, are retried while that can help, with the same
 * bytes each time. Returns what the service sent, checked against the contract but otherwise untouched. A value that
 * JSON or a URL cannot hold is the caller's mistake: the TypeError or URIError about it is thrown, and nothing is sent.
 */
export async function request<R extends Route>(
  connection: Connection,
  route: R,
  call: Call,
): Promise<AllResponses[R["response"]]> {
  const about = { apiKey: connection.apiKey, route, id: call.params?.id };
  const read = async (response: TransportAnswer) => readResponse(about, response);
  const result = await sendWithRetries(connection, toRequest(connection, route, call), read, call);
  call.onHeaders?.(result.headers);
  return result.value as AllResponses[R["response"]];
}

/**
 * Sends a request that may be sent again, and returns what `read` makes of the response. `read` says which responses
 * are failures, and which of these are worth a retry.
 */
export async function sendWithRetries<Value>(
  connection: Connection,
  prepared: TransportRequest,
  read: (response: TransportAnswer) => Promise<AttemptResult<Value>>,
  { signal, idempotencyKey }: Pick<Call, "signal" | "idempotencyKey">,
): Promise<Success<Value>> {
  if (connection.closed.aborted) {
    throw new PaymentsError("The client is closed.", { retryable: false });
  }
  let isSent = false;
  let isUnclear = false;
  for (let attempt = 0; ; attempt++) {
    const result = signal?.aborted
      ? { error: new InterruptedError(signal.reason, { sent: false }) }
      : await unlessAborted(
          async (given) => attemptOnce(connection, { ...prepared, ...given }, read),
          signal,
        );
    if (!("error" in result)) return result;
    const delayMs = result.error.retryable
      ? computeRetryDelay(attempt, result.error.retryAfterMs, Math.random)
      : undefined;
    isSent ||= !hasNoResponse(result.error) || result.error.sent;
    isUnclear ||= isOutcomeUnknown(result.error);
    const isRetried = delayMs !== undefined && attempt < connection.maxRetries;
    if (isRetried) {
      const ended = AbortSignal.any([connection.closed, ...(signal ? [signal] : [])]);
      await delay(delayMs, undefined, { signal: ended }).catch(() => {});
    }
    if (!isRetried || connection.closed.aborted) {
      const isWrite = idempotencyKey !== undefined;
      if (isSent) result.error.idempotencyKey = idempotencyKey;
      else if (isWrite && result.error instanceof ConnectionError) result.error.sayNothingWasSent();
      result.error.outcomeUnknown = isWrite && isUnclear;
      throw result.error;
    }
  }
}

/**
 * The result of an attempt, or an `InterruptedError` once `signal` is aborted: the request may still have its effect,
 * but keeps neither a connection nor this process busy any longer.
 */
async function unlessAborted<Value>(
  attempt: (given: { signal?: AbortSignal }) => Promise<AttemptResult<Value>>,
  signal?: AbortSignal,
): Promise<AttemptResult<Value>> {
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

function toRequest(connection: Connection, route: Route, call: Call): TransportRequest {
  return {
    method: route.method,
    path: toPath(route, call),
    headers: toHeaders(connection, call),
    timeoutMs: connection.timeoutMs,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  };
}

async function attemptOnce<Value>(
  { transport }: Connection,
  prepared: TransportRequest,
  read: (response: TransportAnswer) => Promise<AttemptResult<Value>>,
): Promise<AttemptResult<Value>> {
  let response: TransportAnswer;
  try {
    response = await transport.send(prepared);
  } catch (error) {
    // An error of this process itself is thrown unchanged: a retry would not help.
    const isOurs = error instanceof Unavailable || error instanceof ConfigError;
    if (isOurs || !Error.isError(error)) throw error;
    const message = `The service did not answer: ${describeFailure(error)}.`;
    const isNotSent = error instanceof NotSentError;
    const cause = isNotSent ? error.cause : error;
    return { error: new ConnectionError(message, cause, { sent: !isNotSent }) };
  }
  return await read(response);
}

/** The path of a call, its query in the order given. */
export function toPath(route: Route, { params, query }: Call): string {
  const path = route.path
    .replace(":id", encodeURIComponent(params?.id ?? ""))
    .replace(":delivery", encodeURIComponent(params?.delivery ?? ""));
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
