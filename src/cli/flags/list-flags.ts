import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { isStatusFilter, type Several } from "../../contract/field-values.ts";
import { parseDateAndTime, parseTypedTime, timeForms } from "../../runtime/time.ts";
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
  "created-gte": textFlag(`Created at or after this time: ${timeForms}.`, "<time>"),
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

/** Parses a typed time into Unix seconds; one without a zone is local, as times are shown. */
export function parseTime(text: string, flag: string, nowMs: number): number {
  const seconds = parseTypedTime(text, nowMs);
  if (seconds !== undefined) return seconds;
  throw wrongTimeError(text, flag, timeForms);
}

/** Parses Unix seconds, or a date or time, into Unix seconds. */
export function parseFutureTime(text: string, flag: string): number {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : parseDateAndTime(text);
  if (seconds !== undefined) return seconds;
  throw wrongTimeError(text, flag, "2026-11-01 09:30, a date, or Unix seconds");
}

/** What could be two dates is told so; nothing else of the text is repeated, which may be a secret. */
export function wrongTimeError(text: string, flag: string, forms: string): Error {
  const mistake = /^\d{1,2}([./-])\d{1,2}\1\d{2,4}\b/.test(text)
    ? `${flag} could be two dates.`
    : /^\d{4}-\d\d-\d\d/.test(text)
      ? `${flag} is no time that exists here.`
      : `${flag} is no time.`;
  return usageError(mistake, `Write it as ${forms}.`);
}
