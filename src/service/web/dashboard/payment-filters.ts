import { paymentStatuses } from "../../../contract/payment-values.ts";
import type { PaymentStatus } from "../../../contract/payment.ts";
import { daySeconds } from "../../domain/compute-overview.ts";

/** The filters of the list of payments, as its form and its address have them; dates are whole days in UTC. */
export type PaymentFilters = { status: string; from: string; to: string };
export type FilterMistakes = { [name in keyof PaymentFilters]?: string };

/** The same as a query of the API. */
export type FilterQuery = {
  status?: PaymentStatus;
  "created[gte]"?: number;
  "created[lt]"?: number;
};

/** The filters of an address, with a mistake for each that cannot be read. */
export function parsePaymentFilters(params: URLSearchParams): {
  filters: PaymentFilters;
  mistakes: FilterMistakes;
  query: FilterQuery;
} {
  const read = (name: string) => params.get(name)?.trim() ?? "";
  const filters = { status: read("status"), from: read("from"), to: read("to") };
  const status = paymentStatuses.find((each) => each === filters.status);
  const from = parseDay(filters.from);
  const to = parseDay(filters.to);
  return {
    filters,
    mistakes: {
      ...(filters.status && !status && { status: `Choose ${paymentStatuses.join(", ")}.` }),
      ...(filters.from && from === undefined && { from: dateMistake }),
      ...(filters.to && to === undefined && { to: dateMistake }),
      ...(from !== undefined && to !== undefined && to < from && { to: orderMistake }),
    },
    query: {
      ...(status && { status }),
      ...(from !== undefined && { "created[gte]": from }),
      ...(to !== undefined && { "created[lt]": to + daySeconds }),
    },
  };
}

const dateMistake = "Write a date as 2026-11-30.";
const orderMistake = "Choose a day that is not before the first one.";

/** The beginning of a day in UTC, in Unix seconds; undefined for a day that does not exist. */
export function parseDay(text: string): number | undefined {
  if (!/^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\d$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
  return isDay ? at.getTime() / 1000 : undefined;
}
