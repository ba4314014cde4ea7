import { setTimeout as delay } from "node:timers/promises";
import { ApiError, ConnectionError, PaymentsError } from "../../client/errors.ts";
import { computeBackoff } from "../../runtime/time.ts";

/** The pauses between tries to reach what is away. */
export const reconnectBackoff = { minMs: 500, maxMs: 5_000 };

/** Called once when the connection is lost, and once when it is back, however many calls wait for it. */
export type ConnectionState = { lost: (why: PaymentsError) => void; back: () => void };

/** Notes for the user that the service is lost, and that it is back. */
export function noteConnection(note: (text: string) => void): ConnectionState {
  return {
    lost: (why) => {
      const isUnreachable = why instanceof ConnectionError;
      const how = isUnreachable ? "cannot be reached" : "does not answer as it should";
      note(`The service ${how}; trying again.`);
    },
    back: () => note("The service is back."),
  };
}

/**
 * Creates a caller that retries transient failures with backoff until `signal`: a lost connection only delays calls.
 */
export function createReconnectingCaller(
  { lost, back }: ConnectionState,
  signal: AbortSignal,
): <T>(call: () => Promise<T>) => Promise<T> {
  let isLost = false;
  function noteAnswer(): void {
    if (isLost) back();
    isLost = false;
  }
  return async (call) => {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await call();
        noteAnswer();
        return answer;
      } catch (error) {
        if (error instanceof ApiError && !error.retryable) noteAnswer();
        if (signal.aborted || !(error instanceof PaymentsError) || !error.retryable) throw error;
        if (!isLost) lost(error);
        isLost = true;
        await delay(computeBackoff(attempt, reconnectBackoff), undefined, { signal }).catch(
          () => {},
        );
      }
    }
  };
}
