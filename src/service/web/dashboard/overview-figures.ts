import { getExponent } from "../../../contract/money.ts";
import type { Overview } from "../../reports/get-overview.ts";
import { computeSuccessRate, type Figures } from "../../reports/sum-figures.ts";
import { html, type Html } from "../design/html.ts";
import { renderBarChart, type Span, type Spans } from "./bar-chart.ts";
import { formatAmount, renderOneLine, renderTime } from "./elements.ts";
import { toWords } from "./value-words.ts";

/** Some days in one currency: as figures beside those of the days before, as bars, as a table, and as files. */
export function renderFigures(
  overview: Overview,
  currency: string,
  { unit, spans, downloads }: Spans & { downloads: Html },
): Html {
  const amount = (minor: number) => formatSum(minor, currency);
  return html`${renderTiles(overview, amount)}
    <div class="charts">
      ${renderBarChart(spans, {
        name: `Volume by ${unit}`,
        value: ({ volume }) => volume,
        format: amount,
        exponent: getExponent(currency.toUpperCase()),
      })}
      ${renderBarChart(spans, {
        name: `Payments by ${unit}`,
        value: ({ payments }) => payments,
        format: formatCount,
        exponent: 0,
      })}
    </div>
    <div class="row apart">
      <p class="row small quiet-text">
        ${renderPartialKey({ unit, spans })}
        <span
          >Days are in UTC. Figures as of ${renderTime(overview.until)}, compared with whole
          days.</span
        >
      </p>
      ${downloads}
    </div>
    <details class="sheet">
      <summary>View as table</summary>
      ${renderFigureTable(`Figures by ${unit}`, listColumns(unit, amount), spans.toReversed())}
    </details>`;
}

function renderTiles({ totals, before, days }: Overview, amount: (minor: number) => string): Html {
  const [rate, rateBefore] = [computeSuccessRate(totals), computeSuccessRate(before)];
  const refunds = totals.refunded === 1 ? "1 payment" : `${formatCount(totals.refunded)} payments`;
  const period = days.length === 1 ? "previous day" : `previous ${days.length} days`;
  const compare = (change: Change | null, textBefore: string) =>
    before.payments === 0
      ? html`No payments in the ${period}`
      : renderChange(change, `${textBefore} in the ${period}`, period);
  return html`<dl class="tiles">
    ${renderTile("Volume", amount(totals.volume), {
      change: compare(describeChange(totals.volume, before.volume), amount(before.volume)),
      note: "Includes refunded payments",
    })}
    ${renderTile("Payments", formatCount(totals.payments), {
      change: compare(
        describeChange(totals.payments, before.payments),
        formatCount(before.payments),
      ),
      note: describeOutcomes(totals),
    })}
    ${renderTile("Success rate", formatRate(rate), {
      change: compare(describeRateChange(rate, rateBefore), formatRate(rateBefore)),
      note: "Excludes unpaid and pending",
    })}
    ${renderTile("Refunds", amount(totals.refundedVolume), {
      change: compare(
        describeChange(totals.refundedVolume, before.refundedVolume),
        amount(before.refundedVolume),
      ),
      note: refunds,
    })}
  </dl>`;
}

function renderTile(name: string, value: string, beside: { change: Html; note: string }): Html {
  return html`<div class="sheet">
    <dt>${name}</dt>
    <dd class="figure">${renderOneLine(value)}</dd>
    <dd class="small">${beside.change}</dd>
    <dd class="small quiet-text">${beside.note}</dd>
  </div>`;
}

function renderChange(change: Change | null, before: string, period: string): Html {
  if (change === null) return html`<span class="quiet-text">${before}</span>`;
  if (change.direction === "same") {
    return html`<span title="${before}">Same as the ${period}</span>`;
  }
  return html`<span title="${before}"
    ><strong>${change.text}</strong> <span class="quiet-text">vs. ${period}</span></span
  >`;
}

/** Why some bars are lighter. */
function renderPartialKey({ unit, spans }: Spans): Html | false {
  const text = unit === "day" ? "Today so far" : `Part of a ${unit}`;
  return (
    spans.some(({ isPartial }) => isPartial) &&
    html`<span class="row key"
      ><svg class="bars" aria-hidden="true">
        <g class="partial">
          <rect />
          <rect height="100%" />
        </g></svg
      >${text}</span
    >`
  );
}

type FigureColumn = [title: string, cell: (span: Span) => Html | string];

function createColumn(
  title: string,
  figure: (figures: Figures) => number,
  format: (value: number) => Html | string = formatCount,
): FigureColumn {
  return [title, ({ figures }) => format(figure(figures))];
}

/** The most important first: narrow pages show the first ones. */
function listColumns(unit: Spans["unit"], format: (minor: number) => string): FigureColumn[] {
  const amount = (minor: number) => renderOneLine(format(minor));
  return [
    [`${toWords(unit)} (UTC)`, ({ title }) => title],
    createColumn("Volume", ({ volume }) => volume, amount),
    createColumn("Payments", ({ payments }) => payments),
    createColumn("Succeeded", ({ succeeded }) => succeeded),
    createColumn("Declined", countDeclined),
    createColumn("Refunds", ({ refundedVolume }) => refundedVolume, amount),
    createColumn("Refunded", ({ refunded }) => refunded),
    createColumn("Never paid", ({ unpaid }) => unpaid),
    createColumn("Pending", ({ pending }) => pending),
  ];
}

/** A table of numbers alone stays one on a phone, with fewer columns: as cards it would be as long as the page. */
function renderFigureTable(
  caption: string,
  columns: readonly FigureColumn[],
  rows: readonly Span[],
): Html {
  return html`<table class="figures" aria-label="${caption}">
    <thead>
      <tr>
        ${columns.map(([title]) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map(([, cell], index) => (index === 0 ? html`<th scope="row">${cell(row)}</th>` : html`<td>${cell(row)}</td>`))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** The outcomes of the payments, including those that the success rate leaves out. */
function describeOutcomes(all: Figures): string {
  const outcomes: [count: number, word: string][] = [
    [all.succeeded, "succeeded"],
    [countDeclined(all), "declined"],
    [all.unpaid, "never paid"],
    [all.pending, "pending"],
  ];
  return outcomes
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${formatCount(count)} ${word}`)
    .join(", ");
}

/** A payment whose page was never paid has failed, too, but without a card. */
function countDeclined({ failed, unpaid }: Figures): number {
  return failed - unpaid;
}

/** A sum of amounts; it is rounded beyond the largest exact number. */
function formatSum(minor: number, currency: string): string {
  const text = formatAmount({ amount: minor, currency });
  const isExact = Number.isSafeInteger(minor);
  return (isExact ? text : `about ${text}`).replaceAll(" ", "\u00a0");
}

const counts = new Intl.NumberFormat("en");

export function formatCount(count: number): string {
  return counts.format(count);
}

/** A figure beside the same one of the period before. */
export type Change = { text: string; direction: "up" | "down" | "same" };

/** The change in percent; null where there was nothing to compare with. */
export function describeChange(now: number, before: number): Change | null {
  return before === 0 ? null : toChange(((now - before) / before) * 100, "%");
}

/** The change between two rates, in percentage points; null where one of them is none. */
export function describeRateChange(now: number | null, before: number | null): Change | null {
  return now === null || before === null ? null : toChange((now - before) * 100, " points");
}

/** Large changes need no decimals, and one that is rounded away is none. */
function toChange(value: number, unit: string): Change {
  const size = Math.abs(value);
  const digits = size < 100 ? 1 : 0;
  const number = size.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (Number(size.toFixed(1)) === 0) return { text: "No change", direction: "same" };
  return value > 0
    ? { text: `+${number}${unit}`, direction: "up" }
    : { text: `−${number}${unit}`, direction: "down" };
}

/** A rate as in `70.2%`. */
export function formatRate(rate: number | null): string {
  return rate === null ? "–" : `${(rate * 100).toFixed(1)}%`;
}
