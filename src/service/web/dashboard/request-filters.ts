import { STATUS_CODES } from "node:http";
import { listRequestsQuery } from "../../../contract/logged-request.ts";
import { answeredStatuses, requestMethods } from "../../../contract/request-values.ts";
import {
  dayFilters,
  toFilteredAddress,
  type FilterDefinition,
  type FilteredList,
} from "./list-filters.ts";
import type { Visit } from "./visit.ts";

/** The statuses to choose from; an address may have others, such as `404,409`. */
const statusWords = new Map<string, string>([
  ["2xx", "Succeeded (2xx)"],
  ["4xx,5xx", "All failed (4xx, 5xx)"],
  ["4xx", "Refused (4xx)"],
  ["5xx", "Errors of the service (5xx)"],
  ...answeredStatuses.map(
    (status) => [String(status), `${status} ${STATUS_CODES[status]}`] as const,
  ),
]);

/** In the order in which the address has them. */
const definitions = {
  status: {
    label: "Status",
    parameter: "status",
    mistake: "Enter a status such as 404, or classes such as 4xx,5xx.",
    describe: (value) => statusWords.get(value) ?? value,
    choices: [...statusWords.keys()],
  },
  method: {
    label: "Method",
    parameter: "method",
    mistake: "Choose a method.",
    choices: requestMethods,
  },
  payment: {
    label: "Payment",
    parameter: "payment",
    mistake: "Enter the whole ID of a payment, such as pay_0199….",
  },
  idempotency_key: {
    label: "Idempotency key",
    parameter: "idempotency_key",
    mistake: "Enter a whole key, without spaces.",
  },
  ...dayFilters,
} as const satisfies Record<string, FilterDefinition>;

export type RequestFilterName = keyof typeof definitions;

/** The logged requests of an account and mode. */
export const requestList: FilteredList = {
  path: "/requests",
  names: Object.keys(definitions),
  define: (name) => definitions[name as RequestFilterName],
  accepts: (query) => listRequestsQuery.safeParse(query).success,
  cardMistake: "Do not enter a card number here.",
};

/** The address of a payment's requests. */
export function toPaymentsRequests(visit: Visit, payment: string): string {
  return toFilteredAddress(visit, requestList.path, [{ name: "payment", value: payment }]);
}
