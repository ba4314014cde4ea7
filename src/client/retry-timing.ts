import { computeBackoff } from "../runtime/backoff.ts";

/** From no pause to twice these, by chance (full jitter). */
const backoff = { minMs: 250, maxMs: 4_000, jitter: 1 };
/** A service that asks to wait for longer is not waited for. */
const patienceMs = 60_000;

/**
 * How long to wait before another try, in milliseconds; undefined: do not try again. Exponential
 * backoff with full jitter; what the service asks to wait comes first. `attempt` counts from 0.
 */
export function computeRetryDelay(
  attempt: number,
  askedMs: number | undefined,
  random: () => number,
): number | undefined {
  const jittered = computeBackoff(attempt, backoff, random);
  if (askedMs === undefined) return jittered;
  return askedMs <= patienceMs ? Math.max(askedMs, jittered) : undefined;
}

/** What a `Retry-After`, seconds or a date, asks to wait; undefined where it is missing, or means nothing. */
export function parseRetryAfter(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
