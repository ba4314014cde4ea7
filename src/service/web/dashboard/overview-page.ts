import type { FastifyInstance } from "fastify";
import { declineMessages, reportFields, reportPeriods } from "../../../contract/field-values.ts";
import { currencies } from "../../../contract/money.ts";
import type { Payment } from "../../../contract/payment.ts";
import { formatDay } from "../../../runtime/time.ts";
import { listPayments } from "../../payments/get-payment.ts";
import { getOverview, type Overview } from "../../reports/get-overview.ts";
import { getReport } from "../../reports/get-report.ts";
import type { Service } from "../../service.ts";
import { type EndpointWithHealth, listEndpointsWithHealth } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import { formatDays, groupDays } from "./bar-chart.ts";
import { createCsv, renderDownloadLink, type SendDownload } from "./downloads.ts";
import { renderEmpty, renderNoPayments, renderSince } from "./elements.ts";
import { disabledReasons, getEndpointAddress, linkToWebhooks } from "./endpoint-elements.ts";
import { sendView, type View } from "./frame.ts";
import { readQuery, renderTable } from "./list-elements.ts";
import { formatCount, formatRate, renderFigures } from "./overview-figures.ts";
import {
  listBounds,
  listPeriodEntries,
  parsePeriod,
  renderCurrencySwitch,
  renderPeriodSwitch,
  type OverviewPeriod,
  type WrongPeriod,
} from "./overview-period.ts";
import { buildPaymentColumns } from "./payments-page.ts";
import { accountPath, navigation, type Visit } from "./visit.ts";

const newestCount = 5;

/** The first page of an account and mode; its address may name a period and a currency. */
export function registerOverviewPage(
  app: FastifyInstance,
  service: Service,
  sendDownload: SendDownload,
): void {
  const config = { needs: "look" } as const;
  app.get(accountPath, { config }, async ({ visit, url }, reply) => {
    const params = readQuery(url);
    const nowMs = service.clock();
    const period = parsePeriod(params, nowMs);
    if ("mistakes" in period) return sendView(reply, renderWrongPeriod(visit, period), 400);
    const currency = currencies.find((each) => each === params.get("currency"));
    const [overview, newest, endpoints] = await Promise.all([
      getOverview(service, visit.scope, currency, period.days),
      listPayments(service, visit.scope, { limit: newestCount }),
      visit.may(navigation.webhooks.needs) ? listEndpointsWithHealth(service, visit.scope) : [],
    ]);
    const payments = newest.items.map((item) => JSON.parse(item) as Payment);
    return sendView(reply, renderOverview(visit, { overview, period, payments, endpoints, nowMs }));
  });
  app.get(`${accountPath}/report.csv`, { config }, async (request, reply) => {
    const { visit } = request;
    const params = readQuery(request.url);
    const period = parsePeriod(params, service.clock());
    if ("mistakes" in period) return sendView(reply, renderWrongPeriod(visit, period), 400);
    const { firstDay, endDay } = period.days;
    const by = reportPeriods.find((each) => each === params.get("by"));
    const query = { from: formatDay(firstDay), to: formatDay(endDay), by };
    async function* readReport() {
      yield (await getReport(service, visit.scope, query)).data;
    }
    const subject = `report-${visit.account.id}-${visit.mode}`;
    const download = { subject, sheet: createCsv(reportFields), pages: readReport() };
    return await sendDownload(request, reply, download);
  });
}

function renderWrongPeriod(visit: Visit, period: WrongPeriod): View {
  const content = renderPeriodSwitch({ visit, period, currency: null });
  return { title: "Overview", section: "overview", content };
}

type Shown = {
  overview: Overview;
  period: OverviewPeriod;
  /** The newest ones, of any period and currency. */
  payments: readonly Payment[];
  /** None for an operator who may not see them. */
  endpoints: readonly EndpointWithHealth[];
  nowMs: number;
};

export function renderOverview(visit: Visit, shown: Shown): View {
  const { overview, period, payments, endpoints, nowMs } = shown;
  const { currency, days } = overview;
  const hasPayments = payments.length > 0;
  const content = html`${renderEndpointNotice(visit, endpoints)}
  ${
    hasPayments
      ? html`<div class="row apart">
          ${renderPeriodSwitch({ visit, period, currency })}
          ${renderCurrencySwitch(visit, period, overview)}
        </div>`
      : renderNoPayments(`No ${visit.mode} payments yet`, visit)
  }
  ${
    currency === null
      ? hasPayments && renderNoFigures(visit, period)
      : renderFigures(overview, currency, {
          ...groupDays(days, nowMs),
          downloads: renderDownloads(visit, period),
        })
  }
  ${
    hasPayments &&
    html`<div class="columns">
      ${renderNewest(visit, payments)}
      ${currency !== null && renderDeclines(visit, overview, period)}
    </div> `
  }`;
  return { title: "Overview", section: "overview", content };
}

function renderNoFigures(visit: Visit, { days, preset }: OverviewPeriod): Html {
  const range = formatDays(days.firstDay, days.endDay - 1);
  return preset === undefined
    ? renderEmpty(
        `No ${visit.mode} payments: ${range}`,
        html`<p><a href="${visit.addressOf("")}">Show the last 30 days</a></p>`,
      )
    : renderEmpty(
        `No ${visit.mode} payments in the last ${preset} days`,
        html`<p>Choose a longer period, or other days.</p>`,
      );
}

function renderNewest(visit: Visit, payments: readonly Payment[]): Html {
  const columns = buildPaymentColumns(visit).slice(0, 4);
  return html`<section class="part" aria-labelledby="newest">
    <div class="row apart">
      <h2 id="newest">Newest payments</h2>
      <a href="${visit.addressOf("/payments")}">All payments</a>
    </div>
    ${renderTable("Newest payments", columns, payments)}
  </section>`;
}

function renderDownloads(visit: Visit, period: OverviewPeriod): Html {
  const link = (by: string) => {
    const query = new URLSearchParams([...listPeriodEntries(period), ["by", by]]);
    const address = visit.addressOf(`/report.csv?${query.toString()}`);
    return renderDownloadLink(address, `Download CSV by ${by}`);
  };
  return html`<p class="row">${link("day")} ${link("month")}</p>`;
}

/** Why payments were declined, as bars, each with a link to its payments. */
function renderDeclines(visit: Visit, overview: Overview, period: OverviewPeriod): Html {
  const { declines, currency } = overview;
  const all = declines.reduce((sum, { count }) => sum + count, 0);
  const bounds = listBounds(period);
  const bars = declines.map(({ code, count }) => {
    const query = new URLSearchParams({ ...bounds, currency: currency ?? "", decline_code: code });
    return html`<li>
      <p class="row apart">
        <a href="${visit.addressOf(`/payments?${query.toString()}`)}">${readSentence(code)}</a>
        <span class="number">${formatCount(count)}</span>
      </p>
      <p class="row apart small quiet-text">
        <code>${code}</code> <span class="number">${formatRate(count / all)}</span>
      </p>
      <svg aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect
          class="value"
          width="${Math.max(1, Math.round((count / all) * 100))}%"
          height="100%"
        />
      </svg>
    </li>`;
  });
  return html`<section class="part" aria-labelledby="declines">
    <h2 id="declines">Declines by reason</h2>
    <div class="sheet">
      ${
        bars.length > 0
          ? html`<ol class="ranks">
              ${bars}
            </ol>`
          : html`<p class="quiet-text">No payment was declined.</p>`
      }
    </div>
  </section>`;
}

/** The first sentence, which says what happened; the rest says what to do about one payment. */
function readSentence(code: Overview["declines"][number]["code"]): string {
  return declineMessages[code].split(/(?<=\.) /, 1)[0] ?? "";
}

const maxNamed = 3;

/** The endpoints that get no events though they should: they fail, or the service disabled them. */
function renderEndpointNotice(
  visit: Visit,
  endpoints: readonly EndpointWithHealth[],
): Html | false {
  const broken = endpoints.filter(isBroken);
  const all = linkToWebhooks(visit);
  const named = broken.slice(0, maxNamed).map(
    (each) =>
      html`<li>
        <a
          class="text"
          href="${getEndpointAddress(visit, each.endpoint.id)}"
          title="${each.endpoint.url ?? ""}"
          ><bdi>${each.endpoint.url}</bdi></a
        >
        <span>${describeTrouble(each)}</span>
      </li>`,
  );
  const rest = broken.length - named.length;
  const what =
    broken.length === 1
      ? "A webhook endpoint is not receiving events:"
      : `${broken.length} webhook endpoints are not receiving events:`;
  return (
    broken.length > 0 &&
    html`<div class="notice waiting" role="alert">
      <p><strong>${what}</strong></p>
      <ul class="broken">
        ${named} ${rest > 0 && html`<li><a href="${all.address}">${all.text}</a></li>`}
      </ul>
    </div>`
  );
}

function describeTrouble({ endpoint }: EndpointWithHealth): Html | string {
  const { disabled_reason: reason, failing_since: failingSince } = endpoint;
  if (failingSince !== null && endpoint.status === "enabled") {
    return html`Failing ${renderSince(failingSince)}`;
  }
  const words = reason === null ? undefined : disabledReasons[reason];
  return words === undefined ? "Disabled" : `Disabled. ${words}`;
}

function isBroken({ endpoint }: EndpointWithHealth): boolean {
  if (endpoint.url === null) return false;
  return endpoint.status === "disabled"
    ? endpoint.disabled_reason !== null
    : endpoint.failing_since !== null;
}
