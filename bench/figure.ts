/** One comparison; `floor` is written `≥ 0.5` or `≤ 1.3`, and is empty where there is none. */
export type Figure = { what: string; ours: string; compared: string; ratio: number; floor: string };

/** The middle value: one slow round on a noisy machine does not move it. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A figure of a time and its limit. */
export function compareTime(what: string, tookMs: number, limitMs: number): Figure {
  return {
    what,
    ours: formatMs(tookMs),
    compared: formatMs(limitMs),
    ratio: tookMs / limitMs,
    floor: "≤ 1",
  };
}

function formatMs(ms: number): string {
  return `${ms < 100 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

/** The smallest body that creates a payment. */
export const createBody = JSON.stringify({
  amount: 4999,
  currency: "eur",
  card: { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123" },
});
