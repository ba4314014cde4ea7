import type { DeliveryTry } from "../../contract/delivery.ts";
import { type Subscription, maxTries } from "../../contract/field-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { addJitter } from "../../runtime/time.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** For all of an attempt, from the look-up of a name to the last byte of the answer. */
export const attemptTimeoutMs = 15 * secondMs;

/** Caps the `Retry-After` of an endpoint, which may be of any length. */
const maxRetryAfterMs = 24 * hourMs;

/** The part by which a delay is randomly longer or shorter. */
const jitter = 0.1;

/** The delays before each attempt, the first one included. */
export type Schedule = readonly number[];

export const webhookSchedule: Schedule = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** How long events are queued for a listener that is not connected. */
export const listenerTimeoutMs = 24 * hourMs;

/** For deliveries through `payments listen`. */
export const listenerSchedule: Schedule = [0, 1, 5, 30, 120].map((seconds) => seconds * secondMs);

/** The maximum time from an event to the end of its deliveries: the whole schedule, and a day's margin. */
export function maxDeliveryMs(schedule: Schedule): number {
  const stepsMs = schedule.reduce((sumMs, stepMs) => sumMs + stepMs, 0);
  return Math.ceil(stepsMs * (1 + jitter)) + 24 * hourMs;
}

/**
 * The delay before the next attempt, in milliseconds; undefined after the last one. Jitter keeps deliveries that
 * failed together from being retried together.
 */
export function computeRetryPause(
  schedule: Schedule,
  attempts: number,
  { retryAfterMs = 0, random }: { retryAfterMs?: number | undefined; random: () => number },
): number | undefined {
  const stepMs = schedule[attempts];
  if (stepMs === undefined) return undefined;
  const jitteredMs = Math.round(addJitter(stepMs, jitter, random));
  return Math.max(jitteredMs, Math.min(retryAfterMs, maxRetryAfterMs));
}

/** As many events as may be queued again together may have happened in one millisecond. */
const maxSpreadMs = 10_000;

/**
 * When past events are due that are queued again, by their times in Unix milliseconds, the oldest first: each later
 * than the one before, and than `lastDueMs`, so that they are leased in this order; and before every event that happens
 * from now on.
 */
export function computePastDueTimes(
  happenedMs: readonly number[],
  { lastDueMs, nowMs }: { lastDueMs: number; nowMs: number },
): number[] {
  let beforeMs = lastDueMs;
  return happenedMs.map((atMs) => {
    beforeMs = Math.min(Math.max(atMs - maxSpreadMs, beforeMs + 1), nowMs);
    return beforeMs;
  });
}

/** The outcome of a request with an event, as a try shows it. */
type TryOutcome = Pick<DeliveryTry, "status" | "error" | "answer">;

/** A try that began at one time and ended at another, in Unix milliseconds. */
export function buildTry(
  { status, error, answer }: TryOutcome,
  { startMs, endMs }: { startMs: number; endMs: number },
): DeliveryTry & { duration_ms: number } {
  // The system's clock may have been set back meanwhile.
  const durationMs = Math.max(0, endMs - startMs);
  return { created: Math.floor(startMs / 1000), status, duration_ms: durationMs, error, answer };
}

/** The tries that are stored after one more. */
export function appendTry(tries: readonly DeliveryTry[], next: DeliveryTry): DeliveryTry[] {
  return [...tries, next].slice(-maxTries);
}

/** How many deliveries an endpoint gets at once: at first, and at most. */
const concurrent = { first: 4, max: 32 };
/** An endpoint that accepts so many while more wait gets one more at once. */
const successesForMore = 8;
/** An answer that takes longer halves the number, as a failure does. */
const slowAnswerMs = 5 * secondMs;
/** After so many failures in a row an endpoint gets one delivery at a time, until one succeeds. */
const failuresUntilPause = 3;

/** What an endpoint has shown that it takes at once; `successes` count towards one more. */
export type Concurrency = { max: number; successes: number; failuresInRow: number };

/** `isFailing`: its last delivery has failed, perhaps in another process. */
export function createConcurrency({ isFailing }: { isFailing: boolean }): Concurrency {
  return { max: concurrent.first, successes: 0, failuresInRow: isFailing ? failuresUntilPause : 0 };
}

/** Adapts it to the outcome of an attempt; `areMoreDue`: more deliveries wait than are in progress. */
export function adaptConcurrency(
  { max, successes, failuresInRow }: Concurrency,
  {
    isDelivered,
    durationMs,
    areMoreDue,
  }: { isDelivered: boolean; durationMs: number; areMoreDue: boolean },
): Concurrency {
  const failures = isDelivered ? 0 : failuresInRow + 1;
  if (!isDelivered || durationMs > slowAnswerMs)
    return { max: Math.max(1, Math.floor(max / 2)), successes: 0, failuresInRow: failures };
  const counted = areMoreDue ? successes + 1 : successes;
  return counted < successesForMore
    ? { max, successes: counted, failuresInRow: failures }
    : { max: Math.min(max + 1, concurrent.max), successes: 0, failuresInRow: failures };
}

/** Whether an endpoint gets one delivery at a time, with a pause after each. */
export function isPausing({ failuresInRow }: Concurrency): boolean {
  return failuresInRow >= failuresUntilPause;
}

/** How many deliveries an endpoint gets at once now. */
export function getMaxConcurrent(concurrency: Concurrency): number {
  return isPausing(concurrency) ? 1 : concurrency.max;
}

/**
 * A webhook endpoint, or without `url` a listener. `revision` counts its changes. The old secret also signs until
 * `oldSecretUntilMs`. Events are queued for a listener until `queuesUntilMs`. Every attempt since `failingSinceMs`
 * has failed; null where the last one succeeded. `lastSuccessAt` is in Unix seconds.
 */
export type Endpoint = {
  id: string;
  url: string | null;
  events: Subscription;
  description: string | null;
  status: "enabled" | "disabled";
  disabledReason: DisabledReason | null;
  secret: string;
  oldSecret: string | null;
  oldSecretUntilMs: number;
  queuesUntilMs: number;
  failingSinceMs: number | null;
  lastSuccessAt: number | null;
  created: number;
  revision: number;
};

/** `gone`: the endpoint answered 410; `failing`: days without a success. Null where the merchant disabled it. */
export type DisabledReason = "gone" | "failing";

export type EndpointChange = Partial<Pick<Endpoint, "url" | "events" | "description" | "status">>;

export function applyChange(endpoint: Endpoint, { status, ...change }: EndpointChange): Endpoint {
  const next = { ...endpoint, ...change, revision: endpoint.revision + 1 };
  if (status === undefined || status === endpoint.status) return next;
  return { ...next, status, disabledReason: null, failingSinceMs: null };
}

export function disableEndpointState(endpoint: Endpoint, disabledReason: DisabledReason): Endpoint {
  return { ...endpoint, status: "disabled", disabledReason, revision: endpoint.revision + 1 };
}

/** Gives an endpoint another secret; the old one also signs until `oldSecretUntilMs`. */
export function rollSecret(endpoint: Endpoint, secret: string, oldSecretUntilMs: number): Endpoint {
  return {
    ...endpoint,
    secret,
    oldSecret: endpoint.secret,
    oldSecretUntilMs,
    revision: endpoint.revision + 1,
  };
}

/** The secrets that sign a delivery at a time, the newer one first. */
export function listActiveSecrets(
  { secret, oldSecret, oldSecretUntilMs }: Endpoint,
  nowMs: number,
): string[] {
  return oldSecret !== null && nowMs < oldSecretUntilMs ? [secret, oldSecret] : [secret];
}

/** An endpoint as the API returns it. Only the response that creates or rolls a secret includes it. */
export function toWebhookEndpoint(
  endpoint: Endpoint,
  { livemode, withSecret = false }: { livemode: boolean; withSecret?: boolean },
): WebhookEndpoint {
  const { id, url, events, description, status, disabledReason, secret, created } = endpoint;
  const { lastSuccessAt, failingSinceMs } = endpoint;
  return {
    id,
    object: "webhook_endpoint",
    url,
    events,
    description,
    status,
    disabled_reason: disabledReason,
    ...(withSecret && { secret }),
    created,
    livemode,
    last_success_at: lastSuccessAt,
    failing_since: failingSinceMs === null ? null : Math.floor(failingSinceMs / 1000),
  };
}
