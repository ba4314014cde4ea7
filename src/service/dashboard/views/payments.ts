import { money } from "../../../contract/money.ts";
import { paymentStatuses } from "../../../contract/payment-values.ts";
import type { Payment } from "../../../contract/payment.ts";
import { html, type Html } from "../html.ts";
import type { Neighbours } from "../list-page.ts";
import type { FilterMistakes, PaymentFilters } from "../payment-filters.ts";
import type { Visit } from "../visit.ts";
import {
  cardHtml,
  empty,
  field,
  idHtml,
  neighbourLinks,
  noPayments,
  selectField,
  statusBadge,
  table,
  timeHtml,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";

type Listed = Neighbours & {
  /** Newest first. */
  payments: readonly Payment[];
  filters: PaymentFilters;
  mistakes: FilterMistakes & { id?: string };
};

/** The list of payments, with its filters and the way to the pages beside this one. */
export function paymentsView(visit: Visit, listed: Listed): View {
  const { payments, filters, mistakes } = listed;
  const isNarrowed = Object.values(filters).some(Boolean) || listed.hasNewer;
  return {
    title: "Payments",
    place: "payments",
    content: html`${findForm(visit, mistakes)} ${filterForm(visit, filters, mistakes)}
    ${
      payments.length > 0
        ? html`${table("Payments", columnsFor(visit), payments)}${moreHtml(visit, listed)}`
        : nothing(visit, isNarrowed)
    }`,
  };
}

function columnsFor(visit: Visit): Column<Payment>[] {
  return [
    {
      title: "Amount",
      isNumber: true,
      cell: ({ id, amount, currency }) =>
        html`<a href="${visit.addressOf(`/payments/${id}`)}"
          ><span class="money">${money(amount, currency)}</span
          ><span class="unseen"> ${id}</span></a
        >`,
    },
    { title: "Status", cell: ({ status }) => statusBadge(status) },
    { title: "Created", cell: ({ created }) => timeHtml(created) },
    { title: "Payment", cell: ({ id }) => idHtml(id) },
    { title: "Card", cell: ({ card }) => card && cardHtml(card) },
    {
      title: "Customer",
      cell: ({ customer }) => html`<bdi class="text">${customer.email || customer.name}</bdi>`,
    },
    {
      title: "Description",
      cell: ({ description }) => html`<bdi class="text">${description}</bdi>`,
    },
  ];
}

function findForm(visit: Visit, { id }: Listed["mistakes"]): Html {
  return html`<form
    class="find"
    method="get"
    action="${visit.addressOf("/payments")}"
    role="search"
  >
    ${field({
      name: "id",
      label: "Find a payment by its id",
      mistake: id,
      input: html`type="search" placeholder="pay_…" autocomplete="off" spellcheck="false"`,
    })}
    <button class="secondary">Find</button>
  </form>`;
}

function filterForm(visit: Visit, filters: PaymentFilters, mistakes: FilterMistakes): Html {
  const isUsed = Object.values(filters).some(Boolean);
  return html`<details class="sheet filters" ${isUsed && html` open`}>
    <summary>Filter</summary>
    <form method="get" action="${visit.addressOf("/payments")}">
      ${selectField({
        name: "status",
        label: "Status",
        mistake: mistakes.status,
        options: [["", "Any"], ...paymentStatuses.map((status) => [status, status] as const)],
        chosen: filters.status,
      })}
      ${field({
        name: "from",
        label: "Created from (UTC)",
        mistake: mistakes.from,
        input: html`type="date" value="${mistakes.from ? "" : filters.from}"`,
      })}
      ${field({
        name: "to",
        label: "Created to (UTC)",
        mistake: mistakes.to,
        input: html`type="date" value="${mistakes.to ? "" : filters.to}"`,
      })}
      <div class="row">
        <button class="secondary">Filter</button>
        <a href="${visit.addressOf("/payments")}">Clear</a>
      </div>
    </form>
  </details>`;
}

function moreHtml(visit: Visit, { payments, filters, hasNewer, hasOlder }: Listed): Html | false {
  return neighbourLinks({
    name: "More payments",
    address: visit.addressOf("/payments"),
    query: Object.entries(filters).filter(([, value]) => value !== ""),
    items: payments,
    hasNewer,
    hasOlder,
  });
}

function nothing(visit: Visit, isNarrowed: boolean): Html {
  if (isNarrowed) return empty("No payment fits", html`<p>Widen the filters, or clear them.</p>`);
  return noPayments(`No ${visit.mode} payments yet`, visit);
}
