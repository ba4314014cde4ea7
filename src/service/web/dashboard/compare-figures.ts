/** A figure beside the same one of the period before. */
export type Change = { text: string; direction: "up" | "down" | "same" };

/** The change in percent; null where there was nothing to compare with. */
export function describeChange(now: number, before: number): Change | null {
  return before === 0 ? null : toChange(((now - before) / before) * 100, "%");
}

/** The change between two rates, in percentage points; null where one of them is none. */
export function describeRateChange(now: number | null, before: number | null): Change | null {
  return now === null || before === null ? null : toChange((now - before) * 100, " points");
}

/** Large changes need no decimals, and one that is rounded away is none. */
function toChange(value: number, unit: string): Change {
  const size = Math.abs(value);
  const digits = size < 100 ? 1 : 0;
  const number = size.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (Number(size.toFixed(1)) === 0) return { text: "No change", direction: "same" };
  return value > 0
    ? { text: `+${number}${unit}`, direction: "up" }
    : { text: `−${number}${unit}`, direction: "down" };
}

/** A rate as in `70.2%`. */
export function formatRate(rate: number | null): string {
  return rate === null ? "–" : `${(rate * 100).toFixed(1)}%`;
}
