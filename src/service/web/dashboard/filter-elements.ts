import { parseDay } from "../../../contract/day.ts";
import { currencies, declineCodes } from "../../../contract/payment-values.ts";
import type { PaymentStatus } from "../../../contract/payment.ts";
import { metadataKeyOf } from "../../../contract/search-words.ts";
import { html, type Html } from "../design/html.ts";
import { renderField, renderSelect, toWords } from "./elements.ts";
import {
  labelOf,
  listEntries,
  toFilteredAddress,
  type Filter,
  type FilterName,
} from "./payment-filters.ts";
import type { Visit } from "./visit.ts";

/** One form has every filter, so that each is kept when another changes. Dates and the rare ones are folded away. */
export function renderFilterForm(visit: Visit, filters: readonly Filter[]): Html {
  const metadata = listEntries(filters.filter(({ name }) => metadataKeyOf(name) !== undefined));
  const [search, status] = [toField(filters, "search"), toField(filters, "status")];
  return html`<form
    class="filter-bar"
    method="get"
    action="${visit.addressOf("/payments")}"
    role="search"
  >
    ${renderField({
      ...search,
      label: html`<span class="visually-hidden">Find a payment</span>`,
      input: html`type="search" autocomplete="off" spellcheck="false" value="${search.value}"
      placeholder="${searchHint}" title="${searchHint}"`,
    })}
    <div class="row">
      ${renderSelect({
        ...status,
        label: html`<span class="visually-hidden">Status</span>`,
        options: [["", "All statuses"], ...statuses.map((each) => [each, toWords(each)] as const)],
        selected: status.value,
      })}
      ${renderFolded("Date", toFields(filters, ["from", "to"]))}
      ${renderFolded("More", toFields(filters, rareNames))}
    </div>
    <button class="secondary">Find</button>
    ${metadata.length > 0 && html`<input type="hidden" name="metadata" value="${new URLSearchParams(metadata).toString()}" />`}
  </form>`;
}

const searchHint = "E-mail, name, order number, amount, last 4 digits or id";

function renderFolded(title: string, fields: readonly FilterField[]): Html {
  return html`<details class="menu folded" ${fields.some(({ mistake }) => mistake) && html` open`}>
    <summary class="secondary">${title}</summary>
    <div class="fields">${fields.map(renderInput)}</div>
  </details>`;
}

/** In the order of the form. */
const rareNames = [
  "amount",
  "currency",
  "last4",
  "email",
  "decline_code",
] as const satisfies readonly FilterName[];

function toFields(filters: readonly Filter[], names: readonly FilterName[]): FilterField[] {
  return names.map((name) => toField(filters, name));
}

/** In the order in which operators look for them. */
const statuses = [
  "succeeded",
  "failed",
  "refunded",
  "pending",
] as const satisfies readonly PaymentStatus[];

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
      return renderSelect({
        ...field,
        options: toOptions(currencies, (code) => code.toUpperCase()),
        selected: value,
      });
    case "decline_code":
      return renderSelect({ ...field, options: toOptions(declineCodes, toWords), selected: value });
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

function toOptions(
  values: readonly string[],
  describe: (value: string) => string,
): [value: string, text: string][] {
  return [["", "Any"], ...values.map((value): [string, string] => [value, describe(value)])];
}

/** Every active filter as a link that removes it. Metadata has no field, so its mistakes stand here. */
export function renderActiveFilters(visit: Visit, filters: readonly Filter[]): Html | false {
  const items = filters.map((filter) => {
    const { name, value, mistake, holdsCardNumber } = filter;
    const others = filters.filter((each) => each !== filter);
    const isMetadata = metadataKeyOf(name) !== undefined;
    return html`<li>
      <a href="${toFilteredAddress(visit, others)}"
        ><span class="visually-hidden">Remove the filter </span><bdi>${labelOf(name)}</bdi>:
        ${holdsCardNumber ? "a card number" : html`<bdi>${describeValue(name, value)}</bdi>`}
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

function describeValue(name: string, value: string): string {
  if (name === "status" || name === "decline_code") return toWords(value);
  return name === "currency" ? value.toUpperCase() : value;
}

/** A text that leads to the payments that share a value of this one; as it is where they cannot be searched for. */
export function renderSharedLink(visit: Visit, filter: Filter, text: Html | string): Html {
  if (filter.mistake !== undefined) return html`${text}`;
  const title = `Payments with the same: ${labelOf(filter.name)}`;
  return html`<a href="${toFilteredAddress(visit, [filter])}" title="${title}">${text}</a>`;
}
