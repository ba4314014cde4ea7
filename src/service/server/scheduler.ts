import { setTimeout as delay } from "node:timers/promises";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";
import { computeBackoff } from "../../runtime/time.ts";

/** Waits until there may be something to do, or until the signal is aborted. */
export type Schedule = (signal: AbortSignal) => Promise<unknown>;

export type Job = {
  due: Schedule;
  run: (signal: AbortSignal) => Promise<unknown>;
  /** Called first when the job is stopped: nothing new is begun. */
  end?: () => void;
  /** Called when the last run is over. */
  finish?: () => Promise<void>;
};

/**
 * Runs a job each time it is due; the returned function stops it. A run that fails is logged and retried when
 * the job is due the next time: what it has leased is due again when the lease ends.
 */
export function startJob({ due, run, end, finish }: Job, log?: Log): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    for (;;) {
      await due(signal).catch(() => {});
      if (signal.aborted) break;
      await run(signal).catch((error: unknown) =>
        log?.error({ err: toMaskedError(error) }, "background work failed"),
      );
    }
  })();
  return async () => {
    end?.();
    stopped.abort();
    await running;
    await finish?.();
  };
}

/** It keeps no process from ending: what a service listens on does. */
export function createInterval(pauseMs: number): Schedule {
  return async (signal) => delay(pauseMs, undefined, { signal, ref: false });
}

export function createGrowingInterval(firstMs: number, maxMs: number): Schedule {
  const pauseMs = createBackoff(firstMs, maxMs);
  return async (signal) => delay(pauseMs(), undefined, { signal });
}

/**
 * Pauses that double up to a maximum, each made up to half longer or shorter, so that replicas that start together
 * spread out.
 */
function createBackoff(firstMs: number, maxMs: number): () => number {
  const backoff = { minMs: firstMs, maxMs, jitter: 0.5 };
  let pauses = 0;
  return () => computeBackoff(pauses++, backoff);
}

/** Between two queries for due work, before jitter. */
const maxPauseMs = 5_000;

/**
 * A schedule for work whose due times this process mostly knows, because it wrote them: `wakeAt` takes such a
 * time, in steps of `stepMs`, so that many times wake it once. It also wakes without a due time, to find work
 * that an ended process left behind: soon after the start, then every 2.5 to 7.5 s, since fifty replicas must
 * not flood the database with queries.
 */
export function createDueSchedule(stepMs: number) {
  const steps = new Set<number>();
  const pauseMs = createBackoff(stepMs, maxPauseMs);
  let { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  return {
    /** A Unix time in milliseconds. A time beyond the maximum pause needs no timer. */
    wakeAt: (atMs: number): void => {
      const stepAtMs = Math.ceil(atMs / stepMs) * stepMs;
      const inMs = Math.max(0, stepAtMs - Date.now());
      if (inMs > maxPauseMs || steps.has(stepAtMs)) return;
      steps.add(stepAtMs);
      setTimeout(() => {
        steps.delete(stepAtMs);
        wake();
      }, inMs).unref();
    },
    /** A time that passed since the last wait counts. */
    wait: async (signal: AbortSignal): Promise<void> => {
      if (signal.aborted) return;
      const wakeNow = () => wake();
      const pause = setTimeout(wakeNow, pauseMs());
      signal.addEventListener("abort", wakeNow);
      await woken;
      clearTimeout(pause);
      signal.removeEventListener("abort", wakeNow);
      ({ promise: woken, resolve: wake } = Promise.withResolvers<void>());
    },
  };
}
