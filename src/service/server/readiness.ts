import { withTimeout } from "../../runtime/promises.ts";
import type { Operations } from "../http/routes/operations.ts";
import type { StoreState } from "../use-cases/service.ts";

/** A balancer that has probed within this time is expected to go on probing. */
const recentMs = 30_000;

/** Whether the service is ready. While it ends it still takes requests, so that balancers learn of it first. */
export function createReadiness(checkStore: () => Promise<StoreState>, maxWaitMs = 5_000) {
  let isEnding = false;
  let probedAtMs = -Infinity;
  const nextProbe = Promise.withResolvers<void>();

  const unreadyReason: Operations["unreadyReason"] = async () => {
    probedAtMs = performance.now();
    const state = isEnding ? "ready" : await checkStore();
    if (isEnding) {
      nextProbe.resolve();
      return "shutting_down";
    }
    return state === "ready" ? undefined : state;
  };

  return {
    unreadyReason,
    /** Not ready from now on. Resolves after the next probe, or `maxWaitMs`; at once if nothing probes. */
    end: async (): Promise<void> => {
      isEnding = true;
      if (performance.now() - probedAtMs > recentMs) return;
      await withTimeout(nextProbe.promise, maxWaitMs, () => {});
    },
  };
}
