import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { isNativeError } from "node:util/types";
import { Misuse, Unavailable } from "../contract/failures.ts";
import { modeOfKey } from "../contract/key.ts";
import {
  isAccount,
  isDeliveryList,
  isEndpoint,
  isEndpointList,
  isEvent,
  isEventList,
  isPayment,
  isPaymentList,
} from "../contract/glance.ts";
import type { Answers, Route } from "../contract/routes.ts";
import { parsedJson } from "../contract/json.ts";
import {
  ApiError,
  ConnectionError,
  InterruptedError,
  isUnclear,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "./errors.ts";
import { failureReason } from "./failure-reason.ts";
import { retryAfterMs, retryDelayMs } from "./retry-timing.ts";
import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

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
      ? retryDelayMs(attempt, tried.error.retryAfterMs, Math.random)
      : undefined;
    unclear ||= isUnclear(tried.error);
    const isTriedAgain = delayMs !== undefined && attempt < connection.maxRetries;
    if (isTriedAgain) {
      const ended = AbortSignal.any([connection.closed, ...(signal ? [signal] : [])]);
      await delay(delayMs, undefined, { signal: ended }).catch(() => {});
    }
    if (!isTriedAgain || connection.closed.aborted) {
      tried.error.idempotencyKey = call.idempotencyKey;
      tried.error.outcomeUnknown = unclear && call.idempotencyKey !== undefined;
      throw tried.error;
    }
  }
}

type Tried = { value: unknown } | { error: PaymentsError };

/**
 * What a try ends with, or that it was given up: what was sent may still happen, but holds neither a
 * connection nor this process any longer.
 */
async function unlessAborted(
  attempt: (given: { signal?: AbortSignal }) => Promise<Tried>,
  signal?: AbortSignal,
): Promise<Tried> {
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
    path: pathOf(route, call),
    headers: headersOf(connection, call),
    timeoutMs: connection.timeoutMs,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  };
}

async function attemptOnce(
  connection: Connection,
  route: Route,
  call: Call,
  prepared: TransportRequest,
): Promise<Tried> {
  let answer: TransportAnswer;
  try {
    answer = await connection.transport.send(prepared);
  } catch (error) {
    // What keeps this very process from asking is told as it is: another try would not help.
    const isOurs = error instanceof Unavailable || error instanceof Misuse;
    // Where tests run in a realm of their own, Node's errors are no instances of that realm's Error.
    if (!isNativeError(error) || isOurs) throw error;
    return {
      error: new ConnectionError(`The service did not answer: ${failureReason(error)}.`, error),
    };
  }
  if (answer.status >= 200 && answer.status < 300) {
    return await accepted(connection, route, call, answer);
  }
  const error = await refused(answer);
  error.retryAfterMs = retryAfterMs(answer.headers["retry-after"], Date.now());
  return { error };
}

/** The path of a call, its query in the order given. */
export function pathOf(route: Route, { params, query }: Call): string {
  const path = route.path.replace(":id", encodeURIComponent(params?.id ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

export function headersOf(
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

async function accepted(
  { apiKey }: Connection,
  route: Route,
  { params }: Call,
  answer: TransportAnswer,
): Promise<Tried> {
  const value = parsedJson(answer.body);
  if (!(await isAnswer(route.answer, value))) {
    const what = value === undefined ? "is not JSON" : "is not what the payments API answers";
    return {
      error: new UnexpectedAnswerError(answer.status, `The service's answer ${what}.`),
    };
  }
  const mode = modeOfKey(apiKey);
  const stranger = objectsIn(value).find(
    ({ livemode }) => livemode !== undefined && livemode !== (mode === "live"),
  );
  if (mode && stranger) {
    const written = route.method === "POST" ? stranger.id : undefined;
    return { error: new ModeMismatchError(mode, written) };
  }
  // The write may have hit what was asked for, this, or none: nobody can tell.
  const isOfId = params && kindsOfTheirId.has(route.answer);
  if (isOfId && objectsIn(value).some(({ id }) => id !== params.id)) {
    const message = `The service's answer is about another ${nameOf(route)} than the one asked for.`;
    return { error: new UnexpectedAnswerError(answer.status, message) };
  }
  return { value };
}

/** What answers a request for it by its id. */
const kindsOfTheirId = new Set<keyof Answers>(["payment", "event", "endpoint", "deletedEndpoint"]);

function nameOf({ answer }: Route): string {
  return answer === "payment" || answer === "event" ? answer : "webhook endpoint";
}

const glances: Partial<Record<keyof Answers, (value: unknown) => boolean>> = {
  payment: isPayment,
  list: isPaymentList,
  account: isAccount,
  event: isEvent,
  eventList: isEventList,
  endpoint: isEndpoint,
  endpointList: isEndpointList,
  deliveryList: isDeliveryList,
};

/** What passes at a glance keeps the contract; of the rest the contract itself knows. */
async function isAnswer(kind: keyof Answers, value: unknown): Promise<boolean> {
  if (glances[kind]?.(value)) return true;
  const { answerSchemas } = await import("../contract/schemas.ts");
  return answerSchemas[kind].safeParse(value).success;
}

function objectsIn(answer: unknown): { id: string; livemode?: boolean }[] {
  const objects = (answer as { data?: unknown }).data;
  return (Array.isArray(objects) ? objects : [answer]) as { id: string; livemode?: boolean }[];
}

async function refused({ status, headers, body }: TransportAnswer): Promise<PaymentsError> {
  if (status < 400) {
    const to = headers["location"] ? ", elsewhere" : "";
    return new UnexpectedAnswerError(
      status,
      `The service answered with a redirect${to} (HTTP ${status}), which is not followed.`,
    );
  }
  const { errorEnvelope } = await import("../contract/error.ts");
  const envelope = errorEnvelope.safeParse(parsedJson(body));
  return envelope.success
    ? new ApiError(status, envelope.data)
    : new UnexpectedAnswerError(
        status,
        `What answered with HTTP ${status} is not the payments API.`,
      );
}
