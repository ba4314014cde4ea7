import { parseDay } from "../../../runtime/time.ts";
import { html, type Html } from "../design/html.ts";
import { renderField, renderSelect } from "./labeled-fields.ts";
import {
  toFilteredAddress,
  type Filter,
  type FilterDefinition,
  type FilteredList,
} from "./list-filters.ts";
import type { Visit } from "./visit.ts";

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
