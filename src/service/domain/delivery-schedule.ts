const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long a delivery waits before its first try, and then before each further one. */
export const usualSchedule: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
/** The same of one that `payments listen` takes. */
export const listenerSchedule: readonly number[] = [0, second, 5 * second, 30 * second, 2 * minute];

const longestRetryAfterMs = 24 * hour;
const jitter = 0.1;

/**
 * How long to wait after so many tries, in milliseconds, give or take a tenth; undefined where there were
 * enough. What the endpoint asks for (`Retry-After`) counts where it is longer, up to 24 h. `random` is from 0
 * to 1.
 */
export function nextTryMs(
  schedule: readonly number[],
  attempts: number,
  { retryAfterMs = 0, random }: { retryAfterMs?: number | undefined; random: number },
): number | undefined {
  const stepMs = schedule[attempts];
  if (stepMs === undefined) return undefined;
  const pauseMs = Math.round(stepMs * (1 + jitter * (2 * random - 1)));
  return Math.max(pauseMs, Math.min(retryAfterMs, longestRetryAfterMs));
}
