import { findDay, parseDay } from "../../../contract/day.ts";
import { maxReportPeriods } from "../../../contract/report-values.ts";
import type { DayRange } from "../../domain/sum-figures.ts";

/** The days that the address of the overview names: `from` and `to` as they are there, both included. */
export type OverviewPeriod = {
  from: string;
  to: string;
  /** Undefined without both, and with a mistake. */
  days?: DayRange | undefined;
  mistakes: { from?: string; to?: string };
};

export const lastDays: OverviewPeriod = { from: "", to: "", mistakes: {} };
const defaultDays = 30;

/** A period without a first day has 30 days; one without a last day ends with today. */
export function parsePeriod(params: URLSearchParams, nowMs: number): OverviewPeriod {
  const from = params.get("from")?.trim() ?? "";
  const to = params.get("to")?.trim() ?? "";
  if (from === "" && to === "") return lastDays;
  const [first, last] = [parseDay(from), parseDay(to)];
  const mistake = "Write a date as 2026-11-30.";
  const mistakes = {
    ...(from !== "" && first === undefined && { from: mistake }),
    ...(to !== "" && last === undefined && { to: mistake }),
  };
  if (Object.keys(mistakes).length > 0) return { from, to, mistakes };
  const endDay = (last ?? findDay(nowMs)) + 1;
  const firstDay = first ?? endDay - defaultDays;
  const wrong = describeWrongRange({ firstDay, endDay });
  if (wrong === undefined) return { from, to, days: { firstDay, endDay }, mistakes };
  return { from, to, mistakes: to === "" ? { from: wrong } : { to: wrong } };
}

export function hasMistakes({ mistakes }: OverviewPeriod): boolean {
  return Object.keys(mistakes).length > 0;
}

function describeWrongRange({ firstDay, endDay }: DayRange): string | undefined {
  if (endDay <= firstDay) return "Choose a first day that is not after the last one.";
  return endDay - firstDay > maxReportPeriods
    ? `Choose at most ${maxReportPeriods} days: these are ${endDay - firstDay}.`
    : undefined;
}

/** The period as parameters of an address. */
export function listPeriodEntries({ from, to }: OverviewPeriod): [name: string, value: string][] {
  const entries: [string, string][] = [
    ["from", from],
    ["to", to],
  ];
  return entries.filter(([, value]) => value !== "");
}
