import type { FastifyInstance } from "fastify";
import { listRequestsQuery, type LoggedRequest } from "../../../contract/logged-request.ts";
import { validate } from "../../input/validate.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { renderEmpty, renderFirstSteps } from "./elements.ts";
import { renderTable } from "./table-elements.ts";
import { sendView, type View } from "./frame.ts";
import { readListPage, readQuery, renderPageLinks, type ListPage } from "./list-page.ts";
import { buildRequestColumns } from "./request-columns.ts";
import { renderActiveFilters, renderFilterBar, type FilterBar } from "./filter-elements.ts";
import { listEntries, parseFilters, toListQuery, type Filter } from "./list-filters.ts";
import { requestList, type RequestFilterName } from "./request-filters.ts";
import { accountPath, navigation, type Visit } from "./visit.ts";

const limit = 25;
const { path, needs } = navigation.requests;

/** The log of requests, newest first; the filters and the cursor stand in the address. */
export function registerRequestsPage(app: FastifyInstance, service: Service): void {
  app.get(`${accountPath}${path}`, { config: { needs } }, async ({ visit, url }, reply) => {
    const params = readQuery(url);
    const filters = parseFilters(requestList, params);
    if (filters.some(({ mistake }) => mistake)) {
      const none = { items: [], hasNewer: false, hasOlder: false };
      return sendView(reply, renderRequests(visit, none, filters), 400);
    }
    const page = await readListPage(params, async (cursors) => {
      const query = validate(listRequestsQuery, {
        ...cursors,
        ...toListQuery(requestList, filters),
      });
      return await service.listRequests(visit.scope, { ...query, limit });
    });
    return sendView(reply, renderRequests(visit, page, filters));
  });
}

export function renderRequests(
  visit: Visit,
  page: ListPage<LoggedRequest>,
  filters: readonly Filter[],
): View {
  const hasNone = page.items.length + filters.length === 0 && !page.hasNewer;
  return {
    title: "Requests",
    section: "requests",
    content: html`<p class="quiet-text">
        API requests that changed something, were refused or failed. Reads that succeed are not
        logged.
      </p>
      ${!hasNone && renderFilterBar(visit, { list: requestList, filters }, filterBar)}
      ${renderActiveFilters(visit, requestList, filters)} ${renderList(visit, page, filters)}`,
  };
}

const filterBar: FilterBar<RequestFilterName> = {
  search: { name: "payment", label: "Requests of a payment", placeholder: "Payment ID (pay_…)" },
  choice: { name: "status", none: "All statuses" },
  folded: [
    ["Date", ["from", "to"]],
    ["More", ["method", "idempotency_key"]],
  ],
};

function renderList(
  visit: Visit,
  page: ListPage<LoggedRequest>,
  filters: readonly Filter[],
): Html | false {
  if (page.items.length > 0) {
    return html`${renderTable("Requests", buildRequestColumns(visit), page.items)}
    ${renderPageLinks("More requests", page, visit.addressOf(path), listEntries(filters))}`;
  }
  if (filters.some(({ mistake }) => mistake)) return false;
  return filters.length > 0 || page.hasNewer
    ? renderEmpty("No matching requests", html`<p>Change the filters, or remove them.</p>`)
    : renderEmpty(
        `No ${visit.mode} requests yet`,
        html`<p class="prose">
            A request is listed seconds after it was sent, with its status, its error and its
            idempotency key.
          </p>
          ${renderFirstSteps(visit)}`,
      );
}
