import type { Operations } from "../http/routes/operations.ts";
import type { StoreState } from "../use-cases/service.ts";

/** Who has asked this lately goes on asking, and is to learn first that the service will end. */
const latelyMs = 30_000;

/** Whether the service wants requests. It says no while it still takes them, so that others come first. */
export function createReadiness(checkStore: () => Promise<StoreState>, patienceMs = 5_000) {
  let isEnding = false;
  let probedAtMs = -Infinity;
  const isHeard = Promise.withResolvers<void>();

  const unreadyReason: Operations["unreadyReason"] = async () => {
    probedAtMs = performance.now();
    const state = isEnding ? "ready" : await checkStore();
    if (isEnding) {
      isHeard.resolve();
      return "shutting_down";
    }
    return state === "ready" ? undefined : state;
  };

  return {
    unreadyReason,
    /** From now on not ready. Resolves once a probe has been told or patience ends; at once where nothing probes. */
    end: async (): Promise<void> => {
      isEnding = true;
      if (performance.now() - probedAtMs > latelyMs) return;
      const patience = setTimeout(isHeard.resolve, patienceMs);
      await isHeard.promise;
      clearTimeout(patience);
    },
  };
}
