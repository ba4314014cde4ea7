import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { isStatusFilter, type Several } from "../../contract/field-values.ts";
import { parseDurationText } from "../../runtime/time.ts";
import { usageError } from "../output/command-error.ts";
import type { ResourceName } from "../output/resource.ts";
import { checkId } from "./checked-values.ts";
import { integerFlag, switchFlag, textFlag } from "./flags.ts";

/** The part of a list to print. */
export function pageFlags({ name, many }: ResourceName) {
  return {
    "starting-after": textFlag(`Older than this ${name}.`, "<id>"),
    "ending-before": textFlag(`Newer than this ${name}.`, "<id>", {
      exclusive: ["starting-after"],
    }),
    limit: integerFlag(`How many ${many} to list in total.`, "<count>", { min: 1, default: 10 }),
    all: switchFlag(`Every ${name}.`),
  };
}

/** Parses how many items of a list to print in total; undefined: all. */
export function parseLimit(
  { all, limit }: { all: boolean; limit: number },
  metadata: { flags: Record<string, { setFromDefault?: boolean | undefined } | undefined> },
): number | undefined {
  if (!all) return limit;
  if (metadata.flags["limit"]?.setFromDefault) return undefined;
  throw usageError("--limit and --all contradict each other. Give one of them.");
}

type PageFlags = Partial<InferredFlags<ReturnType<typeof pageFlags>>>;

export function parseCursors(flags: PageFlags, kind: ResourceName) {
  return {
    starting_after: checkId(kind, flags["starting-after"], "--starting-after"),
    ending_before: checkId(kind, flags["ending-before"], "--ending-before"),
  };
}

export const createdFlags = {
  "created-gte": textFlag(
    "Created at or after this time: Unix seconds, a date or time, or an age such as 24h.",
    "<time>",
  ),
  "created-lt": textFlag("Created before this time.", "<time>"),
};

type Range = Partial<InferredFlags<typeof createdFlags>>;

/** Parses the range of creation times; ages count back from `nowMs`. */
export function parseCreatedRange({ "created-gte": gte, "created-lt": lt }: Range, nowMs: number) {
  return {
    "created[gte]": gte === undefined ? gte : parseTime(gte, "--created-gte", nowMs),
    "created[lt]": lt === undefined ? lt : parseTime(lt, "--created-lt", nowMs),
  };
}

/** A flag that takes one status or several. */
export function severalFlag<const Status extends string>(
  summary: string,
  options: readonly Status[],
) {
  return Flags.option({
    summary: `${summary} Several are separated by commas.`,
    options,
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ",",
  })();
}

/** The statuses of a flag, as a query names them. */
export function toSeveral<Status extends string>(
  statuses: readonly Status[] | undefined,
): Several<Status> | undefined {
  return statuses?.join(",") as Several<Status> | undefined;
}

/** The statuses of requests. */
export const statusesFlag = {
  status: textFlag(
    "Only requests with these statuses, such as 404, or 4xx,5xx for whole classes.",
    "<statuses>",
  ),
};

/** Checks statuses of requests: exact ones, and classes such as `4xx`, separated by commas. */
export function parseStatuses(text: string | undefined): string | undefined {
  const statuses = text?.replaceAll(" ", "").toLowerCase();
  if (statuses === undefined || isStatusFilter(statuses)) return statuses;
  throw usageError("--status must be statuses such as 404, or classes such as 4xx,5xx.");
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
