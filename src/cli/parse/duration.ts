import { usageError } from "../errors/command-error.ts";

const unitsMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration such as `500ms`, `2s`, `5m`, `24h` or `7d`, at most `max`, into milliseconds. */
export function parseDuration(text: string, flag: string, max?: string): number {
  const ms = parseDurationText(text);
  if (ms === undefined) {
    throw usageError(`${flag} must be a duration such as 500ms, 2s, 5m, 24h or 7d.`);
  }
  if (max !== undefined && ms > parseDuration(max, flag)) {
    throw usageError(`${flag} must be at most ${max}.`);
  }
  return ms;
}

/** As `parseDuration`, for a text that may be something else; undefined if it is no duration. */
export function parseDurationText(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return Math.round(Number(count) * (unitsMs[unit] ?? 0));
}
