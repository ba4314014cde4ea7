import type { DeliveryTry } from "../../contract/delivery.ts";
import { maxTries } from "../../contract/field-values.ts";
import { addJitter } from "../../runtime/time.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Caps the `Retry-After` of an endpoint. */
export const maxRetryAfterMs = 24 * hourMs;

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
export function computeNextAttempt(
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
