import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import { type Log, toMaskedError } from "../http/log.ts";

/** Does a piece of work again and again with a pause before each time; a failure is logged, not final. */
export function runRepeatedly(
  pause: (signal: AbortSignal) => Promise<unknown>,
  work: (signal: AbortSignal) => Promise<unknown>,
  log?: Log,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    for (;;) {
      await pause(signal).catch(() => {});
      if (signal.aborted) break;
      await work(signal).catch((error: unknown) =>
        log?.error({ err: toMaskedError(error) }, "background work failed"),
      );
    }
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}

/** A pause of the same length each time. */
export function createInterval(pauseMs: number) {
  return async (signal: AbortSignal) => delay(pauseMs, undefined, { signal });
}

/** A pause that is longer each time, as `createGrowingDelays` says. */
export function createGrowingInterval({ first, longest }: { first: number; longest: number }) {
  const pauseMs = createGrowingDelays(first, longest);
  return async (signal: AbortSignal) => delay(pauseMs(), undefined, { signal });
}

/**
 * Pauses whose lengths double up to a longest, each give or take half of it, so that processes that were
 * started together do not act together for ever.
 */
export function createGrowingDelays(firstMs: number, longestMs: number): () => number {
  const backoff = { minMs: firstMs, maxMs: longestMs, jitter: 0.5 };
  let pauses = 0;
  return () => computeBackoff(pauses++, backoff);
}
