import { setTimeout as delay } from "node:timers/promises";
import { type Log, maskedError } from "../http/log.ts";

/** Does a piece of work again and again with a pause before each time; a failure is logged, not final. */
export function repeat(
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
        log?.error({ err: maskedError(error) }, "background work failed"),
      );
    }
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}

/** A pause of the same length each time. */
export function every(pauseMs: number) {
  return async (signal: AbortSignal) => delay(pauseMs, undefined, { signal });
}

/** A pause that is longer each time, as `growingPauses` says. */
export function lessAndLessOften({ first, longest }: { first: number; longest: number }) {
  const pauseMs = growingPauses(first, longest);
  return async (signal: AbortSignal) => delay(pauseMs(), undefined, { signal });
}

/**
 * Pauses whose lengths double up to a longest, each give or take half of it, so that processes that were
 * started together do not act together for ever.
 */
export function growingPauses(firstMs: number, longestMs: number): () => number {
  let nextMs = firstMs;
  return () => {
    const pauseMs = nextMs * (0.5 + Math.random());
    nextMs = Math.min(2 * nextMs, longestMs);
    return pauseMs;
  };
}
