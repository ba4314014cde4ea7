import type { FastifyInstance } from "fastify";
import { formatDay, parseDay } from "../../../contract/day.ts";
import { currencies } from "../../../contract/payment-values.ts";
import { reportFields, reportPeriods } from "../../../contract/report-values.ts";
import { findLastDays, type Overview } from "../../domain/compute-overview.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { renderDownloadLink, type SendDownload } from "./downloads.ts";
import { renderEmpty, renderField, renderNoPayments, renderTime } from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readQuery } from "./list-page.ts";
import { renderFigures } from "./overview-figures.ts";
import {
  hasMistakes,
  lastDays,
  listPeriodEntries,
  parsePeriod,
  type OverviewPeriod,
} from "./overview-period.ts";
import { accountPath, type Visit } from "./visit.ts";

/** The first page of an account and mode; its address may name days and a currency. */
export function registerOverviewPage(
  app: FastifyInstance,
  service: Service,
  sendDownload: SendDownload,
): void {
  const config = { needs: "look" } as const;
  app.get(accountPath, { config }, async ({ visit, url }, reply) => {
    const params = readQuery(url);
    const period = parsePeriod(params, service.now());
    if (hasMistakes(period)) return sendView(reply, renderWrongPeriod(visit, period), 400);
    const currency = currencies.find((each) => each === params.get("currency"));
    const overview = await service.getOverview(visit.scope, currency, period.days);
    return sendView(reply, renderOverview(visit, overview, period));
  });
  app.get(`${accountPath}/report.csv`, { config }, async (request, reply) => {
    const { visit } = request;
    const params = readQuery(request.url);
    const period = parsePeriod(params, service.now());
    if (hasMistakes(period)) return sendView(reply, renderWrongPeriod(visit, period), 400);
    const { firstDay, endDay } = period.days ?? findLastDays(service.now());
    const by = reportPeriods.find((each) => each === params.get("by"));
    const query = { from: formatDay(firstDay), to: formatDay(endDay), by };
    async function* readReport() {
      yield (await service.getReport(visit.scope, query)).data;
    }
    const subject = `report-${visit.account.id}-${visit.mode}`;
    const download = { subject, columns: reportFields, pages: readReport() };
    return await sendDownload(request, reply, download);
  });
}

function renderWrongPeriod(visit: Visit, period: OverviewPeriod): View {
  const content = renderPeriodForm(visit, period, null);
  return { title: "Overview", section: "overview", content };
}

export function renderOverview(
  visit: Visit,
  overview: Overview,
  period: OverviewPeriod = lastDays,
): View {
  const { currency, until } = overview;
  const form = renderPeriodForm(visit, period, currency);
  return {
    title: "Overview",
    section: "overview",
    content:
      currency === null
        ? html`${form} ${renderNoFigures(visit, overview, period)}`
        : html`<div class="row apart">
              <p class="quiet-text">
                ${describeDays(overview, period)} in UTC. Figures as of ${renderTime(until)}.
              </p>
              ${renderCurrencySwitch(visit, overview, period)}
            </div>
            ${form} ${renderFigures(overview, currency)} ${renderDownloads(visit, period)}`,
  };
}

function describeDays({ days }: Overview, period: OverviewPeriod): string {
  return period.days
    ? `From ${days[0]?.day} to ${days.at(-1)?.day}`
    : `The last ${days.length} days`;
}

function renderNoFigures(visit: Visit, overview: Overview, period: OverviewPeriod): Html {
  const { days } = overview;
  if (!period.days) {
    return renderNoPayments(`No ${visit.mode} payments in the last ${days.length} days`, visit);
  }
  return renderEmpty(
    `No ${visit.mode} payments from ${days[0]?.day} to ${days.at(-1)?.day}`,
    html`<p><a href="${visit.addressOf("")}">Show the last 30 days</a></p>`,
  );
}

function renderDownloads(visit: Visit, period: OverviewPeriod): Html {
  const link = (by: string) => {
    const query = new URLSearchParams([...listPeriodEntries(period), ["by", by]]);
    const address = visit.addressOf(`/report.csv?${query.toString()}`);
    return renderDownloadLink(address, `Download CSV by ${by}`);
  };
  return html`<p class="row">${link("day")} ${link("month")}</p>`;
}

/** The fields for other days, and the same currency. */
function renderPeriodForm(visit: Visit, period: OverviewPeriod, currency: string | null): Html {
  const { mistakes } = period;
  const field = (name: "from" | "to", label: string) => {
    // Without a value that is not a day: the browser would log an error.
    const day = parseDay(period[name]) === undefined ? "" : period[name];
    const input = html`type="date" value="${day}"`;
    return renderField({ name, label, mistake: mistakes[name], input });
  };
  return html`<form method="get" action="${visit.addressOf("")}">
    ${currency !== null && html`<input type="hidden" name="currency" value="${currency}" />`}
    <details class="sheet filters" ${(period.days || hasMistakes(period)) && html` open`}>
      <summary>Other days</summary>
      <div class="fields">${field("from", "From (UTC)")} ${field("to", "To (UTC)")}</div>
      <button class="secondary">Show</button>
    </details>
  </form>`;
}

function renderCurrencySwitch(
  visit: Visit,
  overview: Overview,
  period: OverviewPeriod,
): Html | false {
  const toAddress = (currency: string) => {
    const query = new URLSearchParams([["currency", currency], ...listPeriodEntries(period)]);
    return visit.addressOf(`?${query.toString()}`);
  };
  return (
    overview.currencies.length > 1 &&
    html`<nav aria-label="Currency" class="modes">
      <ul>
        ${overview.currencies.map((each) => html`<li><a href="${toAddress(each)}" ${each === overview.currency && html` aria-current="true"`}>${each.toUpperCase()}</a></li>`)}
      </ul>
    </nav>`
  );
}
