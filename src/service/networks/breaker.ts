import { startWait } from "../../runtime/timeouts.ts";

export type BreakerLimits = {
  /** Consecutive failures that open it. */
  failures: number;
  /** The interval at which it lets one request through while it is open. */
  everyMs: number;
};

/**
 * A circuit breaker: it opens after a number of consecutive failures, and closes with the first success. While it is
 * open, requests that wait for their turn go first. `clock` is in milliseconds, and never goes back.
 */
export function createBreaker(
  { failures, everyMs }: BreakerLimits,
  { clock, onChange }: { clock: () => number; onChange: (state: "open" | "closed") => void },
) {
  let failuresInRow = 0;
  let nextAtMs = clock();
  const queue = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const isOpen = () => failuresInRow >= failures;
  const isTurn = () => !isOpen() || clock() >= nextAtMs;

  function takeTurn(): boolean {
    if (!isTurn()) return false;
    nextAtMs = clock() + everyMs;
    return true;
  }

  function drainQueue(): void {
    clearTimeout(timer);
    for (const proceed of queue) {
      if (!takeTurn()) {
        timer = setTimeout(drainQueue, nextAtMs - clock());
        return;
      }
      proceed();
    }
  }

  return {
    isOpen,
    /** Whether a request could pass now; none overtakes those in the queue. */
    canPass: (): boolean => queue.size === 0 && isTurn(),
    /** Passes at once, or not at all. */
    tryPass: (): boolean => queue.size === 0 && takeTurn(),
    /** Waits for this request's turn; false where it does not come within `waitMs`. */
    passInTurn: async (waitMs: number): Promise<boolean> => {
      if (queue.size === 0 && takeTurn()) return true;
      const wait = startWait<true>(waitMs, () => queue.delete(proceed));
      const proceed = () => wait.end(true);
      queue.add(proceed);
      drainQueue();
      return (await wait.promise) ?? false;
    },
    recordFailure: (): void => {
      failuresInRow++;
      if (failuresInRow === failures) onChange("open");
    },
    recordSuccess: (): void => {
      if (isOpen()) onChange("closed");
      failuresInRow = 0;
      drainQueue();
    },
  };
}
