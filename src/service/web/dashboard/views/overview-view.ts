import { formatMoney } from "../../../../contract/money.ts";
import {
  overviewDays,
  type DayFigures,
  type Figures,
  type Overview,
} from "../../../domain/overview-figures.ts";
import { declineMessages } from "../../../domain/decline.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { renderBarChart } from "./bar-chart.ts";
import { renderNoPayments, renderTable, renderTime, unbroken, type Column } from "./elements.ts";
import type { View } from "./frame.ts";

/** The last 30 days in one currency: as figures, as bars, and as a table. */
export function renderOverview(visit: Visit, overview: Overview): View {
  const { currency } = overview;
  return {
    title: "Overview",
    place: "overview",
    content:
      currency === null
        ? renderNoPayments(`No ${visit.mode} payments in the last ${overviewDays} days`, visit)
        : figures(visit, overview, currency),
  };
}

function figures(visit: Visit, overview: Overview, currency: string): Html {
  const { days, totals, successRate, declines, until } = overview;
  const amount = (minor: number) => sumText(minor, currency);
  return html`<div class="row apart">
      <p class="quiet-text">
        The last ${days.length} days in UTC. Figures as of ${renderTime(until)}.
      </p>
      ${currencySwitch(visit, overview)}
    </div>
    <dl class="tiles">
      ${tile("Volume", amount(totals.volume), "of payments that succeeded, refunded or not")}
      ${tile("Payments", grouped(totals.payments), outcomesText(totals))}
      ${tile("Success rate", successRate === null ? "–" : percent(successRate), "of payments that succeeded or were declined")}
      ${tile("Refunded", amount(totals.refundedVolume), totals.refunded === 1 ? "1 payment" : `${grouped(totals.refunded)} payments`)}
    </dl>
    <div class="sheet">
      <h2>Volume by day</h2>
      ${renderBarChart(
        "Volume by day",
        days.map((day) => ({ day: day.day, value: day.volume, text: amount(day.volume) })),
      )}
    </div>
    <div class="sheet">
      <h2>Payments by day</h2>
      ${renderBarChart(
        "Payments by day",
        days.map((day) => ({ day: day.day, value: day.payments, text: grouped(day.payments) })),
      )}
    </div>
    <details class="sheet">
      <summary>The same as a table</summary>
      ${renderTable("Figures by day", dayColumns(amount), days.toReversed())}
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

const declineColumns: Column<Overview["declines"][number]>[] = [
  {
    title: "Reason",
    cell: ({ code }) =>
      html`<code>${code}</code
        ><span class="wraps wide small quiet-text">${declineMessages[code]}</span>`,
  },
  { title: "Payments", isNumber: true, cell: ({ count }) => grouped(count) },
];

function dayColumns(amount: (minor: number) => string): Column<DayFigures>[] {
  return [
    { title: "Day (UTC)", cell: ({ day }) => day },
    { title: "Volume", isNumber: true, cell: ({ volume }) => amount(volume) },
    { title: "Payments", isNumber: true, cell: ({ payments }) => grouped(payments) },
    { title: "Succeeded", isNumber: true, cell: ({ succeeded }) => grouped(succeeded) },
    { title: "Declined", isNumber: true, cell: (day) => grouped(declinedOf(day)) },
    { title: "Never paid", isNumber: true, cell: ({ unpaid }) => grouped(unpaid) },
    { title: "Pending", isNumber: true, cell: ({ pending }) => grouped(pending) },
    { title: "Refunded", isNumber: true, cell: ({ refunded }) => grouped(refunded) },
    { title: "Refunds", isNumber: true, cell: ({ refundedVolume }) => amount(refundedVolume) },
  ];
}

function tile(name: string, value: string, says: string): Html {
  return html`<div class="sheet">
    <dt>${name}</dt>
    <dd class="figure">${unbroken(value)}</dd>
    <dd class="small quiet-text">${says}</dd>
  </div>`;
}

/** What the success rate is of, and what it leaves out; of what did not happen nothing is said. */
function outcomesText(all: Figures): string {
  const outcomes: [count: number, word: string][] = [
    [all.succeeded, "succeeded"],
    [declinedOf(all), "declined"],
    [all.unpaid, "never paid"],
    [all.pending, "pending"],
  ];
  return outcomes
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${grouped(count)} ${word}`)
    .join(", ");
}

/** A payment whose page nobody paid has failed, but no card of it was declined. */
function declinedOf({ failed, unpaid }: Figures): number {
  return failed - unpaid;
}

/** A sum of amounts, on one line; beyond what a number holds exactly it is rounded. */
function sumText(minor: number, currency: string): string {
  const text = formatMoney(minor, currency).replace(/^\d+/, (whole) => grouped(BigInt(whole)));
  const isExact = Number.isSafeInteger(minor);
  return (isExact ? text : `about ${text}`).replaceAll(" ", "\u00a0");
}

function grouped(count: number | bigint): string {
  return count.toLocaleString("en");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

function currencySwitch(visit: Visit, { currency, currencies }: Overview): Html | false {
  return (
    currencies.length > 1 &&
    html`<nav aria-label="Currency" class="modes">
      <ul>
        ${currencies.map((each) => html`<li><a href="${visit.addressOf("")}?currency=${each}" ${each === currency && html` aria-current="true"`}>${each.toUpperCase()}</a></li>`)}
      </ul>
    </nav>`
  );
}
