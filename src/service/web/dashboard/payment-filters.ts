import { containsCardNumber } from "../../../contract/card-in-text.ts";
import { daySeconds, parseDay } from "../../../contract/day.ts";
import { listPaymentsQuery } from "../../../contract/list-object.ts";
import { currencies, declineCodes, paymentStatuses } from "../../../contract/payment-values.ts";
import {
  foldText,
  hideIdEnds,
  maxSearchLength,
  maxSearchWords,
  metadataKeyOf,
} from "../../../contract/search-words.ts";
import { isStorable, isWithin } from "../../../runtime/text.ts";
import type { Visit } from "./visit.ts";

/** A filter of the list of payments, as its address has it. Dates are whole days in UTC, amounts have two decimals. */
export type Filter = {
  /** The parameter of the address: one of `FilterName`, or `metadata[KEY]`. */
  name: string;
  /** Empty where it held a card number, which no page shows. */
  value: string;
  mistake?: string | undefined;
  holdsCardNumber?: boolean;
};

type Definition = {
  label: string;
  /** The parameter of the API. */
  parameter: string;
  /** Its value there; undefined for one that cannot be read. */
  toParameter?: (value: string) => string | undefined;
  mistake: string | ((value: string) => string);
};

export const dateMistake = "Write a date as 2026-11-30.";
const cardMistake =
  "Do not enter a whole card number here. The last four digits of the card are enough.";
const tooManyMistake = "Only three metadata values can be searched for at once. Remove one.";
const metadataMistake = "A metadata key has up to 40 characters, and its value up to 500.";

/** In the order in which the address has them. */
const definitions = {
  search: { label: "Search", parameter: "search", mistake: describeSearchMistake },
  status: {
    label: "Status",
    parameter: "status",
    mistake: `Choose ${paymentStatuses.join(", ")}.`,
  },
  from: {
    label: "From (UTC)",
    parameter: "created[gte]",
    toParameter: (text) => toTimestamp(parseDay(text)),
    mistake: dateMistake,
  },
  to: {
    label: "To (UTC)",
    parameter: "created[lt]",
    toParameter: (text) => {
      const day = parseDay(text);
      return toTimestamp(day === undefined ? undefined : day + 1);
    },
    mistake: dateMistake,
  },
  email: {
    label: "Customer's e-mail",
    parameter: "customer[email]",
    mistake: "Write a whole e-mail address, such as ada@example.com.",
  },
  amount: {
    label: "Amount",
    parameter: "amount",
    toParameter: parseAmount,
    mistake: "Write an amount above zero with two decimals, such as 73.21.",
  },
  currency: {
    label: "Currency",
    parameter: "currency",
    mistake: `Choose ${currencies.join(", ")}.`,
  },
  last4: {
    label: "Card's last four",
    parameter: "card[last4]",
    mistake: "Write four digits, such as 4242.",
  },
  decline_code: {
    label: "Decline code",
    parameter: "decline_code",
    mistake: `Choose ${declineCodes.join(", ")}.`,
  },
} as const satisfies Record<string, Definition>;

export type FilterName = keyof typeof definitions;
const filterNames = Object.keys(definitions) as FilterName[];

/** The name of a filter for people. */
export function labelOf(name: string): string {
  return isFilterName(name) ? definitions[name].label : `Metadata ${metadataKeyOf(name) ?? ""}`;
}

function isFilterName(name: string): name is FilterName {
  return Object.hasOwn(definitions, name);
}

/** The filters of an address, each with the mistake in it. */
export function parsePaymentFilters(params: URLSearchParams): Filter[] {
  const filters = filterNames.flatMap((name) => {
    // Addresses of earlier versions have the id of a payment as `id`.
    const value = params.get(name) ?? (name === "search" ? params.get("id") : null);
    return value?.trim() ? [readFilter(name, value.trim())] : [];
  });
  return [...checkOrder(filters), ...parseMetadata(params)];
}

/** The last day must not be before the first one. */
function checkOrder(filters: Filter[]): Filter[] {
  const from = parseDay(filters.find(({ name }) => name === "from")?.value ?? "");
  return filters.map((filter) => {
    const to = filter.name === "to" ? parseDay(filter.value) : undefined;
    return from !== undefined && to !== undefined && to < from
      ? { ...filter, mistake: "Choose a day that is not before the first one." }
      : filter;
  });
}

/** Each as a parameter of its own, as links have them; or encoded in `metadata`, as the form has them. */
function parseMetadata(params: URLSearchParams): Filter[] {
  const pairs = new Map<string, string>();
  for (const [name, value] of [...params, ...new URLSearchParams(params.get("metadata") ?? "")]) {
    if (metadataKeyOf(name) !== undefined && !pairs.has(name)) pairs.set(name, value);
  }
  return [...pairs].map(([name, value], index) => {
    const filter = readFilter(name, value);
    if (index >= maxMetadataFilters) filter.mistake ??= tooManyMistake;
    return filter;
  });
}

const maxMetadataFilters = 3;

/** The filter of an address's parameter, with the mistake in it. */
export function readFilter(name: string, value: string): Filter {
  const [parameter, sent] = toParameter({ name, value });
  const texts = [name, name === "search" ? hideIdEnds(value) : value, sent ?? ""];
  if (texts.some(containsCardNumber)) {
    const shownName = isFilterName(name) ? name : "metadata[…]";
    return { name: shownName, value: "", mistake: cardMistake, holdsCardNumber: true };
  }
  const isAccepted =
    sent !== undefined && listPaymentsQuery.safeParse({ [parameter]: sent }).success;
  return { name, value, mistake: isAccepted ? undefined : describeMistake(name, value) };
}

function describeMistake(name: string, value: string): string {
  if (!isFilterName(name)) return metadataMistake;
  const { mistake }: Definition = definitions[name];
  return typeof mistake === "string" ? mistake : mistake(value);
}

function describeSearchMistake(search: string): string {
  const words = foldText(search)
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (!isWithin(search, 1, maxSearchLength)) return `Write at most ${maxSearchLength} characters.`;
  if (words.length > maxSearchWords) return `Write at most ${maxSearchWords} words.`;
  return isStorable(search)
    ? "Write words with letters or digits: signs alone cannot be found."
    : "This has a character that cannot be searched for. Type it again.";
}

function toParameter({ name, value }: Filter): [parameter: string, value: string | undefined] {
  if (!isFilterName(name)) return [name, value];
  const { parameter, toParameter: convert }: Definition = definitions[name];
  return [parameter, convert ? convert(value) : value];
}

/** Filters without mistakes as a query of the API. */
export function toListQuery(filters: readonly Filter[]): Record<string, string | undefined> {
  return Object.fromEntries(filters.map(toParameter));
}

/** Filters as parameters of an address, without any card number. */
export function listEntries(filters: readonly Filter[]): [name: string, value: string][] {
  return filters.flatMap(({ name, value, holdsCardNumber }) =>
    holdsCardNumber ? [] : [[name, value]],
  );
}

/** The address of the payments that match, as a page or as a file. */
export function toFilteredAddress(
  visit: Visit,
  filters: readonly Filter[],
  path: "/payments" | "/payments.csv" = "/payments",
): string {
  const query = new URLSearchParams(listEntries(filters)).toString();
  return visit.addressOf(path + (query && `?${query}`));
}

/** Minor units of an amount with two decimals: `73.21` is 7321. */
function parseAmount(text: string): string | undefined {
  const [, units, cents] = /^(0|[1-9]\d{0,13})[.,](\d\d)$/.exec(text) ?? [];
  return units === undefined || cents === undefined
    ? undefined
    : (units + cents).replace(/^0+/, "");
}

/** The beginning of a day, in Unix seconds. */
function toTimestamp(day: number | undefined): string | undefined {
  return day === undefined ? undefined : String(day * daySeconds);
}
