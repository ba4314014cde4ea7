import { addJitter } from "../../runtime/backoff.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** No answer keeps a delivery waiting for longer. */
export const maxRetryAfterMs = 24 * hourMs;

/** By so much of itself a step is longer or shorter. */
const jitter = 0.1;

/** How long to wait before each try, the first one included. */
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

/** How long events are queued for a listener that is not there. */
export const listenerTimeoutMs = 24 * hourMs;

/** Of what is forwarded by `payments listen`. */
export const listenerSchedule: Schedule = [0, 1, 5, 30, 120].map((seconds) => seconds * secondMs);

/** For how long an event may be on its way: as long as it is tried, and a day for what comes late. */
export function maxDeliveryMs(schedule: Schedule): number {
  const stepsMs = schedule.reduce((sumMs, stepMs) => sumMs + stepMs, 0);
  return Math.ceil(stepsMs * (1 + jitter)) + 24 * hourMs;
}

/**
 * How long to wait for the next try after so many, in milliseconds; undefined: there is none. A step
 * is a tenth longer or shorter by chance, so that what failed together does not come back together.
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
