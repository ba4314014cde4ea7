import { daySeconds, formatDuration } from "../../runtime/time.ts";

/** Writes 12345 as `12,345`, without `Intl`, which takes longer to load than most commands run. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formatters for times in Unix seconds in a table: brief in a terminal, in full elsewhere. */
export type CellTimes = {
  isBrief: boolean;
  past: (seconds: number) => string;
  coming: (seconds: number) => string;
};

export function createCellTimes(width: number | undefined, nowMs: number): CellTimes {
  if (width === undefined)
    return { isBrief: false, past: formatLocalTime, coming: formatLocalTime };
  return {
    isBrief: true,
    past: (seconds) => formatAge(seconds, nowMs),
    coming: (seconds) => formatWait(seconds, nowMs),
  };
}

/** A time in Unix seconds: `2m ago` within a day, else the local date. */
export function formatAge(seconds: number, nowMs: number): string {
  const ageSeconds = Math.max(0, Math.floor(nowMs / 1000) - seconds); // another clock may be ahead
  return ageSeconds < daySeconds
    ? `${formatDuration(ageSeconds * 1000)} ago`
    : formatLocalDate(seconds);
}

/** A future time: `in 5m` within a day, `now` once it has passed. */
function formatWait(seconds: number, nowMs: number): string {
  const waitSeconds = seconds - Math.floor(nowMs / 1000);
  if (waitSeconds <= 0) return "now";
  return waitSeconds < daySeconds
    ? `in ${formatDuration(waitSeconds * 1000)}`
    : formatLocalDate(seconds);
}

function formatLocalDate(seconds: number): string {
  return formatLocalTime(seconds).split(" ", 1).join("");
}

/** A time in Unix seconds as local date and time. */
export function formatLocalTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return String(seconds);
  return `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())} ${padTwo(at.getHours())}:${padTwo(at.getMinutes())}:${padTwo(at.getSeconds())}`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, "0");
}
