import type { InferredFlags } from "@oclif/core/interfaces";
import { isStatusFilter } from "../../contract/field-values.ts";
import { usageError } from "../errors/command-error.ts";
import type { ResourceName } from "../output/resource.ts";
import { checkId } from "./checked-values.ts";
import { integerFlag, switchFlag, textFlag } from "./flag-kinds.ts";
import { parseTime } from "./time.ts";

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
