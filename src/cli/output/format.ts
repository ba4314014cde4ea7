/** 12345 is written `12,345`. `Intl`, which could, takes longer to load than most commands run. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** How a table tells times in Unix seconds: in a terminal to people in a hurry, elsewhere whole. */
export function formatTimes(width: number | undefined) {
  if (width === undefined) return { past: formatLocalTime, coming: formatLocalTime };
  const nowMs = Date.now();
  return {
    past: (seconds: number) => formatAge(seconds, nowMs),
    coming: (seconds: number) => waitOrDate(seconds, nowMs),
  };
}

/** A time in Unix seconds as people in a hurry read it: `2m ago` within a day, else the local date. */
export function formatAge(seconds: number, nowMs: number): string {
  const ageSeconds = Math.max(0, Math.floor(nowMs / 1000) - seconds); // another clock may be ahead
  return ageSeconds < daySeconds ? `${span(ageSeconds)} ago` : localDate(seconds);
}

/** The same of a time to come: `in 5m` within a day, `now` once it has come. */
function waitOrDate(seconds: number, nowMs: number): string {
  const waitSeconds = seconds - Math.floor(nowMs / 1000);
  if (waitSeconds <= 0) return "now";
  return waitSeconds < daySeconds ? `in ${span(waitSeconds)}` : localDate(seconds);
}

const daySeconds = 86_400;

function span(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3_600)}h`;
}

function localDate(seconds: number): string {
  return formatLocalTime(seconds).split(" ", 1).join("");
}

/** A time in Unix seconds as local date and time. */
export function formatLocalTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  if (Number.isNaN(at.getTime())) return String(seconds);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
