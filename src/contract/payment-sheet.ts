import { getField, toCsvRow } from "../runtime/records.ts";
import { formatMoney } from "./money.ts";
import type { Payment } from "./payment.ts";
import { paymentFields } from "./responses.ts";

// Payments as a CSV for spreadsheets, which open it by a double click: an amount is a number beside its currency, a
// time is one in a zone, and each key of metadata has a column. `-o csv` has the API's values instead.

/** The metadata keys with a column of their own; the others share one. */
const maxKeyColumns = 200;
/** Of more keys those that are rare so far are forgotten: memory does not grow with the number of payments. */
const maxCountedKeys = 20_000;

/** How a sheet shows a time in Unix seconds, and the zone that it shows it in. */
export type SheetTimes = { zone: string; format: (seconds: number) => string };

/** The parts of a file of payments: what it begins with, and the line of each payment. */
export type PaymentSheet = { opening: string; toLine: (payment: Payment) => string };

const timeFields = new Set(["created", "succeeded_at", "failed_at", "refunded_at"]);
const fields = paymentFields.filter((field) => field !== "object" && field !== "metadata");

/** Counts the keys of payments' metadata, to choose the columns of a sheet. */
export function createKeyCount() {
  const counts = new Map<string, number>();
  return {
    add: (payments: readonly Payment[]): void => {
      for (const { metadata } of payments)
        for (const key of Object.keys(metadata)) counts.set(key, (counts.get(key) ?? 0) + 1);
      for (let rare = 1; counts.size > maxCountedKeys; rare++)
        for (const [key, count] of counts) if (count <= rare) counts.delete(key);
    },
    /** The most frequent keys, these first. */
    list: (): string[] =>
      [...counts]
        .toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
        .slice(0, maxKeyColumns)
        .map(([key]) => key),
  };
}

/** A sheet with a column for each of these keys; all other metadata is JSON in the last column. */
export function createPaymentSheet(
  keys: readonly string[],
  { zone, format }: SheetTimes,
): PaymentSheet {
  const headings = fields.map((field) => (timeFields.has(field) ? `${field} (${zone})` : field));
  const keyHeadings = keys.map((key) => `metadata.${key}`);
  const own = new Set(keys);
  const toCell = (payment: Payment, field: string) => {
    const value = getField(payment, field);
    if (field === "amount") return formatMoney(payment.amount, payment.currency).split(" ", 1)[0];
    return timeFields.has(field) && typeof value === "number" ? format(value) : value;
  };
  return {
    // Excel takes a file without this mark for one in the encoding of its country.
    opening: `\uFEFF${toCsvRow([...headings, ...keyHeadings, "metadata"])}\n`,
    toLine: (payment) => {
      const pairs = new Map(Object.entries(payment.metadata));
      const others = [...pairs].filter(([key]) => !own.has(key));
      const rest = others.length === 0 ? null : Object.fromEntries(others);
      const cells = fields.map((field) => toCell(payment, field));
      return `${toCsvRow([...cells, ...keys.map((key) => pairs.get(key)), rest])}\n`;
    },
  };
}
