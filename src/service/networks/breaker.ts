import { startWait } from "../../runtime/timeouts.ts";

export type BreakerLimits = {
  /** How many failures in a row open it. */
  failures: number;
  /** While it is open, one is let through in this time. */
  everyMs: number;
};

/**
 * Keeps a network that fails from being asked all the time: it opens after so many failures in a row,
 * and closes with the first success. While it is open, those who wait for their turn go first. `clock` is in
 * milliseconds, and never goes back.
 */
export function createBreaker(
  { failures, everyMs }: BreakerLimits,
  { clock, changed }: { clock: () => number; changed: (state: "open" | "closed") => void },
) {
  let inRow = 0;
  let nextAtMs = clock();
  const line = new Set<() => void>();
  let turn: NodeJS.Timeout | undefined;
  const isOpen = () => inRow >= failures;

  const mayPass = () => !isOpen() || clock() >= nextAtMs;

  function pass(): boolean {
    if (!mayPass()) return false;
    nextAtMs = clock() + everyMs;
    return true;
  }

  /** Lets those who wait through, as far as it is their turn. */
  function letThrough(): void {
    clearTimeout(turn);
    for (const goOn of line) {
      if (!pass()) {
        turn = setTimeout(letThrough, nextAtMs - clock());
        return;
      }
      goOn();
    }
  }

  return {
    isOpen,
    /** Whether somebody could go through now: nobody passes those who wait. */
    mayPass: (): boolean => line.size === 0 && mayPass(),
    /** Goes through if that is so; and may be the only one for a while. */
    pass: (): boolean => line.size === 0 && pass(),
    /** Goes through when it is one's turn; false where that does not come within `waitMs`. */
    passInTurn: async (waitMs: number): Promise<boolean> => {
      if (line.size === 0 && pass()) return true;
      const wait = startWait<true>(waitMs, () => line.delete(goOn));
      const goOn = () => wait.end(true);
      line.add(goOn);
      letThrough();
      return (await wait.promise) ?? false;
    },
    failed: (): void => {
      inRow++;
      if (inRow === failures) changed("open");
    },
    succeeded: (): void => {
      if (isOpen()) changed("closed");
      inRow = 0;
      letThrough();
    },
  };
}
