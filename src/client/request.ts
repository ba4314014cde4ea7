import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type * as z from "zod";
import { findReasonMistake } from "../contract/administration.ts";
import { findIdempotencyKeyMistake, reasonHeader, splitEndpoint } from "../contract/route.ts";
import { mask, maskKeys } from "../contract/mask.ts";
import type { routes } from "../contract/routes.ts";
import type { sandboxRoutes } from "../contract/sandbox.ts";
import {
  NotSentError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  describeFailure,
} from "../runtime/http-transport.ts";
import { ConfigError, Unavailable } from "../runtime/failures.ts";
import { isJsonObject } from "../runtime/text.ts";
import {
  type OptionRules,
  checkOptions,
  hasMethods,
  isText,
  optional,
  unlessLeftOut,
} from "../runtime/options.ts";
import { computeBackoff } from "../runtime/time.ts";
import {
  ConnectionError,
  InterruptedError,
  PaymentsError,
  hasNoResponse,
  isOutcomeUnknown,
} from "./errors.ts";
import { type AttemptResult, type Success, readResponse } from "./read-response.ts";

type Route =
  | (typeof routes)[keyof typeof routes]
  | (typeof sandboxRoutes)[keyof typeof sandboxRoutes];
/** Method and path of a call, such as `GET /v1/payments/:id`. */
export type Endpoint = Route["endpoint"];
type ResponseOf<At extends Endpoint> = z.infer<Extract<Route, { endpoint: At }>["response"]>;

export type Connection = {
  apiKey: string;
  transport: Transport;
  serviceVersion: string | undefined;
  maxRetries: number;
  timeoutMs: number;
  /** Whether a rate limit is waited for, and uses up no retry. */
  waitsForRateLimits?: boolean;
  /** Aborted when the client is closed: nothing is sent after that. */
  closed: AbortSignal;
};

export type CallOptions = {
  /** Ends the call with an `InterruptedError`; what was sent may have had its effect. */
  signal?: AbortSignal | undefined;
};

export type Call = {
  params?: { id: string; delivery?: string };
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  idempotencyKey?: string;
  reason?: string | undefined;
  retrySignal?: AbortSignal | undefined;
  onReplay?: (() => void) | undefined;
  /** Called with the headers of the successful response; their names are in lower case. */
  onHeaders?: (headers: TransportAnswer["headers"]) => void;
};

export type WriteOptions = CallOptions & {
  /** Names the write, so that it happens once however often it is sent; a UUIDv4 by default. */
  idempotencyKey?: string | undefined;
};

export type RefundOptions = WriteOptions & {
  /** Stands in the service's audit log, at most 500 characters. It has no part in what an idempotency key names. */
  reason?: string | undefined;
  /** Once aborted, nothing is sent again: the call fails as its last attempt did, and one under way is waited for. */
  retrySignal?: AbortSignal | undefined;
  /** Called where the first attempt got the stored response: another request had this key, and was done before. */
  onReplay?: (() => void) | undefined;
};

export const callOptions: OptionRules<CallOptions> = {
  // Of any realm, or of a library: what it can do makes it a signal.
  signal: optional(
    (signal) => hasMethods(signal, "addEventListener", "removeEventListener"),
    "an AbortSignal",
  ),
};

const writeOptions: OptionRules<WriteOptions> = {
  ...callOptions,
  idempotencyKey: unlessLeftOut((key, name) => {
    const mistake = findIdempotencyKeyMistake(isText(key) ? key : "");
    return mistake && `${name} ${mistake}.`;
  }),
};

export const refundOptions: OptionRules<RefundOptions> = {
  ...writeOptions,
  retrySignal: callOptions.signal,
  onReplay: optional((value) => typeof value === "function", "a function"),
  reason: unlessLeftOut((reason, name) => {
    const mistake = findReasonMistake(isText(reason) ? reason : "");
    return mistake && `${name} ${mistake}.`;
  }),
};

/** A write, under an idempotency key. */
export async function write<At extends Endpoint>(
  connection: Connection,
  endpoint: At,
  call: Pick<Call, "params" | "body">,
  options: RefundOptions = {},
  rules: OptionRules<WriteOptions> = writeOptions,
): Promise<ResponseOf<At>> {
  checkOptions(options, rules, "This call");
  const { idempotencyKey = crypto.randomUUID(), signal, ...more } = options;
  return await request(connection, endpoint, { ...call, idempotencyKey, ...more }, { signal });
}

/** A call whose only parameter is an id. */
export function byId<At extends Endpoint>(connection: Connection, endpoint: At) {
  return async (id: string, options?: CallOptions) =>
    request(connection, endpoint, { params: { id } }, options);
}

/**
 * One call of the API. Reads, and writes with their idempotency key, are retried while that can help, with the same
 * bytes each time. Returns what the service sent, checked against the contract but otherwise untouched. An argument
 * with which nothing can be sent is the caller's mistake, a TypeError.
 */
export async function request<At extends Endpoint>(
  connection: Connection,
  endpoint: At,
  call: Call,
  options: CallOptions = {},
): Promise<ResponseOf<At>> {
  checkOptions(options, callOptions, "This call");
  checkCall(call);
  const about = { apiKey: connection.apiKey, endpoint, id: call.params?.id };
  const read = async (response: TransportAnswer) => readResponse(about, response);
  const { signal } = options;
  const { idempotencyKey, retrySignal } = call;
  const prepared = toRequest(connection, endpoint, call);
  const result = await sendWithRetries(connection, prepared, read, {
    signal,
    idempotencyKey,
    retrySignal,
  });
  call.onHeaders?.(result.headers);
  if (!result.isRetried && result.headers["idempotent-replayed"] === "true") call.onReplay?.();
  return result.value as ResponseOf<At>;
}

/**
 * Sends a request that may be sent again, and returns what `read` makes of the response. `read` says which responses
 * are failures, and which of these are worth a retry.
 */
export async function sendWithRetries<Value>(
  connection: Connection,
  prepared: TransportRequest,
  read: (response: TransportAnswer) => Promise<AttemptResult<Value>>,
  { signal, idempotencyKey, retrySignal }: Omit<RefundOptions, "reason" | "onReplay">,
): Promise<Success<Value> & { isRetried: boolean }> {
  if (connection.closed.aborted) {
    throw new PaymentsError("The client is closed.", { retryable: false });
  }
  let isSent = false;
  let isUnclear = false;
  let refusedUntilMs: number | undefined;
  let retries = 0;
  for (let attempt = 0; ; attempt++) {
    const result = signal?.aborted
      ? { error: new InterruptedError(signal.reason, { sent: false }) }
      : await unlessAborted(
          async (given) => attemptOnce(connection, { ...prepared, ...given }, read),
          signal,
        );
    if (!("error" in result)) return { ...result, isRetried: attempt > 0 };
    const { retryable, retryAfterMs } = result.error;
    refusedUntilMs = nothingListens(result.error)
      ? (refusedUntilMs ?? performance.now() + maxRefusedMs)
      : undefined; // a service listens by now, and its failures are retried as ever
    const isRateLimit = "status" in result.error && result.error.status === 429;
    const isWaitedFor = isRateLimit && connection.waitsForRateLimits === true;
    const maxWaitMs = isWaitedFor ? maxRateLimitMs : maxRetryAfterMs;
    const delayMs = retryable
      ? endDelay(computeRetryDelay(attempt, retryAfterMs, Math.random, maxWaitMs), refusedUntilMs)
      : undefined;
    isSent ||= !hasNoResponse(result.error) || result.error.sent;
    isUnclear ||= isOutcomeUnknown(result.error);
    const isRetried = delayMs !== undefined && (isWaitedFor || retries++ < connection.maxRetries);
    if (isRetried) await pause(delayMs, [connection.closed, signal, retrySignal]);
    if (!isRetried || connection.closed.aborted || retrySignal?.aborted) {
      const isWrite = idempotencyKey !== undefined;
      if (isSent) result.error.idempotencyKey = idempotencyKey;
      else if (isWrite && result.error instanceof ConnectionError) result.error.sayNothingWasSent();
      result.error.outcomeUnknown = isWrite && isUnclear;
      throw result.error;
    }
  }
}

/** How long a connection that this machine refuses is tried again: the service may be starting. */
const maxRefusedMs = 500;

function nothingListens(error: PaymentsError): boolean {
  return error instanceof ConnectionError && error.nothingListens;
}

/** A delay that ends by `untilMs`, if there is such a time; undefined once it has passed. */
function endDelay(delayMs: number | undefined, untilMs = Infinity): number | undefined {
  const leftMs = untilMs - performance.now();
  return delayMs === undefined || leftMs <= 0 ? undefined : Math.min(delayMs, leftMs);
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

/**
 * Resolves after a time, or as soon as a signal is aborted. AbortSignal.any would take no signal that another realm or
 * a library has made.
 */
async function pause(ms: number, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signals.some((signal) => signal?.aborted)) end();
  for (const signal of signals) signal?.addEventListener("abort", end);
  await delay(ms, undefined, { signal: ending.signal }).catch(() => {});
  for (const signal of signals) signal?.removeEventListener("abort", end);
}

/** Throws a TypeError for an id, query or body that the types of the methods do not allow. */
function checkCall(call: Call): void {
  for (const [name, id] of Object.entries(call.params ?? {})) {
    if (!isText(id) || id === "" || !id.isWellFormed()) {
      throw new TypeError(`${name} must be text, such as the id of a payment: pass payment.id.`);
    }
    refuseSecret(name, id, mask);
  }
  if ("query" in call) checkQuery(call.query);
  if ("body" in call && !isJsonObject(call.body)) {
    throw new TypeError("body must be an object, with the fields of the API.");
  }
}

export function checkQuery(query: unknown): void {
  if (!isJsonObject(query)) throw new TypeError("query must be an object, such as { limit: 10 }.");
  for (const [name, value] of Object.entries(query)) {
    if (isText(value)) refuseSecret(name, value, maskKeys);
    else if (value !== undefined && typeof value !== "number") {
      throw new TypeError(`${name} must be text or a number. Leave it out where there is none.`);
    }
  }
}

/** Every part of a URL ends up in the logs of proxies. A card number in a query is refused by the service, in words. */
function refuseSecret(name: string, value: string, hide: (value: string) => string): void {
  if (hide(value) === value) return;
  throw new TypeError(
    `${name} has a key or a card number in it: as part of a URL it would be logged on the way.`,
  );
}

function toRequest(connection: Connection, endpoint: Endpoint, call: Call): TransportRequest {
  return {
    ...toTarget(endpoint, call),
    headers: toHeaders(connection, call),
    timeoutMs: connection.timeoutMs,
    ...(call.body !== undefined && { body: toJsonBody(call.body) }),
  };
}

function toJsonBody(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new TypeError(
      "body cannot be sent as JSON: it has a BigInt, or a part that contains itself. Amounts are numbers.",
      { cause },
    );
  }
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
    if (!(error instanceof NotSentError)) return { error: new ConnectionError(message, error) };
    const about = { sent: false, nothingListens: error.nothingListens };
    return { error: new ConnectionError(message, error.cause, about) };
  }
  return await read(response);
}

/** The method of a call, and its path with its query in the order given. */
export function toTarget(endpoint: Endpoint, { params, query }: Call) {
  const { method, path: template } = splitEndpoint(endpoint);
  const path = template
    .replace(":id", encodeURIComponent(params?.id ?? ""))
    .replace(":delivery", encodeURIComponent(params?.delivery ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return { method, path: search.size > 0 ? `${path}?${search.toString()}` : path };
}

export function toHeaders(
  connection: Pick<Connection, "apiKey" | "serviceVersion">,
  { body, idempotencyKey, reason }: Call,
): Record<string, string> {
  return {
    authorization: `Bearer ${connection.apiKey}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    ...(reason !== undefined && { [reasonHeader]: encodeURIComponent(reason) }),
    ...(connection.serviceVersion !== undefined && {
      "service-version": connection.serviceVersion,
    }),
  };
}

/** From no pause to twice these, by chance (full jitter). */
const backoff = { minMs: 250, maxMs: 4_000, jitter: 1 };

/** The client does not wait longer than this, */
const maxRetryAfterMs = 60_000;
/** and for a rate limit that is waited for no longer than this. */
const maxRateLimitMs = 3_600_000;

/**
 * How long to wait before a retry, in milliseconds; undefined: do not retry. Exponential backoff with full jitter, but
 * at least the time that the service asks for. `attempt` counts from 0.
 */
export function computeRetryDelay(
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
  maxWaitMs = maxRetryAfterMs,
): number | undefined {
  const backoffMs = computeBackoff(attempt, backoff, random);
  if (retryAfterMs === undefined) return backoffMs;
  return retryAfterMs <= maxWaitMs ? Math.max(retryAfterMs, backoffMs) : undefined;
}
