import { findDay, parseDay } from "../../../runtime/time.ts";
import type { DayFigures } from "../../domain/compute-overview.ts";
import { addFigures, type Figures } from "../../domain/sum-figures.ts";
import { shortenMonth } from "./value-words.ts";

/** One bar of a chart and one row of its table: a day, or the days of a week or month that are in the period. */
export type Span = {
  /** Its days, such as `25 Oct 2026` or `19 – 25 Oct 2026`. */
  title: string;
  /** The same below the bar: its first day, or `Today`. */
  label: string;
  figures: Figures;
  /** Whether it has not ended, or has begun before the period: its figures are lower than those of a whole one. */
  isPartial: boolean;
};
export type Spans = { unit: SpanUnit; spans: Span[] };
type SpanUnit = "day" | "week" | "month";

/** A phone shows so many bars apart, and the table of so many rows leaves the page small. */
const [maxDays, maxWeeks] = [31, 31];

const formats = {
  whole: createFormat({ day: "numeric", month: "short", year: "numeric" }),
  day: createFormat({ day: "numeric", month: "short" }),
  month: createFormat({ month: "short", year: "numeric" }),
};

function createFormat(parts: Intl.DateTimeFormatOptions) {
  return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: "UTC" });
}

/** The days of a period, oldest first, by day, week (from Monday) or calendar month, the more the longer it is. */
export function groupDays(days: readonly DayFigures[], todayMs: number): Spans {
  const unit = chooseUnit(days.length);
  const groups = Map.groupBy(days, (figures) => findStart(figures.day, unit));
  const today = findDay(todayMs);
  return { unit, spans: [...groups.values()].map((group) => toSpan(group, unit, today)) };
}

function toSpan(group: readonly DayFigures[], unit: SpanUnit, today: number): Span {
  const [first, last] = [toDay(group[0]), toDay(group.at(-1))];
  const isUnfinished = first <= today && today <= last;
  const format = unit === "month" ? formats.month : formats.day;
  return {
    title: formatDays(first, last),
    label: unit === "day" && isUnfinished ? "Today" : shortenMonth(format.format(toMs(first))),
    figures: addFigures(group),
    isPartial: isUnfinished || !isWhole(group, unit),
  };
}

function chooseUnit(days: number): SpanUnit {
  if (days <= maxDays) return "day";
  return days <= maxWeeks * 7 ? "week" : "month";
}

/**
 * The first and the last day as people write them: `25 Oct 2026`, `19 – 25 Oct 2026`. A line ends at the dash alone.
 */
export function formatDays(first: number, last: number): string {
  const text =
    first === last
      ? formats.whole.format(toMs(first))
      : formats.whole.formatRange(toMs(first), toMs(last)).replaceAll("\u2009", " ");
  return shortenMonth(text).replaceAll(/(?<!–) (?!–)/g, "\u00a0");
}

/** A day that begins a week or month, or the day itself; days since 1970, which was a Thursday, are the key. */
function findStart(date: string, unit: SpanUnit): string | number {
  const day = parseDay(date) ?? 0;
  if (unit === "day") return day;
  return unit === "week" ? Math.floor((day + 3) / 7) : date.slice(0, "2026-11".length);
}

function isWhole(group: readonly DayFigures[], unit: SpanUnit): boolean {
  if (unit !== "month") return group.length === (unit === "day" ? 1 : 7);
  const [year = 0, month = 0] = (group[0]?.day ?? "").split("-").map(Number);
  return group.length === new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function toDay(figures: DayFigures | undefined): number {
  return parseDay(figures?.day ?? "") ?? 0;
}

function toMs(day: number): number {
  return day * 24 * 60 * 60 * 1_000;
}
