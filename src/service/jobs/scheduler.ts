import { createGrowingDelays } from "./repeat.ts";

/** How long it is silent at the most, give or take half of it. */
const longestMs = 5_000;

/**
 * Tells when there may be something to do. It rings at the times that it was given, in steps of `stepMs`,
 * so that many of them are few alarms. And it rings by itself, for what a process that has ended left behind:
 * soon after the start, when that may have been the one before, then less and less often, to 2.5 to 7.5 s. So
 * fifty replicas do not all ask for what one of them knows.
 */
export function createScheduler(stepMs: number) {
  const set = new Set<number>();
  const patienceMs = createGrowingDelays(stepMs, longestMs);
  let { promise: rings, resolve: ring } = Promise.withResolvers<void>();
  return {
    /** Rings at a Unix time in milliseconds, unless it is so far away that it will have rung by then. */
    setFor: (atMs: number): void => {
      const stepAtMs = Math.ceil(atMs / stepMs) * stepMs;
      const inMs = Math.max(0, stepAtMs - Date.now());
      if (inMs > longestMs || set.has(stepAtMs)) return;
      set.add(stepAtMs);
      setTimeout(() => {
        set.delete(stepAtMs);
        ring();
      }, inMs).unref();
    },
    /** Waits until it rings; what rang since the last time counts. */
    wait: async (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return;
      const wake = () => ring();
      const patience = setTimeout(wake, patienceMs());
      signal.addEventListener("abort", wake);
      await rings;
      clearTimeout(patience);
      signal.removeEventListener("abort", wake);
      ({ promise: rings, resolve: ring } = Promise.withResolvers<void>());
    },
  };
}
