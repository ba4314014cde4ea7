import { Chalk, type ChalkInstance } from "chalk";
import { eventTypes } from "../../contract/field-values.ts";
import { daySeconds, formatDuration } from "../../runtime/time.ts";

/**
 * A stream's colours: none in a pipe, nor if the user turned them off. NO_COLOR and a plain screen take
 * precedence, then FORCE_COLOR and CLICOLOR_FORCE, then CLICOLOR=0.
 */
export function getStyle(stream: "stdout" | "stderr"): ChalkInstance {
  return new Chalk({ level: takesColors(process.env, process[stream].isTTY) ? 1 : 0 });
}

let given: NodeJS.ProcessEnv = {};

/** The environment as it was before `setColors`, for a program that is started. */
export function getGivenEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...given };
}

/** Sets NO_COLOR and FORCE_COLOR for libraries that colour by themselves and read no other variable. */
export function setColors(argv: string[], env: NodeJS.ProcessEnv): void {
  given = { NO_COLOR: env["NO_COLOR"], FORCE_COLOR: env["FORCE_COLOR"] };
  if (argv.includes("--no-color")) env["NO_COLOR"] = "1";
  const forced = takesColors(env, false);
  if (forced) env["FORCE_COLOR"] = "1";
  else if (!takesColors(env, true)) env["NO_COLOR"] = "1";
  if (env["NO_COLOR"]) delete env["FORCE_COLOR"];
}

function takesColors(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const force = env["FORCE_COLOR"];
  if (env["NO_COLOR"] || wantsPlainScreen(env)) return false;
  if (force) return !["0", "false"].includes(force);
  if (env["CLICOLOR_FORCE"] && env["CLICOLOR_FORCE"] !== "0") return true;
  return isTerminal && env["CLICOLOR"] !== "0";
}

/**
 * Colours a text by the status that it begins with, or by another one. The text always contains the status, so
 * that nobody needs to see the colour.
 */
export function colorStatus(
  style: ChalkInstance,
  text: string,
  status = text.split(" ", 1)[0],
): string {
  const color = statusColors.get(status);
  return color ? style[color](text) : text;
}

const statusColors = new Map<string | undefined, "green" | "red" | "yellow" | "cyan">([
  ["succeeded", "green"],
  ["delivered", "green"],
  ["enabled", "green"],
  ["failed", "red"],
  ["refused", "red"],
  ["pending", "yellow"],
  ["unknown", "yellow"],
  ["disabled", "yellow"],
  ["refunded", "cyan"],
]);

/** Colours an event's type, which may have been shortened, by the status that it names. */
export function colorEventType(style: ChalkInstance, text: string): string {
  const type = eventTypes.find((known) => known.startsWith(text.replace(/…$/, "")));
  return colorStatus(style, text, type?.slice("payment.".length));
}

export function colorMode(style: ChalkInstance, mode: string): string {
  return mode === "live" ? style.bold(mode) : mode;
}

export function bold(style: ChalkInstance, text: string): string {
  return style.bold(text);
}

/**
 * Whether the screen must be plain: text line after line, nothing redrawn, no escape sequences. A user with
 * a screen reader sets ACCESSIBLE, a terminal without escape sequences sets TERM=dumb.
 */
export function wantsPlainScreen(env: Record<string, string | undefined>): boolean {
  return Boolean(env["ACCESSIBLE"]) || env["TERM"] === "dumb";
}

/** Writes 12345 as `12,345`, without `Intl`, which takes longer to load than most commands run. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Writes 1 payment as that, and more as `12,345 payments`. */
export function formatMany(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? "" : "s"}`;
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
