import { money } from "../../../contract/money.ts";
import type { DayFigures, Overview } from "../../../contract/overview.ts";
import { declineMessages } from "../../domain/decline.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { barChart } from "./bar-chart.ts";
import { empty, table, timeHtml, type Column } from "./elements.ts";
import type { View } from "./frame.ts";

/** The last 30 days in one currency: as figures, as bars, and as a table. */
export function overviewView(visit: Visit, overview: Overview): View {
  const { currency } = overview;
  return {
    title: "Overview",
    place: "overview",
    content: currency === null ? nothing(visit) : figures(visit, overview, currency),
  };
}

function figures(visit: Visit, overview: Overview, currency: string): Html {
  const { days, totals, successRate, declines, until } = overview;
  const amount = (minor: number) => money(minor, currency);
  return html`<div class="row apart">
      <p class="quiet-text">
        The last ${days.length} days, by UTC. Figures as of ${timeHtml(until)}.
      </p>
      ${currencySwitch(visit, overview)}
    </div>
    <dl class="tiles">
      ${tile("Volume", amount(totals.volume), "of payments that succeeded, refunded or not")}
      ${tile("Payments", String(totals.payments), `${totals.succeeded} succeeded, ${totals.failed} failed, ${totals.pending} pending`)}
      ${tile("Success rate", successRate === null ? "–" : percent(successRate), "of payments that were decided")}
      ${tile("Refunded", amount(totals.refundedVolume), totals.refunded === 1 ? "1 payment" : `${totals.refunded} payments`)}
    </dl>
    <div class="sheet">
      <h2>Volume by day</h2>
      ${barChart(
        "Volume by day",
        days.map((day) => ({ day: day.day, value: day.volume, text: amount(day.volume) })),
      )}
    </div>
    <div class="sheet">
      <h2>Payments by day</h2>
      ${barChart(
        "Payments by day",
        days.map((day) => ({ day: day.day, value: day.payments, text: String(day.payments) })),
      )}
    </div>
    <details class="sheet">
      <summary>The same as a table</summary>
      ${table("Figures by day", dayColumns(amount), days.toReversed())}
    </details>
    <div class="sheet">
      <h2>Why payments were declined</h2>
      ${
        declines.length > 0
          ? table("Why payments were declined", declineColumns, declines)
          : html`<p>None was.</p>`
      }
    </div>`;
}

const declineColumns: Column<Overview["declines"][number]>[] = [
  { title: "Payments", isNumber: true, cell: ({ count }) => count },
  { title: "Code", cell: ({ code }) => html`<code>${code}</code>` },
  { title: "Meaning", cell: ({ code }) => declineMessages[code] },
];

function dayColumns(amount: (minor: number) => string): Column<DayFigures>[] {
  return [
    { title: "Day (UTC)", cell: ({ day }) => day },
    { title: "Volume", isNumber: true, cell: ({ volume }) => amount(volume) },
    { title: "Payments", isNumber: true, cell: ({ payments }) => payments },
    { title: "Succeeded", isNumber: true, cell: ({ succeeded }) => succeeded },
    { title: "Failed", isNumber: true, cell: ({ failed }) => failed },
    { title: "Pending", isNumber: true, cell: ({ pending }) => pending },
    { title: "Refunded", isNumber: true, cell: ({ refunded }) => refunded },
    { title: "Refunds", isNumber: true, cell: ({ refundedVolume }) => amount(refundedVolume) },
  ];
}

function tile(name: string, value: string, says: string): Html {
  return html`<div class="sheet">
    <dt>${name}</dt>
    <dd class="figure">${value}</dd>
    <dd class="small quiet-text">${says}</dd>
  </div>`;
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

function nothing({ mode }: Visit): Html {
  return empty(
    `No ${mode} payments in the last 30 days`,
    html`<p>The first one can be made with the command:</p>
      <p><code>payments create --mode ${mode} --amount 4999 --currency eur</code></p>`,
  );
}
