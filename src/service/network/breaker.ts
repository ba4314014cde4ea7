export type BreakerLimits = {
  /** How many failures in a row open it. */
  failures: number;
  /** While it is open, one is let through in this time. */
  everyMs: number;
};

/**
 * Keeps a network that fails from being asked all the time: it opens after so many failures in a row,
 * and closes with the first success. `clock` is in milliseconds, and never goes back.
 */
export function breaker(
  { failures, everyMs }: BreakerLimits,
  { clock, changed }: { clock: () => number; changed: (state: "open" | "closed") => void },
) {
  let inRow = 0;
  let nextAtMs = clock();
  /** How many who came now would be let through. */
  const letsThrough = () => (inRow < failures ? Infinity : clock() >= nextAtMs ? 1 : 0);
  return {
    letsThrough,
    /** Lets somebody through, who may be the only one for a while. */
    pass: (): boolean => {
      if (letsThrough() === 0) return false;
      nextAtMs = clock() + everyMs;
      return true;
    },
    failed: (): void => {
      inRow++;
      if (inRow === failures) changed("open");
    },
    succeeded: (): void => {
      if (inRow >= failures) changed("closed");
      inRow = 0;
    },
  };
}
