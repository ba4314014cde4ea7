const unitsMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration such as `500ms`, `2s`, `5m`, `24h` or `7d` into milliseconds; undefined where it is none. */
export function parseDurationText(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return Math.round(Number(count) * (unitsMs[unit] ?? 0));
}
