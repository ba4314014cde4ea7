import { startWait } from "../../runtime/timeouts.ts";

export type BreakerLimits = {
  /** How many failures in a row open it. */
  failures: number;
  /** How often it lets one request through while it is open. */
  everyMs: number;
};

/**
 * A circuit breaker: it opens after so many failures in a row, and closes with the first success. While it is open,
 * requests that wait for their turn go first. `clock` is in milliseconds, and never goes back.
 */
export function createBreaker(
  { failures, everyMs }: BreakerLimits,
  { clock, changed }: { clock: () => number; changed: (state: "open" | "closed") => void },
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

  /** Lets those who wait through, as far as it is their turn. */
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
    /** Whether a request could pass now: none overtakes those who wait. */
    canPass: (): boolean => queue.size === 0 && isTurn(),
    /** Passes if that is so; then it may be the only one for a while. */
    tryPass: (): boolean => queue.size === 0 && takeTurn(),
    /** Passes when it is this request's turn; false where that does not come within `waitMs`. */
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
      if (failuresInRow === failures) changed("open");
    },
    recordSuccess: (): void => {
      if (isOpen()) changed("closed");
      failuresInRow = 0;
      drainQueue();
    },
  };
}
