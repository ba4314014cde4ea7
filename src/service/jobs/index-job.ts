import { setTimeout as delay } from "node:timers/promises";
import type { Service } from "../use-cases/service.ts";
import type { Job } from "./scheduler.ts";

/** Under load, payments are indexed many at a time; at rest, some seconds may pass before a payment is. */
const pauses = { busyMs: 100, defaultMs: 1_000, maxMs: 2_000 };
const busyPayments = 1_000;

/** Indexes what is due; the leases of the indexes let one replica write each. */
export function createIndexJob(indexPayments: Service["indexPayments"]): Job {
  let pauseMs = pauses.busyMs;
  let merged: Promise<unknown> = Promise.resolve();
  return {
    due: async (signal) => delay(pauseMs, undefined, { signal }),
    run: async (signal) => {
      pauseMs = Math.min(2 * Math.max(pauseMs, pauses.defaultMs), pauses.maxMs);
      const pass = await indexPayments(signal);
      if (pass.indexed > 0) pauseMs = pauses.defaultMs;
      if (pass.indexed >= busyPayments) pauseMs = pauses.busyMs;
      ({ merged } = pass);
      // Its failure is logged by a later run, which waits for the same merge.
      merged.catch(() => {});
    },
    finish: async () => void (await merged.catch(() => {})),
  };
}
