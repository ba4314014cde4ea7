import { declineCodes, paymentStatuses } from "../../../contract/field-values.ts";
import { currencies } from "../../../contract/money.ts";
import { listPaymentsQuery } from "../../../contract/list-payments.ts";
import {
  maxSearchLength,
  maxSearchWords,
  metadataKeyOf,
  readSearch,
} from "../../../contract/search-words.ts";
import { isStorable, isWithin } from "../../../runtime/text.ts";
import {
  dayFilters,
  parseFilters,
  readFilter,
  type Filter,
  type FilterDefinition,
  type FilteredList,
} from "./list-filters.ts";
import { describeDecline, groupDigits, toWords } from "./value-words.ts";

const tooManyMistake = "Only three metadata values can be searched for at once. Remove one.";
const metadataMistake = "A metadata key has up to 40 characters, and its value up to 500.";

/** In the order in which the address has them. Amounts have two decimals. */
const definitions = {
  search: { label: "Search", parameter: "search", mistake: describeSearchMistake },
  status: {
    label: "Status",
    parameter: "status",
    mistake: `Choose ${paymentStatuses.join(", ")}.`,
    describe: toWords,
    // In the order in which operators look for them.
    choices: ["succeeded", "failed", "refunded", "pending"],
  },
  ...dayFilters,
  email: {
    label: "Customer email",
    parameter: "customer[email]",
    mistake: "Enter a whole email address, such as ada@example.com.",
    keyboard: "email",
  },
  amount: {
    label: "Amount",
    parameter: "amount",
    toParameter: parseAmount,
    mistake: "Enter an amount above zero with two decimals, such as 73.21.",
    describe: (text) => normalizeAmount(text).replace(/^\d+/, groupDigits),
    keyboard: "decimal",
  },
  currency: {
    label: "Currency",
    parameter: "currency",
    mistake: `Choose ${currencies.join(", ")}.`,
    describe: (code) => code.toUpperCase(),
    choices: currencies,
  },
  last4: {
    label: "Card last four",
    parameter: "card[last4]",
    mistake: "Enter four digits, such as 4242.",
    keyboard: "numeric",
  },
  decline_code: {
    label: "Decline code",
    parameter: "decline_code",
    mistake: `Choose ${declineCodes.join(", ")}.`,
    describe: describeDecline,
    choices: declineCodes,
  },
} as const satisfies Record<string, FilterDefinition>;

export type PaymentFilterName = keyof typeof definitions;

/** The payments of an account and mode. A filter may also be `metadata[KEY]`, which has no field of its own. */
export const paymentList: FilteredList = {
  path: "/payments",
  names: Object.keys(definitions),
  define: (name) =>
    isFilterName(name)
      ? definitions[name]
      : {
          label: `Metadata ${metadataKeyOf(name) ?? ""}`,
          parameter: name,
          mistake: metadataMistake,
        },
  accepts: (query) => listPaymentsQuery.safeParse(query).success,
  cardMistake:
    "Do not enter a whole card number here. The last four digits of the card are enough.",
};

function isFilterName(name: string): name is PaymentFilterName {
  return Object.hasOwn(definitions, name);
}

/** The filters of an address, each with the mistake in it. */
export function parsePaymentFilters(params: URLSearchParams): Filter[] {
  // Addresses of earlier versions have the id of a payment as `id`.
  const id = params.get("id");
  const known = new URLSearchParams(params);
  if (id !== null && !params.has("search")) known.set("search", id);
  // The dashboard writes an amount with its currency, which is a filter of its own.
  const typed = normalizeAmount(params.get("amount") ?? "");
  const [, amount = "", code = ""] = /^([\d.]+) ([A-Z]{3})$/.exec(typed) ?? [];
  const currency = code.toLowerCase();
  if (currency !== "" && ["", currency].includes(params.get("currency") ?? "")) {
    known.set("amount", amount);
    known.set("currency", currency);
  }
  return [...parseFilters(paymentList, known), ...parseMetadata(params)];
}

/** Each as a parameter of its own, as links have them; or encoded in `metadata`, as the form has them. */
function parseMetadata(params: URLSearchParams): Filter[] {
  const pairs = new Map<string, string>();
  for (const [name, value] of [...params, ...new URLSearchParams(params.get("metadata") ?? "")]) {
    if (metadataKeyOf(name) !== undefined && !pairs.has(name)) pairs.set(name, value);
  }
  return [...pairs].map(([name, value], index) => {
    const filter = readPaymentFilter(name, value);
    if (index >= maxMetadataFilters) filter.mistake ??= tooManyMistake;
    return filter;
  });
}

const maxMetadataFilters = 3;

/** The filter of the parameter of an address, with the mistake in it. */
export function readPaymentFilter(name: string, value: string): Filter {
  return readFilter(paymentList, name, value);
}

function describeSearchMistake(search: string): string {
  if (!isWithin(search, 1, maxSearchLength)) return `Enter at most ${maxSearchLength} characters.`;
  if ((readSearch(search)?.count ?? 0) > maxSearchWords)
    return `Enter at most ${maxSearchWords} words.`;
  return isStorable(search)
    ? "Enter words with letters or digits: signs alone cannot be found."
    : "This has a character that cannot be searched for. Type it again.";
}

/** Minor units of an amount with two decimals: `73.21` is 7321. */
function parseAmount(text: string): string | undefined {
  const [, units, cents] = /^(0|[1-9]\d{0,13})\.(\d\d)$/.exec(normalizeAmount(text)) ?? [];
  return units === undefined || cents === undefined
    ? undefined
    : (units + cents).replace(/^0+/, "");
}

/** An amount as a person types it, in the notation of the service: `1,234.56 eur` is `1234.56 EUR`. */
function normalizeAmount(typed: string): string {
  const plain = typed.trim().replaceAll(/\s+/g, " ").toUpperCase();
  return plain.replaceAll(/,(?=\d{3}\b)/g, "").replace(",", ".");
}
