import { findDay, parseDay } from "../../../runtime/time.ts";
import type { DayFigures } from "../../reports/get-overview.ts";
import { addFigures, type Figures } from "../../reports/sum-figures.ts";
import { html, type Html } from "../design/html.ts";
import { shortenMonth } from "./value-words.ts";

type Chart = {
  name: string;
  value: (figures: Figures) => number;
  /** A value as it is read. */
  format: (value: number) => string;
  /** How many decimals of its unit a value has. */
  exponent: number;
};

type Bar = { height: number; text: string; isPartial: boolean };

/** A bar alone is no wider than one of so many. */
const minSlots = 7;
/** Days are as short as `25 Oct`; months have their year. */
const [maxDayLabels, maxMonthLabels] = [7, 5];
/** A value above zero is seen, however small it is. */
const minHeight = 1;

/**
 * Bars over a scale of round numbers. Lengths are parts of the drawing's size, so that it fits any width. A pointer
 * that rests on a bar shows its value; the script shows it at once, and by the arrow keys. A screen reader says the
 * highest; the page has all values in a table, too.
 */
export function renderBarChart(spans: readonly Span[], chart: Chart): Html {
  const { name, value, format, exponent } = chart;
  const values = spans.map(({ figures }) => value(figures));
  const highest = Math.max(...values, 0);
  const { step, top, lines } = chooseScale(highest || 10 ** exponent);
  const slot = 100 / Math.max(spans.length, minSlots);
  const summary =
    highest === 0
      ? "None"
      : `Highest ${format(highest)}, ${spans[values.indexOf(highest)]?.title ?? ""}`;
  return html`<figure class="sheet chart">
    <figcaption class="row apart">
      <h2>${name}</h2>
      <p class="small quiet-text" data-value>${summary}</p>
    </figcaption>
    <div class="plot">
      <p class="lines small quiet-text" aria-hidden="true">
        ${lines.toReversed().map((line) => html`<span>${formatLine(line, step, exponent)}</span>`)}
      </p>
      <svg class="bars" role="img" aria-label="${name}. ${summary}.">
        ${lines.slice(1).map((line) => renderLine(100 - (line / top) * 100))}
        ${spans.map((span, index) => {
          const each = values[index] ?? 0;
          const height = each === 0 ? 0 : Math.max(minHeight, (each / top) * 100);
          const text = `${span.title}: ${format(each)}`;
          return renderBar(index * slot, slot, { height, text, isPartial: span.isPartial });
        })}
      </svg>
      <svg class="dates small" aria-hidden="true">${renderLabels(spans, slot)}</svg>
    </div>
  </figure>`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact" });

/** A round number, with decimals only where its steps have some. */
function formatLine(value: number, step: number, exponent: number): string {
  const [units, unitStep] = [value / 10 ** exponent, step / 10 ** exponent];
  return unitStep < 1 ? units.toFixed(exponent) : compact.format(units);
}

function renderLine(y: number): Html {
  return html`<line x2="100%" y1="${round(y)}%" y2="${round(y)}%" />`;
}

/** The whole slot of a bar answers a pointer. The style has what all bars share. */
function renderBar(x: number, slot: number, { height, text, isPartial }: Bar): Html {
  return html`<svg x="${round(x)}%" width="${round(slot)}%" ${isPartial && html`class="partial"`}>
    <title>${text}</title>
    <rect />
    <rect y="${round(100 - height)}%" height="${round(height)}%" />
  </svg>`;
}

/**
 * Every so many bars have a label, the last one always, which is today's in most periods. A narrow chart leaves out
 * every other one.
 */
function renderLabels(spans: readonly Span[], slot: number): Html[] {
  const isDay = spans.every(({ label: { length } }) => length <= "25 Oct".length);
  const every = Math.ceil(spans.length / (isDay ? maxDayLabels : maxMonthLabels));
  return spans.flatMap(({ label }, index) => {
    const fromLast = spans.length - 1 - index;
    if (fromLast % every !== 0) return [];
    const isSpare = (fromLast / every) % 2 === 1;
    return [renderLabel(label, (index + 0.5) * slot, isSpare)];
  });
}

/** A label at an edge stays within the sheet around the drawing. */
function renderLabel(label: string, x: number, isSpare: boolean): Html {
  const [at, anchor, dx] =
    x < 4 ? [0, "start", -0.75] : x > 96 ? [100, "end", 0.75] : [x, "middle", 0];
  return html`<text
    ${isSpare && html`class="spare"`}
    x="${round(at)}%"
    y="1em"
    dx="${dx}em"
    text-anchor="${anchor}"
    >${label}</text
  >`;
}

/** A hundredth of a percent is less than a pixel. */
function round(percent: number): number {
  return Math.round(percent * 100) / 100;
}

/** The values at the lines of a chart, from 0 up to at least its highest value, as far from each other as `step`. */
export type Scale = { step: number; top: number; lines: number[] };

const maxSteps = 4;

/**
 * A scale of round numbers: steps of 1, 2 or 5 times a power of ten, the smallest with which four reach the highest
 * value. Amounts are minor units, so that their steps are round in units of the currency, too.
 */
export function chooseScale(highest: number): Scale {
  const step = chooseStep(highest / maxSteps);
  const count = Math.max(1, Math.ceil(highest / step));
  const lines = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { step, top: count * step, lines };
}

function chooseStep(min: number): number {
  for (let power = 1; ; power *= 10) {
    const factor = [1, 2, 5].find((each) => each * power >= min);
    if (factor !== undefined) return factor * power;
  }
}

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
const [maxDayBars, maxWeekBars] = [31, 31];

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
  if (days <= maxDayBars) return "day";
  return days <= maxWeekBars * 7 ? "week" : "month";
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
