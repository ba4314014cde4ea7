import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import { PaymentsError } from "../../client/errors.ts";

const backoff = { minMs: 500, maxMs: 5_000 };

/** What is told of a service, once each time, however many calls wait for it. */
export type ConnectionState = { lost: (why: PaymentsError) => void; back: () => void };

/**
 * Makes calls that a lost service only delays: what may succeed later is tried again, less and less
 * often, until `signal`.
 */
export function createReconnectingCaller(
  { lost, back }: ConnectionState,
  signal: AbortSignal,
): <T>(call: () => Promise<T>) => Promise<T> {
  let isLost = false;
  return async (call) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await call();
        if (isLost) back();
        isLost = false;
        return answer;
      } catch (error) {
        if (signal.aborted || !(error instanceof PaymentsError) || !error.retryable) throw error;
        if (!isLost) lost(error);
        isLost = true;
        await delay(computeBackoff(attempt, backoff), undefined, { signal }).catch(() => {});
      }
    }
  };
}
