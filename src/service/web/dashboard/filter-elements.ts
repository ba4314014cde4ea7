import { parseDay } from "../../../contract/day.ts";
import { currencies, declineCodes } from "../../../contract/payment-values.ts";
import type { PaymentStatus } from "../../../contract/payment.ts";
import { metadataKeyOf } from "../../../contract/search-words.ts";
import { html, type Html } from "../design/html.ts";
import { renderField, renderSelect } from "./elements.ts";
import {
  labelOf,
  listEntries,
  toFilteredAddress,
  type Filter,
  type FilterName,
} from "./payment-filters.ts";
import type { Visit } from "./visit.ts";

/** The field that finds payments, and behind it the fields of the other filters: one form, so that all are kept. */
export function renderFilterForm(visit: Visit, filters: readonly Filter[]): Html {
  const metadata = listEntries(filters.filter(({ name }) => metadataKeyOf(name) !== undefined));
  const [search, status] = [toField(filters, "search"), toField(filters, "status")];
  const others = fieldNames.map((name) => toField(filters, name));
  return html`<form
    class="search"
    method="get"
    action="${visit.addressOf("/payments")}"
    role="search"
  >
    ${renderField({
      ...search,
      label: "Find a payment",
      hint: "By e-mail address, name, order number, amount, last four digits of the card, or id.",
      input: html`type="search" autocomplete="off" spellcheck="false" value="${search.value}"`,
      button: html`<button class="secondary">Find</button>`,
    })}
    ${status.value && html`<input type="hidden" name="status" value="${status.value}" />`}
    ${metadata.length > 0 && html`<input type="hidden" name="metadata" value="${new URLSearchParams(metadata).toString()}" />`}
    <details class="sheet filters" ${others.some(({ mistake }) => mistake) && html` open`}>
      <summary>More filters</summary>
      <div class="fields">${others.map(renderInput)}</div>
      <button class="secondary">Show</button>
    </details>
  </form>`;
}

/** In the order of the form. */
const fieldNames = [
  "from",
  "to",
  "amount",
  "currency",
  "last4",
  "email",
  "decline_code",
] as const satisfies readonly FilterName[];

type FilterField = ReturnType<typeof toField>;

function toField(filters: readonly Filter[], name: FilterName) {
  const filter = filters.find((each) => each.name === name);
  return { name, label: labelOf(name), value: filter?.value ?? "", mistake: filter?.mistake };
}

function renderInput({ value, ...field }: FilterField): Html {
  switch (field.name) {
    case "from":
    case "to": {
      // Without a value that is not a day: the browser would log an error.
      const day = parseDay(value) === undefined ? "" : value;
      return renderField({ ...field, input: html`type="date" value="${day}"` });
    }
    case "currency":
      return renderSelect({ ...field, options: toOptions(currencies), selected: value });
    case "decline_code":
      return renderSelect({ ...field, options: toOptions(declineCodes), selected: value });
    default: {
      const keyboard = keyboards.get(field.name) ?? "text";
      const input = html`inputmode="${keyboard}" autocomplete="off" spellcheck="false"
      value="${value}"`;
      return renderField({ ...field, input });
    }
  }
}

/** On a phone. */
const keyboards = new Map<FilterName, string>([
  ["amount", "decimal"],
  ["last4", "numeric"],
  ["email", "email"],
]);

function toOptions(values: readonly string[]): [value: string, text: string][] {
  return [["", "Any"], ...values.map((value): [string, string] => [value, value])];
}

/** In the order in which operators look for them. */
const statuses = [
  "succeeded",
  "failed",
  "refunded",
  "pending",
] as const satisfies readonly PaymentStatus[];

/** Links to payments of any status, or of one; the other filters stay as they are. */
export function renderStatusLinks(visit: Visit, filters: readonly Filter[]): Html {
  const others = filters.filter(({ name }) => name !== "status");
  const current = filters.find(({ name }) => name === "status");
  const link = (status: string, text: string) => {
    const wanted = status === "" ? others : [{ name: "status", value: status }, ...others];
    return html`<li>
      <a
        href="${toFilteredAddress(visit, wanted)}"
        ${status === (current?.value ?? "") && html` aria-current="true"`}
        >${text}</a
      >
    </li>`;
  };
  return html`<nav class="choices" aria-label="Status">
    <ul>
      ${link("", "All")} ${statuses.map((status) => link(status, status))}
    </ul>
    ${current?.mistake && html`<p class="mistake">${current.mistake}</p>`}
  </nav>`;
}

/**
 * Every active filter but the status, which has its own links, as a link that removes it. Metadata has no field, so its
 * mistakes stand here.
 */
export function renderActiveFilters(visit: Visit, filters: readonly Filter[]): Html | false {
  const shown = filters.filter(({ name }) => name !== "status");
  const items = shown.map((filter) => {
    const { name, value, mistake, holdsCardNumber } = filter;
    const others = filters.filter((each) => each !== filter);
    const isMetadata = metadataKeyOf(name) !== undefined;
    return html`<li>
      <a href="${toFilteredAddress(visit, others)}"
        ><span class="visually-hidden">Remove the filter </span><bdi>${labelOf(name)}</bdi>:
        ${holdsCardNumber ? "a card number" : html`<bdi>${value}</bdi>`}
        <span aria-hidden="true">×</span></a
      >
      ${isMetadata && mistake && html`<p class="mistake">${mistake}</p>`}
    </li>`;
  });
  return (
    items.length > 0 &&
    html`<nav class="choices removable" aria-label="Active filters">
      <ul>
        ${items}
        ${filters.length > 1 && html`<li><a href="${visit.addressOf("/payments")}">Remove all</a></li>`}
      </ul>
    </nav>`
  );
}

/** A text that leads to the payments that share a value of this one; as it is where they cannot be searched for. */
export function renderSharedLink(visit: Visit, filter: Filter, text: Html | string): Html {
  if (filter.mistake !== undefined) return html`${text}`;
  const title = `Payments with the same: ${labelOf(filter.name)}`;
  return html`<a href="${toFilteredAddress(visit, [filter])}" title="${title}">${text}</a>`;
}
