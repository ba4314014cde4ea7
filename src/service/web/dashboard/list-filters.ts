import { containsCardNumber } from "../../../contract/card-in-text.ts";
import { hideIdEnds } from "../../../contract/search-words.ts";
import { daySeconds, parseDay } from "../../../runtime/time.ts";
import { html, type Html } from "../design/html.ts";
import { renderField, renderSelect } from "./elements.ts";
import { formatDate } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** A filter of a list, as the address of its page has it. Dates are whole days in UTC. */
export type Filter = {
  /** The parameter of the address. */
  name: string;
  /** Empty where it held a card number, which no page shows. */
  value: string;
  mistake?: string | undefined;
  holdsCardNumber?: boolean;
};

export type FilterDefinition = {
  label: string;
  /** The parameter of the API. */
  parameter: string;
  /** Its value there; undefined for one that cannot be read. */
  toParameter?: (value: string) => string | undefined;
  mistake: string | ((value: string) => string);
  /** The value in words. */
  describe?: (value: string) => string;
  /** The values to choose from; other filters are typed. */
  choices?: readonly string[];
  isDay?: boolean;
  /** On a phone. */
  keyboard?: "decimal" | "numeric" | "email";
};

/** A list whose page has its filters in the address. */
export type FilteredList = {
  path: "/payments" | "/requests";
  /** The filters with a field of their own, in the order in which the address has them. */
  names: readonly string[];
  define: (name: string) => FilterDefinition;
  /** Whether the API accepts a parameter. */
  accepts: (query: Record<string, string>) => boolean;
  cardMistake: string;
};

export const dateMistake = "Enter a date, such as 2026-11-30.";
const orderMistake = "Choose a day that is not before the first one.";

/** The filters of the days on which something was created, the first and the last one. */
export const dayFilters = {
  from: {
    label: "From (UTC)",
    parameter: "created[gte]",
    toParameter: (text) => toTimestamp(parseDay(text)),
    mistake: dateMistake,
    describe: formatDate,
    isDay: true,
  },
  to: {
    label: "To (UTC)",
    parameter: "created[lt]",
    toParameter: (text) => {
      const day = parseDay(text);
      return toTimestamp(day === undefined ? undefined : day + 1);
    },
    mistake: dateMistake,
    describe: formatDate,
    isDay: true,
  },
} as const satisfies Record<string, FilterDefinition>;

/** The beginning of a day, in Unix seconds. */
function toTimestamp(day: number | undefined): string | undefined {
  return day === undefined ? undefined : String(day * daySeconds);
}

/** The filters of an address that have a field, each with the mistake in it. */
export function parseFilters(list: FilteredList, params: URLSearchParams): Filter[] {
  const filters = list.names.flatMap((name) => {
    const value = params.get(name)?.trim();
    return value ? [readFilter(list, name, value)] : [];
  });
  return checkOrder(filters);
}

/** The last day must not be before the first one. */
function checkOrder(filters: Filter[]): Filter[] {
  const from = parseDay(filters.find(({ name }) => name === "from")?.value ?? "");
  return filters.map((filter) => {
    const to = filter.name === "to" ? parseDay(filter.value) : undefined;
    return from !== undefined && to !== undefined && to < from
      ? { ...filter, mistake: orderMistake }
      : filter;
  });
}

/** The filter of an address's parameter, with the mistake in it. */
export function readFilter(list: FilteredList, name: string, value: string): Filter {
  const { mistake } = list.define(name);
  const [parameter, sent] = toParameter(list, { name, value });
  const texts = [name, name === "search" ? hideIdEnds(value) : value, sent ?? ""];
  if (texts.some(containsCardNumber)) {
    const shownName = list.names.includes(name) ? name : "metadata[…]";
    return { name: shownName, value: "", mistake: list.cardMistake, holdsCardNumber: true };
  }
  if (sent !== undefined && list.accepts({ [parameter]: sent })) return { name, value };
  return { name, value, mistake: typeof mistake === "string" ? mistake : mistake(value) };
}

function toParameter(
  list: FilteredList,
  { name, value }: Filter,
): [parameter: string, value: string | undefined] {
  const { parameter, toParameter: convert } = list.define(name);
  return [parameter, convert ? convert(value) : value];
}

/** Filters without mistakes as a query of the API. */
export function toListQuery(
  list: FilteredList,
  filters: readonly Filter[],
): Record<string, string | undefined> {
  return Object.fromEntries(filters.map((filter) => toParameter(list, filter)));
}

/** Filters as parameters of an address, without any card number. */
export function listEntries(filters: readonly Filter[]): [name: string, value: string][] {
  return filters.flatMap(({ name, value, holdsCardNumber }) =>
    holdsCardNumber ? [] : [[name, value]],
  );
}

/** The address of what matches, as a page or as a file. */
export function toFilteredAddress(
  visit: Visit,
  path: FilteredList["path"] | "/payments.csv",
  filters: readonly Filter[],
): string {
  const query = new URLSearchParams(listEntries(filters)).toString();
  return visit.addressOf(path + (query && `?${query}`));
}

/** A list's filters in one bar: a search field, a choice, and the others folded away. */
export type FilterBar<Name extends string> = {
  search: { name: Name; label: string; placeholder: string; hint?: string };
  choice: { name: Name; none: string };
  folded: readonly (readonly [title: string, names: readonly Name[]])[];
  /** Filters without a field, which the form keeps. */
  hidden?: Html | false;
};

/** One form has every filter, so that each is kept when another changes. */
export function renderFilterBar<Name extends string>(
  visit: Visit,
  { list, filters }: { list: FilteredList; filters: readonly Filter[] },
  { search, choice, folded, hidden }: FilterBar<Name>,
): Html {
  const toField = (name: Name) => findField(list, filters, name);
  const { value, ...field } = toField(search.name);
  return html`<form
    class="filter-bar"
    method="get"
    action="${visit.addressOf(list.path)}"
    role="search"
  >
    ${renderField({
      name: field.name,
      mistake: field.mistake,
      label: html`<span class="visually-hidden">${search.label}</span>`,
      input: html`type="search" autocomplete="off" spellcheck="false" value="${value}"
      placeholder="${search.placeholder}" title="${search.hint ?? search.placeholder}"`,
    })}
    <div class="row">
      ${renderChoice(toField(choice.name), choice.none, { isLabelHidden: true })}
      ${folded.map(([title, names]) => renderFolded(title, names.map(toField)))}
    </div>
    <button class="secondary">Search</button>
    ${hidden}
  </form>`;
}

type Field = { name: string; value: string; mistake: string | undefined; its: FilterDefinition };

function findField(list: FilteredList, filters: readonly Filter[], name: string): Field {
  const filter = filters.find((each) => each.name === name);
  return { name, value: filter?.value ?? "", mistake: filter?.mistake, its: list.define(name) };
}

function renderFolded(title: string, fields: readonly Field[]): Html {
  return html`<details class="menu folded" ${fields.some(({ mistake }) => mistake) && html` open`}>
    <summary class="secondary">${title}</summary>
    <div class="fields">${fields.map(renderInput)} <button class="secondary">Apply</button></div>
  </details>`;
}

function renderInput(field: Field): Html {
  const { name, value, mistake, its } = field;
  if (its.choices) return renderChoice(field, "Any");
  const { label, isDay, keyboard = "text" } = its;
  // A date field without a value that is not a day: the browser would log an error.
  const input = isDay
    ? html`type="date" value="${parseDay(value) === undefined ? "" : value}"`
    : html`inputmode="${keyboard}" autocomplete="off" spellcheck="false" value="${value}"`;
  return renderField({ name, label, mistake, input });
}

/** A value that an address has, but the list of choices has not, is a choice, too: the form keeps it. */
function renderChoice(
  { name, value, mistake, its }: Field,
  none: string,
  { isLabelHidden = false } = {},
): Html {
  const { label, choices = [], describe = (each) => each } = its;
  const isOther = value !== "" && mistake === undefined && !choices.includes(value);
  const values = isOther ? [...choices, value] : choices;
  return renderSelect({
    name,
    mistake,
    label: isLabelHidden ? html`<span class="visually-hidden">${label}</span>` : label,
    options: [["", none], ...values.map((each) => [each, describe(each)] as const)],
    selected: value,
  });
}

/** Every active filter as a link that removes it. One without a field has its mistake here. */
export function renderActiveFilters(
  visit: Visit,
  list: FilteredList,
  filters: readonly Filter[],
): Html | false {
  const items = filters.map((filter) => {
    const { name, value, mistake, holdsCardNumber } = filter;
    const { label, describe = (text: string) => text } = list.define(name);
    const others = filters.filter((each) => each !== filter);
    const hasField = list.names.includes(name);
    return html`<li>
      <a href="${toFilteredAddress(visit, list.path, others)}"
        ><span class="visually-hidden">Remove the filter </span><bdi>${label}</bdi>:
        ${holdsCardNumber ? "a card number" : html`<bdi>${describe(value)}</bdi>`}
        <span aria-hidden="true">×</span></a
      >
      ${!hasField && mistake && html`<p class="mistake">${mistake}</p>`}
    </li>`;
  });
  return (
    items.length > 0 &&
    html`<nav class="choices removable" aria-label="Active filters">
      <ul>
        ${items}
        ${filters.length > 1 && html`<li><a class="clear" href="${visit.addressOf(list.path)}">Clear all</a></li>`}
      </ul>
    </nav>`
  );
}
