import type { Figures } from "../../domain/sum-figures.ts";
import { html, type Html } from "../design/html.ts";
import { chooseScale } from "./chart-scale.ts";
import type { Span } from "./chart-spans.ts";

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
