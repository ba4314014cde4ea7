import type { FastifyInstance } from "fastify";
import { formatMoney } from "../../../contract/money.ts";
import { currencies } from "../../../contract/payment-values.ts";
import { declineMessages } from "../../domain/decline.ts";
import type { DayFigures, Overview } from "../../domain/compute-overview.ts";
import type { Figures } from "../../domain/sum-figures.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import {
  createNumberColumn,
  renderNoPayments,
  renderOneLine,
  renderTable,
  renderTime,
  type Column,
} from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readQuery } from "./list-page.ts";
import { accountPath, type Visit } from "./visit.ts";

/** The first page of an account and mode; its address may name another currency. */
export function registerOverviewPage(app: FastifyInstance, service: Service): void {
  app.get(accountPath, { config: { needs: "look" } }, async ({ visit, url }, reply) => {
    const name = readQuery(url).get("currency");
    const currency = currencies.find((each) => each === name);
    return sendView(reply, renderOverview(visit, await service.getOverview(visit.scope, currency)));
  });
}

/** The last 30 days in one currency: as figures, as bars, and as a table. */
export function renderOverview(visit: Visit, overview: Overview): View {
  const { currency } = overview;
  return {
    title: "Overview",
    section: "overview",
    content:
      currency === null
        ? renderNoPayments(
            `No ${visit.mode} payments in the last ${overview.days.length} days`,
            visit,
          )
        : renderFigures(visit, overview, currency),
  };
}

function renderFigures(visit: Visit, overview: Overview, currency: string): Html {
  const { days, totals, successRate, declines, until } = overview;
  const amount = (minor: number) => formatSum(minor, currency);
  return html`<div class="row apart">
      <p class="quiet-text">
        The last ${days.length} days in UTC. Figures as of ${renderTime(until)}.
      </p>
      ${renderCurrencySwitch(visit, overview)}
    </div>
    <dl class="tiles">
      ${renderTile("Volume", amount(totals.volume), "of payments that succeeded, refunded or not")}
      ${renderTile("Payments", formatCount(totals.payments), describeOutcomes(totals))}
      ${renderTile("Success rate", successRate === null ? "–" : `${(successRate * 100).toFixed(1)} %`, "of payments that succeeded or were declined")}
      ${renderTile("Refunded", amount(totals.refundedVolume), totals.refunded === 1 ? "1 payment" : `${formatCount(totals.refunded)} payments`)}
    </dl>
    ${renderDays("Volume by day", days, ({ volume }) => [volume, amount(volume)])}
    ${renderDays("Payments by day", days, ({ payments }) => [payments, formatCount(payments)])}
    <details class="sheet">
      <summary>The same as a table</summary>
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
    cell: ({ code }) =>
      html`<code>${code}</code
        ><span class="wraps wide small quiet-text">${declineMessages[code]}</span>`,
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
    createNumberColumn("Never paid", ({ unpaid }) => formatCount(unpaid)),
    createNumberColumn("Pending", ({ pending }) => formatCount(pending)),
    createNumberColumn("Refunded", ({ refunded }) => formatCount(refunded)),
    createNumberColumn("Refunds", ({ refundedVolume }) => amount(refundedVolume)),
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
  const text = formatMoney(minor, currency).replace(/^\d+/, (whole) => formatCount(BigInt(whole)));
  const isExact = Number.isSafeInteger(minor);
  return (isExact ? text : `about ${text}`).replaceAll(" ", "\u00a0");
}

function formatCount(count: number | bigint): string {
  return count.toLocaleString("en");
}

function renderCurrencySwitch(visit: Visit, overview: Overview): Html | false {
  return (
    overview.currencies.length > 1 &&
    html`<nav aria-label="Currency" class="modes">
      <ul>
        ${overview.currencies.map((each) => html`<li><a href="${visit.addressOf("")}?currency=${each}" ${each === overview.currency && html` aria-current="true"`}>${each.toUpperCase()}</a></li>`)}
      </ul>
    </nav>`
  );
}

type Bar = { day: string; value: number; text: string };

const height = 100;
const step = 20;
const gap = 4;

/** Bars by day. A screen reader says the highest; the page has all figures in a table, too. */
function renderBarChart(name: string, bars: readonly Bar[]): Html {
  const [first] = bars;
  const highest = bars.toSorted((a, b) => b.value - a.value)[0];
  const last = bars.at(-1);
  if (!first || !highest || !last) return html``;
  const label = `${name}, from ${first.day} to ${last.day}. The highest is ${highest.text}, on ${highest.day}.`;
  return html`<figure class="chart">
    <p class="small quiet-text highest">${renderOneLine(highest.text)}</p>
    <svg
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${bars.length * step} ${height}"
      preserveAspectRatio="none"
    >
      ${bars.map((bar, index) => renderBar(bar, index, highest.value))}
    </svg>
    <figcaption class="row apart small quiet-text">
      ${renderOneLine(first.day)} ${renderOneLine(last.day)}
    </figcaption>
  </figure>`;
}

function renderBar({ day, value, text }: Bar, index: number, highest: number): Html {
  // A value above zero is seen, however small it is.
  const barHeight = value === 0 ? 0 : Math.max(2, Math.round((value / highest) * height));
  const x = index * step + gap / 2;
  return html`<g
    ><title>${day}: ${text}</title
    ><rect class="day" x="${index * step}" y="0" width="${step}" height="${height}" /><rect
      class="bar-of-day"
      x="${x}"
      y="${height - barHeight}"
      width="${step - gap}"
      height="${barHeight}"
  /></g>`;
}
