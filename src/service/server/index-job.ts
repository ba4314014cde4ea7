import { setTimeout as delay } from "node:timers/promises";
import type { Service } from "../use-cases/service.ts";
import type { Job } from "./scheduler.ts";

/** Payments are indexed many at a time, which costs less; at rest, some seconds may pass before a payment is. */
const pauses = { behindMs: 100, defaultMs: 1_000, idleMs: 2_000, failedMs: 30_000 };

/** Indexes what is due; the leases of the indexes let one replica write each. */
export function createIndexJob(indexPayments: Service["indexPayments"]): Job {
  let pauseMs = pauses.behindMs;
  let merged: Promise<unknown> = Promise.resolve();
  let mergeFailure: { error: unknown } | undefined;
  return {
    due: async (signal) => delay(pauseMs, undefined, { signal }),
    run: async (signal) => {
      const longerMs = 2 * Math.max(pauseMs, pauses.defaultMs);
      pauseMs = Math.min(longerMs, pauses.failedMs);
      const failed = mergeFailure;
      mergeFailure = undefined;
      if (failed) throw failed.error;
      const pass = await indexPayments(signal);
      merged = pass.merged.catch((error: unknown) => {
        if (!signal.aborted) mergeFailure = { error };
      });
      if (pass.hasMore) pauseMs = pauses.behindMs;
      else if (pass.indexed > 0) pauseMs = pauses.defaultMs;
      else pauseMs = Math.min(longerMs, pauses.idleMs);
    },
    finish: async () => void (await merged),
  };
}
