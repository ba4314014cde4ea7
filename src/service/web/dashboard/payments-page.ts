import type { FastifyInstance, FastifyReply } from "fastify";
import { ServiceError, headersByCode } from "../../../contract/error.ts";
import { maxPageSize, paymentIdPattern } from "../../../contract/field-values.ts";
import { listPaymentsQuery } from "../../../contract/list-payments.ts";
import type { Payment } from "../../../contract/payment.ts";
import { createKeyCount, createPaymentSheet } from "../../../contract/payment-sheet.ts";
import {
  formatCustomer,
  howWordsMatch,
  metadataKeyOf,
  parseSearch,
} from "../../../contract/search-words.ts";
import type { Listed } from "../../database/listing.ts";
import type { Scope } from "../../database/scope.ts";
import { validate } from "../../../contract/validate.ts";
import { findPayments, listPayments } from "../../payments/get-payment.ts";
import { withholdPage } from "../../payments/payment-state.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import { listAllPages, renderDownloadLink, type SendDownload, type Sheet } from "./downloads.ts";
import {
  renderAmount,
  renderCard,
  renderEmpty,
  renderNoPayments,
  renderNotice,
  renderStatus,
  renderTime,
} from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import {
  createTextColumn,
  readListPage,
  readQuery,
  renderPageLinks,
  renderTable,
  type Column,
  type ListPage,
} from "./list-elements.ts";
import {
  listEntries,
  renderActiveFilters,
  renderFilterBar,
  toFilteredAddress,
  toListQuery,
  type Filter,
  type FilterBar,
} from "./list-filters.ts";
import { parsePaymentFilters, paymentList, type PaymentFilterName } from "./payment-filters.ts";
import { describeDecline } from "./value-words.ts";
import { accountPath, type Visit } from "./visit.ts";

const limit = 25;
const noPayments: ListPage<Payment> = { items: [], hasNewer: false, hasOlder: false };

/** The list of payments, newest first; the filters and the cursor stand in the address. */
export function registerPaymentsPage(
  app: FastifyInstance,
  service: Service,
  sendDownload: SendDownload,
): void {
  const config = { needs: "look" } as const;
  app.get(`${accountPath}/payments`, { config }, async (request, reply) => {
    const { visit } = request;
    const params = readQuery(request.url);
    const filters = parsePaymentFilters(params);
    if (filters.some(({ mistake }) => mistake)) {
      return sendView(reply, renderPayments(visit, { ...noPayments, filters }), 400);
    }
    const id = findWholeId(filters);
    if (id !== undefined && (await findPayments(service, visit.scope, [id])).length > 0) {
      return reply.redirect(visit.addressOf(`/payments/${id}`), 303);
    }
    try {
      const page = await readListPage(params, async (cursors) =>
        listPage(service, visit.scope, { cursors, filters, pageSize: limit }),
      );
      const [first] = page.items;
      if (first && isSingleHit(page, filters)) {
        return reply.redirect(visit.addressOf(`/payments/${first.id}`), 303);
      }
      const isMissing = id !== undefined && !first;
      const shown = isMissing ? filters.map(addMissingMistake) : filters;
      return sendView(
        reply,
        renderPayments(visit, { ...page, filters: shown }),
        isMissing ? 404 : 200,
      );
    } catch (error) {
      return sendNotSearchable(reply, error, { visit, filters });
    }
  });
  app.get(`${accountPath}/payments.csv`, { config }, async (request, reply) => {
    const { visit } = request;
    const filters = parsePaymentFilters(readQuery(request.url));
    if (filters.some(({ mistake }) => mistake)) {
      return sendView(reply, renderPayments(visit, { ...noPayments, filters }), 400);
    }
    const readPages = () =>
      listAllPages(async (cursors) => {
        const { items, hasMore } = await listPage(service, visit.scope, { cursors, filters });
        return { items: items.map((each) => withholdPage(each)), hasMore };
      });
    const sheet = async (check: () => Promise<void>) => createSheet(readPages(), check);
    const subject = `payments-${visit.account.id}-${visit.mode}`;
    try {
      return await sendDownload(request, reply, { subject, sheet, pages: readPages() });
    } catch (error) {
      return sendNotSearchable(reply, error, { visit, filters });
    }
  });
}

/** Many enough that rare keys are known, and few enough that the file begins within some seconds. */
const maxPagesForKeys = 1_000;

/** A sheet in UTC, with columns for the metadata keys of the newest payments, up to 100,000. */
async function createSheet(
  pages: AsyncGenerator<readonly Payment[]>,
  check: () => Promise<void>,
): Promise<Sheet> {
  const keys = createKeyCount();
  let count = 0;
  for await (const page of pages) {
    await check();
    keys.add(page);
    if (++count === maxPagesForKeys) break;
  }
  return createPaymentSheet(keys.list(), { zone: "UTC", format: formatUtc });
}

function formatUtc(seconds: number): string {
  const [date, time = ""] = new Date(seconds * 1000).toISOString().split("T");
  return `${date} ${time.slice(0, "07:12:33".length)}`;
}

/** Says why payments cannot be searched at the moment. Throws any other error. */
function sendNotSearchable(
  reply: FastifyReply,
  error: unknown,
  { visit, filters }: { visit: Visit; filters: Filter[] },
): FastifyReply {
  if (!isNotSearchable(error, filters)) throw error;
  reply.headers(headersByCode.service_unavailable ?? {});
  const { message: problem } = error;
  return sendView(reply, renderPayments(visit, { ...noPayments, filters, problem }), 503);
}

function addMissingMistake(filter: Filter): Filter {
  const mistake = "There is no payment with this ID in this account and mode.";
  return filter.name === "search" ? { ...filter, mistake } : filter;
}

type ListedPayments = ListPage<Payment> & {
  filters: readonly Filter[];
  /** The reason why payments cannot be searched at the moment. */
  problem?: string;
};

export function renderPayments(visit: Visit, listed: ListedPayments): View {
  const { filters, problem } = listed;
  return {
    title: "Payments",
    section: "payments",
    actions:
      listed.items.length > 0 &&
      renderDownloadLink(toFilteredAddress(visit, "/payments.csv", filters)),
    content: html`${problem !== undefined && renderProblem(visit, filters, problem)}
    ${!isWithoutPayments(listed) && renderFilters(visit, filters)}
    ${renderActiveFilters(visit, paymentList, filters)}
    ${problem === undefined && renderList(visit, listed)}`,
  };
}

/** Whether the account has no payment to search for. */
function isWithoutPayments({ items, hasNewer, filters, problem }: ListedPayments): boolean {
  return items.length + filters.length === 0 && !hasNewer && problem === undefined;
}

const filterBar: FilterBar<PaymentFilterName> = {
  search: {
    name: "search",
    label: "Find a payment",
    placeholder: "Email, name, order, ID…",
    hint: "Email, name, order number, amount, last 4 digits or ID",
  },
  choice: { name: "status", none: "All statuses" },
  folded: [
    ["Date", ["from", "to"]],
    ["More", ["amount", "currency", "last4", "email", "decline_code"]],
  ],
};

function renderFilters(visit: Visit, filters: readonly Filter[]): Html {
  const metadata = listEntries(filters.filter(({ name }) => metadataKeyOf(name) !== undefined));
  const query = new URLSearchParams(metadata).toString();
  const hidden = query !== "" && html`<input type="hidden" name="metadata" value="${query}" />`;
  return renderFilterBar(visit, { list: paymentList, filters }, { ...filterBar, hidden });
}

function renderProblem(visit: Visit, filters: readonly Filter[], problem: string): Html {
  const address = toFilteredAddress(
    visit,
    paymentList.path,
    filters.filter(({ name }) => unindexed.has(name)),
  );
  const list = html`<a href="${address}">list payments without searching</a>`;
  return renderNotice(
    "waiting",
    html`Nothing was searched. ${problem} You can choose a later first day under “Date”, or ${list}.`,
  );
}

function renderList(visit: Visit, listed: ListedPayments): Html | false {
  const { items, filters } = listed;
  if (items.length > 0) {
    return html`${renderTable("Payments", buildPaymentColumns(visit, findSearch(filters)), items)}
    ${renderPageLinks("More payments", listed, visit.addressOf("/payments"), listEntries(filters))}`;
  }
  if (filters.some(({ mistake }) => mistake)) return false;
  return isWithoutPayments(listed)
    ? renderNoPayments(`No ${visit.mode} payments yet`, visit)
    : renderNoMatch(visit, filters);
}

function renderNoMatch({ account, mode, apiUrl }: Visit, filters: readonly Filter[]): Html {
  const isSearch = filters.some(({ name }) => name === "search");
  return renderEmpty(
    "No matching payments",
    html`<p>
        In the ${mode} payments of <bdi>${account.name}</bdi> at ${apiUrl}. Change the filters, or
        remove them.
      </p>
      ${isSearch && html`<p>${howWordsMatch} For an ID, the last 8 characters are enough.</p>`}`,
  );
}

type Selection = {
  cursors: { starting_after?: string; ending_before?: string };
  filters: Filter[];
  pageSize?: number;
};

/** A page of the payments that have all of the filters, which are without mistakes. */
async function listPage(
  service: Service,
  scope: Scope,
  { cursors, filters, pageSize = maxPageSize }: Selection,
): Promise<Listed<Payment>> {
  const query = validate(listPaymentsQuery, { ...cursors, ...toListQuery(paymentList, filters) });
  const { items, hasMore } = await listPayments(service, scope, { ...query, limit: pageSize });
  return { items: items.map((item) => JSON.parse(item) as Payment), hasMore };
}

function findSearch(filters: readonly Filter[]): string | undefined {
  return filters.find(({ name }) => name === "search")?.value;
}

/** The id that is searched for, if nothing else is. */
function findWholeId(filters: readonly Filter[]): string | undefined {
  const search = findSearch(filters) ?? "";
  const [{ word } = { word: "" }, ...others] = parseSearch(search)?.words ?? [];
  return others.length === 0 && paymentIdPattern.test(word) ? word : undefined;
}

/** One payment alone has the words: it opens at once. With other filters the operator asked for a list. */
function isSingleHit({ items, hasNewer, hasOlder }: ListPage<Payment>, filters: Filter[]): boolean {
  const isSearchAlone = filters.length === 1 && filters[0]?.name === "search";
  return isSearchAlone && items.length === 1 && !hasNewer && !hasOlder;
}

/** Filters that need no index of what payments are searched by. */
const unindexed = new Set(["status", "from", "to"]);

/** Whether a search reaches into payments that have no index yet, after an upgrade. The list alone needs none. */
function isNotSearchable(error: unknown, filters: readonly Filter[]): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.code === "service_unavailable" &&
    filters.some(({ name }) => !unindexed.has(name))
  );
}

/** The columns of a list of payments, in the order of what an operator looks for first. */
export function buildPaymentColumns(visit: Visit, search?: string): Column<Payment>[] {
  return [
    {
      title: "Amount",
      isNumber: true,
      cell: ({ id, ...payment }) =>
        html`<a href="${visit.addressOf(`/payments/${id}`)}"
          >${renderAmount(payment)}<span class="visually-hidden"> ${id}</span></a
        >`,
    },
    {
      title: "Status",
      cell: ({ status, decline_code: code, decline_message: message }) =>
        html`${renderStatus(status)}
        ${code && html`<span class="reason" title="${message}">${describeDecline(code)}</span>`}`,
    },
    { title: "Created", cell: ({ created }) => renderTime(created) },
    createTextColumn("Customer", ({ customer }) => formatCustomer(customer, search), {
      beneath: createTextColumn("Description", ({ description }) => description),
    }),
    { title: "Card", cell: ({ card }) => card && renderCard(card) },
  ];
}
