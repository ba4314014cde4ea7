import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/time.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { ConnectionLost, isConflict, isDuplicate, toUnavailable } from "./postgres-errors.ts";

export const maxRetries = 8;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };
/** No attempt begins after this time. */
const retryTimeoutMs = 5_000;

/** Attempts of one transaction; `isRetry`: an earlier one may have been committed. */
export type Attempts = { isRetry: boolean; deadlineMs: number };

export function startAttempts(): Attempts {
  return { isRetry: false, deadlineMs: performance.now() + retryTimeoutMs };
}

export function hasTimeLeft({ deadlineMs }: Attempts): boolean {
  return performance.now() <= deadlineMs;
}

/** Retries transient errors; the last one is thrown as the caller sees it. */
export async function retry<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
  const attempts = startAttempts();
  try {
    return await retryTransient(attempts, maxRetries, attempt);
  } catch (error) {
    throw toFinalError(error, attempts);
  }
}

/**
 * Retries transient errors, conflicts with other transactions `maxConflicts` times; the last one is thrown as it is.
 */
export async function retryTransient<T>(
  attempts: Attempts,
  maxConflicts: number,
  attempt: (isRetry: boolean) => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(attempts.isRetry);
    } catch (error) {
      attempts.isRetry ||= error instanceof ConnectionLost;
      const isTemporary =
        isConflict(error) ||
        error instanceof ConnectionLost ||
        (attempts.isRetry && (isDuplicate(error) || error instanceof Unavailable));
      const limit = isConflict(error) ? maxConflicts : maxRetries;
      if (!isTemporary || retries >= limit || !hasTimeLeft(attempts)) throw error;
      await delay(computeBackoff(retries, backoff));
    }
  }
}

export function toFinalError(error: unknown, { isRetry }: Attempts): unknown {
  return toUnavailable(isRetry ? new ConnectionLost(error) : error);
}
