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

export const daySeconds = 24 * 60 * 60;

/** A date such as 2026-11-01 as days since 1970 in UTC; undefined for a day that does not exist. */
export function parseDay(text: string): number | undefined {
  if (!/^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
  return isDay ? at.getTime() / 1000 / daySeconds : undefined;
}

/** The date of a day, given as days since 1970. */
export function formatDay(day: number): string {
  return new Date(day * daySeconds * 1000).toISOString().slice(0, "2026-11-01".length);
}

/** The forms of a time, as people type one. */
export const timeForms =
  "2026-11-29 07:12, a date, today, yesterday, a weekday (monday, monday 08:00), an age such as 36h or 7d, or Unix seconds";

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** A word in place of a date, and perhaps a time. */
const wordAndTime = /^([a-z]+)( \d\d:\d\d(?::\d\d)?)?$/;

/** Whether a typed time is another one whenever it is read: an age, or with `today`, `yesterday` or a weekday. */
export function isRelativeTime(text: string): boolean {
  const typed = text.trim().toLowerCase();
  const [, word = ""] = wordAndTime.exec(typed) ?? [];
  return parseDurationText(typed) !== undefined || countDaysBack(word, 0) !== undefined;
}

/**
 * Parses a time that is typed as it is shown, or that looks back from `nowMs`, into Unix seconds; undefined where it is
 * none, or does not exist: 30 February, or an hour that clocks skip. A date is its midnight, a weekday the last one's,
 * today's on that day; either may have a time behind it. Of an hour that clocks repeat it is the first. Without a zone
 * it is a local time, or with `utc` one in UTC. Eight digits that could be a date are not taken for seconds.
 */
export function parseTypedTime(
  text: string,
  nowMs: number,
  { utc = false }: { utc?: boolean } = {},
): number | undefined {
  const typed = text.trim().toLowerCase();
  if (/^\d{1,12}$/.test(typed)) return /^(?:19|20)\d{6}$/.test(typed) ? undefined : Number(typed);
  const ageMs = parseDurationText(typed);
  if (ageMs !== undefined) return Math.max(0, Math.floor((nowMs - ageMs) / 1000));
  const now = new Date(nowMs);
  const [, word = "", time = ""] = wordAndTime.exec(typed) ?? [];
  const daysBack = countDaysBack(word, utc ? now.getUTCDay() : now.getDay());
  if (daysBack === undefined) return parseDateAndTime(typed, utc);
  const todayMs = utc ? nowMs : Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return parseDateAndTime(formatDay(findDay(todayMs) - daysBack) + time, utc);
}

/** How many days ago a day was that is named by a word; `weekday` is today's. */
function countDaysBack(word: string, weekday: number): number | undefined {
  if (word === "today") return 0;
  if (word === "yesterday") return 1;
  const named = weekdays.indexOf(word);
  return named === -1 ? undefined : (weekday - named + 7) % 7;
}

const dateAndTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d):(\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** Parses a date, perhaps with a time and a zone, into Unix seconds, as `parseTypedTime` does. */
export function parseDateAndTime(text: string, utc = false): number | undefined {
  const [, date, hours, minutes, seconds = "", zone = utc ? "Z" : ""] =
    dateAndTime.exec(text.trim()) ?? [];
  if (date === undefined || parseDay(date) === undefined) return undefined;
  const at = new Date(`${date}T${hours ?? "00"}:${minutes ?? "00"}${seconds}${zone.toUpperCase()}`);
  const isSkipped = at.getHours() !== Number(hours) || at.getMinutes() !== Number(minutes);
  const isReal = !Number.isNaN(at.getTime()) && !(zone === "" && hours !== undefined && isSkipped);
  return isReal ? Math.max(0, Math.floor(at.getTime() / 1000)) : undefined;
}

/** The day of a time in Unix milliseconds, as days since 1970 in UTC. */
export function findDay(atMs: number): number {
  return Math.floor(atMs / 1000 / daySeconds);
}

/** The time of creation that an id with a UUIDv7 holds, in Unix seconds. */
export function parseCreated(id: string): number {
  return Math.floor(parseCreatedMs(id) / 1000);
}

/** The same in milliseconds. */
export function parseCreatedMs(id: string): number {
  const uuid = id.slice(id.indexOf("_") + 1);
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/**
 * Pauses that grow by `factor` (2 by default) from `minMs` up to `maxMs`, each made longer or shorter by up to
 * `jitter` of itself, so that processes that failed or started together do not act together for ever.
 */
export type Backoff = { minMs: number; maxMs: number; factor?: number; jitter?: number };

/** The pause before a retry, in milliseconds; `attempt` counts from 0. */
export function computeBackoff(
  attempt: number,
  { minMs, maxMs, factor = 2, jitter = 0 }: Backoff,
  random: () => number = Math.random,
): number {
  return addJitter(Math.min(maxMs, minMs * factor ** attempt), jitter, random);
}

/** A duration made longer or shorter by up to `jitter` of itself. */
export function addJitter(durationMs: number, jitter: number, random: () => number): number {
  return durationMs * (1 - jitter + 2 * jitter * random());
}

/** The wait of a `Retry-After` header, in seconds or until a date; undefined where it is missing or malformed. */
export function parseRetryAfter(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
