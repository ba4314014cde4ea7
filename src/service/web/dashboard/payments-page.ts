import type { FastifyInstance } from "fastify";
import { listPaymentsQuery } from "../../../contract/list-object.ts";
import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { validate } from "../../http/validate.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import {
  renderAmount,
  renderCard,
  renderEmpty,
  renderField,
  renderNoPayments,
  renderShortId,
  renderStatus,
  renderTable,
  createTextColumn,
  createTimeColumn,
  type Column,
} from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readListPage, readQuery, renderPageLinks, type ListPage } from "./list-page.ts";
import { accountPath, type Visit } from "./visit.ts";
import { paymentStatuses } from "../../../contract/payment-values.ts";
import { daySeconds } from "../../domain/compute-overview.ts";

const limit = 25;

/** The list of payments, newest first; the filters and the cursor stand in the address. */
export function registerPaymentsPage(app: FastifyInstance, service: Service): void {
  app.get(`${accountPath}/payments`, { config: { needs: "look" } }, async (request, reply) => {
    const { visit } = request;
    const params = readQuery(request.url);
    const id = params.get("id")?.trim() ?? "";
    if (id && (await exists(service, visit.scope, id))) {
      return reply.redirect(visit.addressOf(`/payments/${id}`), 303);
    }
    const { filters, mistakes, query } = parsePaymentFilters(params);
    const hasMistake = Object.keys(mistakes).length > 0;
    const page = await readListPage(params, async (cursors) =>
      hasMistake
        ? { items: [], hasMore: false }
        : await service.listPayments(visit.scope, {
            ...query,
            ...validate(listPaymentsQuery, cursors),
            limit,
          }),
    );
    const payments = page.items.map((item) => JSON.parse(item) as Payment);
    const listed = { ...page, items: payments, filters, mistakes, id };
    return sendView(reply, renderPayments(visit, listed), id ? 404 : hasMistake ? 400 : 200);
  });
}

async function exists(service: Service, scope: Scope, id: string): Promise<boolean> {
  try {
    await service.getPayment(scope, id);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "resource_missing") return false;
    throw error;
  }
}

type Listed = ListPage<Payment> & {
  filters: PaymentFilters;
  mistakes: FilterMistakes;
  /** The id that the operator looked for, and that no payment has. */
  id: string;
};

export function renderPayments(visit: Visit, listed: Listed): View {
  const { items, hasNewer, filters, mistakes, id } = listed;
  const address = visit.addressOf("/payments");
  const isFiltered = Object.values(filters).some(Boolean) || hasNewer;
  return {
    title: "Payments",
    section: "payments",
    content: html`<form class="find" method="get" action="${address}" role="search">
        ${renderField({
          name: "id",
          label: "Find a payment by its id",
          mistake: id && "There is no payment with this id in this account and mode.",
          input: html`type="search" placeholder="pay_…" autocomplete="off" spellcheck="false"
          value="${id}"`,
        })}
        <button class="secondary">Find</button>
      </form>
      ${renderStatusLinks(visit, filters, mistakes.status)}
      ${renderDateFilter(visit, filters, mistakes)}
      ${
        items.length > 0
          ? html`${renderTable("Payments", buildColumns(visit), items)}
            ${renderPageLinks("More payments", listed, address, listEntries(filters))}`
          : Object.keys(mistakes).length === 0 && renderNone(visit, isFiltered)
      }`,
  };
}

function buildColumns(visit: Visit): Column<Payment>[] {
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
      cell: ({ status, decline_code: code }) =>
        html`${renderStatus(status)} <span class="small quiet-text">${code}</span>`,
    },
    createTimeColumn("Created", ({ created }) => created),
    { title: "Payment", cell: ({ id }) => renderShortId(id) },
    { title: "Card", cell: ({ card }) => card && renderCard(card) },
    createTextColumn("Customer", ({ customer }) => customer.email || customer.name),
    createTextColumn("Description", ({ description }) => description),
  ];
}

/** In the order in which operators look for them. */
const statuses = [
  "succeeded",
  "failed",
  "refunded",
  "pending",
] as const satisfies readonly PaymentStatus[];

/** Links to payments of any status, or of one; the other filters stay as they are. */
function renderStatusLinks(visit: Visit, filters: PaymentFilters, mistake?: string): Html {
  const link = (status: string, text: string) =>
    html`<li>
      <a
        href="${toFilteredAddress(visit, { ...filters, status })}"
        ${status === filters.status && html` aria-current="true"`}
        >${text}</a
      >
    </li>`;
  return html`<nav class="choices" aria-label="Status">
    <ul>
      ${link("", "All")} ${statuses.map((status) => link(status, status))}
    </ul>
    ${mistake && html`<p class="mistake">${mistake}</p>`}
  </nav>`;
}

function renderDateFilter(
  visit: Visit,
  { status, from, to }: PaymentFilters,
  mistakes: FilterMistakes,
): Html {
  return html`<details class="sheet filters" ${(from || to) && html` open`}>
    <summary>Filter by date</summary>
    <form method="get" action="${visit.addressOf("/payments")}">
      ${status && html`<input type="hidden" name="status" value="${status}" />`}
      ${renderDayField("from", "From (UTC)", from, mistakes.from)}
      ${renderDayField("to", "To (UTC)", to, mistakes.to)}
      <div class="row">
        <button class="secondary">Show</button>
        <a href="${toFilteredAddress(visit, { status, from: "", to: "" })}">Clear</a>
      </div>
    </form>
  </details>`;
}

/** Without a value that is not a day: the browser would log an error. */
function renderDayField(name: string, label: string, day: string, mistake?: string): Html {
  const value = parseDay(day) === undefined ? "" : day;
  return renderField({ name, label, mistake, input: html`type="date" value="${value}"` });
}

function toFilteredAddress(visit: Visit, filters: PaymentFilters): string {
  const query = new URLSearchParams(listEntries(filters)).toString();
  return visit.addressOf(`/payments${query && `?${query}`}`);
}

function listEntries(filters: PaymentFilters): [string, string][] {
  return Object.entries(filters).filter(([, value]) => value !== "");
}

function renderNone(visit: Visit, isFiltered: boolean): Html {
  return isFiltered
    ? renderEmpty("No payments match", html`<p>Change the filters, or clear them.</p>`)
    : renderNoPayments(`No ${visit.mode} payments yet`, visit);
}

/** The filters of the list of payments, as its form and its address have them; dates are whole days in UTC. */
type PaymentFilters = { status: string; from: string; to: string };
type FilterMistakes = { [name in keyof PaymentFilters]?: string };

/** The same as a query of the API. */
type FilterQuery = {
  status?: PaymentStatus;
  "created[gte]"?: number;
  "created[lt]"?: number;
};

/** The filters of an address, with a mistake for each that cannot be read. */
function parsePaymentFilters(params: URLSearchParams): {
  filters: PaymentFilters;
  mistakes: FilterMistakes;
  query: FilterQuery;
} {
  const read = (name: string) => params.get(name)?.trim() ?? "";
  const filters = { status: read("status"), from: read("from"), to: read("to") };
  const status = paymentStatuses.find((each) => each === filters.status);
  const from = parseDay(filters.from);
  const to = parseDay(filters.to);
  return {
    filters,
    mistakes: {
      ...(filters.status && !status && { status: `Choose ${paymentStatuses.join(", ")}.` }),
      ...(filters.from && from === undefined && { from: dateMistake }),
      ...(filters.to && to === undefined && { to: dateMistake }),
      ...(from !== undefined && to !== undefined && to < from && { to: orderMistake }),
    },
    query: {
      ...(status && { status }),
      ...(from !== undefined && { "created[gte]": from }),
      ...(to !== undefined && { "created[lt]": to + daySeconds }),
    },
  };
}

const dateMistake = "Write a date as 2026-11-30.";
const orderMistake = "Choose a day that is not before the first one.";

/** The beginning of a day in UTC, in Unix seconds; undefined for a day that does not exist. */
function parseDay(text: string): number | undefined {
  if (!/^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
  return isDay ? at.getTime() / 1000 : undefined;
}
