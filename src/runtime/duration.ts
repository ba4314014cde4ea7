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

/** Formats a duration in its largest unit, rounded down: `45s`, `12m`, `3h`, `5d`. */
export function formatDuration(spanMs: number): string {
  const seconds = Math.floor(spanMs / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
