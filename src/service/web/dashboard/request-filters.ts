import { containsCardNumber } from "../../../contract/card-in-text.ts";
import { daySeconds, parseDay } from "../../../contract/day.ts";
import { listRequestsQuery } from "../../../contract/logged-request.ts";
import { requestMethods } from "../../../contract/request-values.ts";
import { html, type Html } from "../design/html.ts";
import { renderField, renderSelect } from "./elements.ts";
import { dateMistake } from "./payment-filters.ts";
import type { Visit } from "./visit.ts";

type Definition = { label: string; parameter: string; mistake: string };

/** The filters of the list of requests, in the order in which the address has them. Dates are whole days in UTC. */
const definitions = {
  status: {
    label: "Status",
    parameter: "status",
    mistake: "Write a status such as 404, or classes such as 4xx,5xx.",
  },
  method: { label: "Method", parameter: "method", mistake: "Choose a method." },
  payment: {
    label: "Payment",
    parameter: "payment",
    mistake: "Write the whole id of a payment, such as pay_0199….",
  },
  idempotency_key: {
    label: "Idempotency key",
    parameter: "idempotency_key",
    mistake: "Write a whole key, without spaces.",
  },
  from: { label: "From (UTC)", parameter: "created[gte]", mistake: dateMistake },
  to: { label: "To (UTC)", parameter: "created[lt]", mistake: dateMistake },
} as const satisfies Record<string, Definition>;
type FilterName = keyof typeof definitions;
const filterNames = Object.keys(definitions) as FilterName[];

/** A filter of an address. It is empty where it held a card number, which no page shows. */
export type RequestFilter = { name: FilterName; value: string; mistake?: string | undefined };

/** The filters of an address, each with the mistake in it. */
export function parseRequestFilters(params: URLSearchParams): RequestFilter[] {
  return filterNames.flatMap((name) => {
    const value = params.get(name)?.trim();
    return value ? [readFilter(name, value)] : [];
  });
}

function readFilter(name: FilterName, value: string): RequestFilter {
  if (containsCardNumber(value)) {
    return { name, value: "", mistake: "Do not enter a card number here." };
  }
  const query = toRequestsQuery([{ name, value }]);
  const isAccepted =
    Object.values(query).every((sent) => sent !== undefined) &&
    listRequestsQuery.safeParse(query).success;
  return { name, value, mistake: isAccepted ? undefined : definitions[name].mistake };
}

/** Filters without mistakes as a query of the API. */
export function toRequestsQuery(filters: readonly RequestFilter[]) {
  return Object.fromEntries(
    filters.map(({ name, value }) => [definitions[name].parameter, toSent(name, value)]),
  );
}

function toSent(name: FilterName, value: string): string | undefined {
  if (name !== "from" && name !== "to") return value;
  const day = parseDay(value);
  return day === undefined ? undefined : String((name === "to" ? day + 1 : day) * daySeconds);
}

/** Filters as parameters of an address. */
export function listRequestEntries(
  filters: readonly RequestFilter[],
): [name: string, value: string][] {
  return filters.flatMap(({ name, value }) => (value === "" ? [] : [[name, value]]));
}

function toAddress(visit: Visit, filters: readonly RequestFilter[]): string {
  const query = new URLSearchParams(listRequestEntries(filters)).toString();
  return visit.addressOf(`/requests${query && `?${query}`}`);
}

/** The address of a payment's requests. */
export function toPaymentsRequests(visit: Visit, payment: string): string {
  return toAddress(visit, [{ name: "payment", value: payment }]);
}

const statusLinks = [
  ["", "All"],
  ["4xx,5xx", "Failed"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
  ["2xx", "Succeeded"],
] as const;

/** Links to requests of any status, or of a class; the other filters stay as they are. */
export function renderStatusClasses(visit: Visit, filters: readonly RequestFilter[]): Html {
  const others = filters.filter(({ name }) => name !== "status");
  const current = filters.find(({ name }) => name === "status")?.value ?? "";
  return html`<nav class="choices" aria-label="Status">
    <ul>
      ${statusLinks.map(([value, text]) => {
        const chosen = value === "" ? others : [{ name: "status" as const, value }, ...others];
        return html`<li>
          <a href="${toAddress(visit, chosen)}" ${value === current && html` aria-current="true"`}
            >${text}</a
          >
        </li>`;
      })}
    </ul>
  </nav>`;
}

/** All filters as one form, which is open where any of them is set. */
export function renderRequestFilters(visit: Visit, filters: readonly RequestFilter[]): Html {
  const isOpen = filters.some(({ name, mistake }) => name !== "status" || mistake);
  return html`<form class="search" method="get" action="${visit.addressOf("/requests")}">
    <details class="sheet filters" ${isOpen && html` open`}>
      <summary>Filters</summary>
      <div class="fields">${filterNames.map((name) => renderFilter(name, filters))}</div>
      <div class="row">
        <button class="secondary">Show</button>
        ${filters.length > 0 && html`<a href="${visit.addressOf("/requests")}">Remove all</a>`}
      </div>
    </details>
  </form>`;
}

function renderFilter(name: FilterName, filters: readonly RequestFilter[]): Html {
  const found = filters.find((each) => each.name === name);
  const value = found?.value ?? "";
  const field = { name, label: definitions[name].label, mistake: found?.mistake };
  if (name === "method") {
    const options = [["", "Any"], ...requestMethods.map((each) => [each, each])] as [
      string,
      string,
    ][];
    return renderSelect({ ...field, options, selected: value });
  }
  if (name === "from" || name === "to") {
    const day = parseDay(value) === undefined ? "" : value;
    return renderField({ ...field, input: html`type="date" value="${day}"` });
  }
  return renderField({
    ...field,
    input: html`autocomplete="off" spellcheck="false" value="${value}"`,
  });
}
