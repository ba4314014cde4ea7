import type { PaymentList } from "../../contract/list.ts";
import type { Payment } from "../../contract/payment.ts";
import { csvHeader, csvLine } from "./csv.ts";
import { picked } from "./fields.ts";
import type { Format } from "./rendered.ts";
import { json } from "./safe-text.ts";

/** A list in a format that needs nothing of the payments to come, and so is written as they arrive. */
export type Arriving = {
  /** What stands before the payments, when the first page is there. */
  opening: (first: PaymentList) => string;
  payment: (payment: Payment, isFirst: boolean) => string;
  /** What stands after them, when the last page is there. */
  closing: (last: PaymentList, isEmpty: boolean) => string;
  /** What is written where the rest never comes, so that an error begins on a line of its own. */
  brokenOff: string;
};

type Layout = {
  /** The only fields of a payment that are asked for. */
  fields: readonly string[] | undefined;
  /** Of a CSV. */
  columns: readonly string[];
  /** Whether JSON is indented, as in a terminal. */
  indented: boolean;
};

/** How a list is written in a format as it arrives. */
export function arriving(format: Exclude<Format, "table">, layout: Layout): Arriving {
  const { fields, columns, indented } = layout;
  const asked = (payment: Payment) => (fields ? picked(payment, fields) : payment);
  switch (format) {
    case "json":
      return oneList(asked, indented);
    case "ndjson":
      return lines("", (payment) => json(asked(payment), { indented: false }));
    default:
      return lines(`${csvHeader(columns)}\n`, (payment) => csvLine(payment, columns));
  }
}

function lines(heading: string, lineOf: (payment: Payment) => string): Arriving {
  return {
    opening: () => heading,
    payment: (payment) => `${lineOf(payment)}\n`,
    closing: () => "",
    brokenOff: "",
  };
}

/** What is the same on every page. */
const constant = new Set(["object", "url"]);

/**
 * The API's List with all payments in it, byte by byte what `json` makes of it. Whatever else the API
 * says of a list is the last page's, and so comes after the payments.
 */
function oneList(asked: (payment: Payment) => object, indented: boolean): Arriving {
  const text = (value: object) => json(value, { indented });
  const [end, member, item] = indented ? ["\n", "\n  ", "\n    "] : ["", "", ""];
  return {
    opening: (first) => {
      const head = text(withNames(first, (name) => constant.has(name)));
      return `${head.slice(0, -`${end}}`.length)},${member}"data":${indented ? " " : ""}[`;
    },
    payment: (payment, isFirst) =>
      `${isFirst ? "" : ","}${item}${text(asked(payment)).replaceAll("\n", item)}`,
    closing: (last, isEmpty) => {
      const tail = text(withNames(last, (name) => name !== "data" && !constant.has(name)));
      return `${isEmpty ? "" : member}],${tail.slice("{".length)}\n`;
    },
    brokenOff: end,
  };
}

function withNames(page: PaymentList, isAsked: (name: string) => boolean): object {
  return Object.fromEntries(Object.entries(page).filter(([name]) => isAsked(name)));
}
