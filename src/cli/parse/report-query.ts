import { findDay, formatDay, parseDay, parseDurationText } from "../../runtime/time.ts";
import { currencies } from "../../contract/field-values.ts";
import type { ReportQuery } from "../../contract/report.ts";
import { usageError } from "../errors/command-error.ts";

type ReportFlags = {
  from?: string | undefined;
  to?: string | undefined;
  by: NonNullable<ReportQuery["by"]>;
  currency?: string | undefined;
};

/** Parses the flags of a report; ages count back from `nowMs`. */
export function parseReportQuery(
  { from, to, by, currency }: ReportFlags,
  nowMs: number,
): ReportQuery {
  const found = currencies.find((each) => each === currency?.toLowerCase());
  if (currency !== undefined && !found) {
    throw usageError(`--currency must be one of ${currencies.join(", ")}.`);
  }
  return {
    from: parseReportDay(from, "--from", nowMs),
    to: parseReportDay(to, "--to", nowMs),
    by,
    currency: found,
  };
}

/** The day in UTC that a flag names by its date or its age, as a date. */
function parseReportDay(text: string | undefined, flag: string, nowMs: number): string | undefined {
  if (text === undefined || parseDay(text) !== undefined) return text;
  const ageMs = parseDurationText(text);
  if (ageMs !== undefined && ageMs <= nowMs) return formatDay(findDay(nowMs - ageMs));
  throw usageError(
    `${flag} must be a date in UTC from 1970 on, such as 2026-11-01, or an age such as 7d.`,
  );
}
