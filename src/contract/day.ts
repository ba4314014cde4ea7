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

/** The day of a time in Unix milliseconds, as days since 1970 in UTC. */
export function findDay(atMs: number): number {
  return Math.floor(atMs / 1000 / daySeconds);
}
