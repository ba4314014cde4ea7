import { containsCardNumber } from "../../../contract/card-in-text.ts";
import { daySeconds, parseDay } from "../../../runtime/time.ts";
import { hideIdEnds } from "../../../contract/search-words.ts";
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
