import { declineMessages } from "../../domain/decline.ts";
import type { DayFigures, Overview } from "../../domain/compute-overview.ts";
import type { Figures } from "../../domain/sum-figures.ts";
import { html, type Html } from "../design/html.ts";
import { renderBarChart } from "./bar-chart.ts";
import { formatAmount, renderOneLine } from "./elements.ts";
import { createNumberColumn, renderTable, type Column } from "./table-elements.ts";

/** Some days in one currency: as figures, as bars, and as a table. */
export function renderFigures(overview: Overview, currency: string): Html {
  const { days, totals, successRate, declines } = overview;
  const amount = (minor: number) => formatSum(minor, currency);
  return html`<dl class="tiles">
      ${renderTile("Volume", amount(totals.volume), "of payments that succeeded, refunded or not")}
      ${renderTile("Payments", formatCount(totals.payments), describeOutcomes(totals))}
      ${renderTile("Success rate", successRate === null ? "–" : `${(successRate * 100).toFixed(1)} %`, "of payments that succeeded or were declined")}
      ${renderTile("Refunded", amount(totals.refundedVolume), totals.refunded === 1 ? "1 payment" : `${formatCount(totals.refunded)} payments`)}
    </dl>
    ${renderDays("Volume by day", days, ({ volume }) => [volume, amount(volume)])}
    ${renderDays("Payments by day", days, ({ payments }) => [payments, formatCount(payments)])}
    <details class="sheet">
      <summary>View as table</summary>
      ${renderTable("Figures by day", buildDayColumns(amount), days.toReversed())}
    </details>
    <div class="sheet">
      <h2>Why payments were declined</h2>
      ${
        declines.length > 0
          ? renderTable("Why payments were declined", declineColumns, declines)
          : html`<p>None.</p>`
      }
    </div>`;
}

function renderDays(
  name: string,
  days: readonly DayFigures[],
  figure: (day: DayFigures) => [value: number, text: string],
): Html {
  const bars = days.map((day) => {
    const [value, text] = figure(day);
    return { day: day.day, value, text };
  });
  return html`<div class="sheet">
    <h2>${name}</h2>
    ${renderBarChart(name, bars)}
  </div>`;
}

const declineColumns: Column<Overview["declines"][number]>[] = [
  {
    title: "Reason",
    isText: true,
    cell: ({ code }) =>
      html`<code>${code}</code
        ><span class="wraps small quiet-text">${declineMessages[code]}</span>`,
  },
  createNumberColumn("Payments", ({ count }) => formatCount(count)),
];

function buildDayColumns(amount: (minor: number) => string): Column<DayFigures>[] {
  return [
    { title: "Day (UTC)", cell: ({ day }) => day },
    createNumberColumn("Volume", ({ volume }) => amount(volume)),
    createNumberColumn("Payments", ({ payments }) => formatCount(payments)),
    createNumberColumn("Succeeded", ({ succeeded }) => formatCount(succeeded)),
    createNumberColumn("Declined", (day) => formatCount(countDeclined(day))),
    createNumberColumn("Never paid", ({ unpaid }) => formatCount(unpaid), { from: "wide" }),
    createNumberColumn("Pending", ({ pending }) => formatCount(pending), { from: "wide" }),
    createNumberColumn("Refunded", ({ refunded }) => formatCount(refunded), { from: "wide" }),
    createNumberColumn("Refunds", ({ refundedVolume }) => amount(refundedVolume), { from: "wide" }),
  ];
}

function renderTile(name: string, value: string, text: string): Html {
  return html`<div class="sheet">
    <dt>${name}</dt>
    <dd class="figure">${renderOneLine(value)}</dd>
    <dd class="small quiet-text">${text}</dd>
  </div>`;
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

function formatCount(count: number): string {
  return count.toLocaleString("en");
}
