import type { Payment, PaymentStatus } from "../../../../contract/payment.ts";
import { html, type Html } from "../html.ts";
import type { PageLinks } from "../list-page.ts";
import { formatDay, type FilterMistakes, type PaymentFilters } from "../payment-filters.ts";
import type { Visit } from "../visit.ts";
import {
  amountHtml,
  renderCard,
  renderEmpty,
  renderField,
  renderId,
  renderPageLinks,
  renderNoPayments,
  renderStatus,
  renderTable,
  renderTime,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";

type Listed = PageLinks & {
  /** Newest first. */
  payments: readonly Payment[];
  filters: PaymentFilters;
  /** What was typed to find one payment. */
  soughtId: string;
  mistakes: FilterMistakes & { id?: string };
};

/** The list of payments, with its filters and the way to the pages beside this one. */
export function renderPayments(visit: Visit, listed: Listed): View {
  const { payments, filters, mistakes } = listed;
  const isNarrowed = Object.values(filters).some(Boolean) || listed.hasNewer;
  const { id: mistakeOfId, ...mistakesOfFilters } = mistakes;
  const wasLookedFor = Object.keys(mistakesOfFilters).length === 0;
  return {
    title: "Payments",
    place: "payments",
    content: html`${findForm(visit, listed.soughtId, mistakeOfId)}
    ${statusLinks(visit, filters, mistakes.status)} ${createdForm(visit, filters, mistakes)}
    ${
      payments.length > 0
        ? html`${renderTable("Payments", columnsFor(visit), payments)}${moreHtml(visit, listed)}`
        : wasLookedFor && nothing(visit, isNarrowed)
    }`,
  };
}

function columnsFor(visit: Visit): Column<Payment>[] {
  return [
    {
      title: "Amount",
      isNumber: true,
      cell: ({ id, ...payment }) =>
        html`<a href="${visit.addressOf(`/payments/${id}`)}"
          >${amountHtml(payment)}<span class="unseen"> ${id}</span></a
        >`,
    },
    {
      title: "Status",
      cell: ({ status, decline_code: code }) =>
        html`${renderStatus(status)} <span class="small quiet-text">${code}</span>`,
    },
    { title: "Created", cell: ({ created }) => renderTime(created) },
    { title: "Payment", cell: ({ id }) => renderId(id) },
    { title: "Card", cell: ({ card }) => card && renderCard(card) },
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

function findForm(visit: Visit, id: string, mistake?: string): Html {
  return html`<form
    class="find"
    method="get"
    action="${visit.addressOf("/payments")}"
    role="search"
  >
    ${renderField({
      name: "id",
      label: "Find a payment by its id",
      mistake,
      input: html`type="search" placeholder="pay_…" autocomplete="off" spellcheck="false"
      value="${id}"`,
    })}
    <button class="secondary">Find</button>
  </form>`;
}

/** Of payments in any state, or in one; the other filters stay as they are. */
function statusLinks(visit: Visit, filters: PaymentFilters, mistake?: string): Html {
  const link = ([status, text]: readonly [string, string]) =>
    html`<li>
      <a
        href="${addressWith(visit, { ...filters, status })}"
        ${status === filters.status && html` aria-current="true"`}
        >${text}</a
      >
    </li>`;
  return html`<nav class="choices" aria-label="Status">
    <ul>
      ${link(["", "All"])} ${shownStatuses.map((status) => link([status, status]))}
    </ul>
    ${mistake && html`<p class="mistake">${mistake}</p>`}
  </nav>`;
}

/** In the order in which they are looked for. */
const shownStatuses = [
  "succeeded",
  "failed",
  "refunded",
  "pending",
] as const satisfies readonly PaymentStatus[];

function createdForm(visit: Visit, filters: PaymentFilters, mistakes: FilterMistakes): Html {
  const { status, from, to } = filters;
  return html`<details class="sheet filters" ${(from || to) && html` open`}>
    <summary>Filter by date</summary>
    <form method="get" action="${visit.addressOf("/payments")}">
      ${status && html`<input type="hidden" name="status" value="${status}" />`}
      ${dayField("from", "From (UTC)", from, mistakes.from)}
      ${dayField("to", "To (UTC)", to, mistakes.to)}
      <div class="row">
        <button class="secondary">Show</button>
        <a href="${addressWith(visit, { status, from: "", to: "" })}">Clear</a>
      </div>
    </form>
  </details>`;
}

function dayField(name: string, label: string, day: string, mistake?: string): Html {
  // A browser complains of what is no day.
  const value = formatDay(day) === undefined ? "" : day;
  return renderField({ name, label, mistake, input: html`type="date" value="${value}"` });
}

function addressWith(visit: Visit, filters: PaymentFilters): string {
  const query = new URLSearchParams(usedOf(filters)).toString();
  return visit.addressOf(`/payments${query && `?${query}`}`);
}

function usedOf(filters: PaymentFilters): [string, string][] {
  return Object.entries(filters).filter(([, value]) => value !== "");
}

function moreHtml(visit: Visit, { payments, filters, hasNewer, hasOlder }: Listed): Html | false {
  return renderPageLinks({
    name: "More payments",
    address: visit.addressOf("/payments"),
    query: usedOf(filters),
    items: payments,
    hasNewer,
    hasOlder,
  });
}

function nothing(visit: Visit, isNarrowed: boolean): Html {
  if (isNarrowed)
    return renderEmpty("No payment fits", html`<p>Widen the filters, or clear them.</p>`);
  return renderNoPayments(`No ${visit.mode} payments yet`, visit);
}
