import { computeBackoff } from "../runtime/time.ts";

/** From no pause to twice these, by chance (full jitter). */
const backoff = { minMs: 250, maxMs: 4_000, jitter: 1 };

/** The client does not wait longer than this. */
const maxRetryAfterMs = 60_000;

/**
 * How long to wait before a retry, in milliseconds; undefined: do not retry. Exponential backoff with full jitter, but
 * at least the time that the service asks for. `attempt` counts from 0.
 */
export function computeRetryDelay(
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  const backoffMs = computeBackoff(attempt, backoff, random);
  if (retryAfterMs === undefined) return backoffMs;
  return retryAfterMs <= maxRetryAfterMs ? Math.max(retryAfterMs, backoffMs) : undefined;
}
