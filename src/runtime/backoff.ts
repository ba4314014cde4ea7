/**
 * Pauses that grow by `factor` (2 by default) from `minMs` up to `maxMs`, each made longer or shorter by up to
 * `jitter` of itself, so that processes that failed or started together do not act together for ever.
 */
export type Backoff = { minMs: number; maxMs: number; factor?: number; jitter?: number };

/** The pause before a retry, in milliseconds; `attempt` counts from 0. */
export function computeBackoff(
  attempt: number,
  { minMs, maxMs, factor = 2, jitter = 0 }: Backoff,
  random: () => number = Math.random,
): number {
  return addJitter(Math.min(maxMs, minMs * factor ** attempt), jitter, random);
}

/** A duration made longer or shorter by up to `jitter` of itself. */
export function addJitter(durationMs: number, jitter: number, random: () => number): number {
  return durationMs * (1 - jitter + 2 * jitter * random());
}

/** The wait of a `Retry-After` header, in seconds or until a date; undefined where it is missing or malformed. */
export function parseRetryAfter(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
