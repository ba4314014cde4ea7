import { parseDurationText } from "../../runtime/time.ts";
import { usageError } from "../errors/command-error.ts";

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

/**
 * Parses a point in time into Unix seconds: from Unix seconds, an ISO 8601 date or time (local if it has no
 * zone), or an age such as `24h` or `7d`.
 */
export function parseTime(text: string, flag: string, nowMs: number): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const ageMs = parseDurationText(text);
  if (ageMs !== undefined) return Math.max(0, Math.floor((nowMs - ageMs) / 1000));
  const seconds = parseDate(text);
  if (seconds !== undefined) return seconds;
  throw usageError(
    `${flag} must be Unix seconds, a date or time such as 2026-11-01 or 2026-11-01T09:30, or an age such as 24h or 7d.`,
  );
}

/** Whether `parseTime` reads an age, which is another point in time whenever it is read. */
export function isAge(text: string): boolean {
  return parseDurationText(text) !== undefined;
}

/** Parses Unix seconds, or an ISO 8601 date or time, into Unix seconds. */
export function parseFutureTime(text: string, flag: string): number {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : parseDate(text);
  if (seconds !== undefined) return seconds;
  throw usageError(
    `${flag} must be Unix seconds, or a date or time such as 2026-11-01 or 2026-11-01T09:30.`,
  );
}

/** Parses an ISO 8601 date or time, local if it has no zone, into Unix seconds; undefined where it is none. */
function parseDate(text: string): number | undefined {
  const iso = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text;
  const atMs = /^\d{4}-\d{2}-\d{2}T/.test(iso) ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(atMs) || atMs < 0 || !isRealDate(iso)) return undefined;
  return Math.floor(atMs / 1000);
}

/** JavaScript reads 30 February as 2 March, and the list would be that of another day. */
function isRealDate(iso: string): boolean {
  const [year = 0, month = 0, day = 0] = iso.slice(0, 10).split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}
