import { Unavailable } from "./failures.ts";
import { withTimeout } from "./timeouts.ts";

/**
 * A question that is asked once at a time, however many wait for its answer, and for `limitMs` at the
 * most: who asks often must not fill a store that is slow already. Rejects with Unavailable when the
 * time is up.
 */
export function singleFlight<T>(ask: () => Promise<T>, limitMs: number): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return async () => {
    if (asked) return asked;
    const answer = withTimeout(ask(), limitMs, () => {
      throw new Unavailable(`The store did not answer within ${limitMs / 1000} s.`);
    }).finally(() => (asked = undefined));
    asked = answer;
    return answer;
  };
}
