import { valueOf } from "./fields.ts";
import { json } from "./safe-text.ts";

/** The first line of a CSV: the names of its columns. */
export function csvHeader(columns: readonly string[]): string {
  return columns.map(cell).join(",");
}

/** One record as a line of CSV (RFC 4180). Amounts and times are the API's integers. */
export function csvLine(record: object, columns: readonly string[]): string {
  return columns.map((column) => cell(valueOf(record, column))).join(",");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? harmless(value) : json(value, { indented: false });
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that neither a terminal nor a spreadsheet acts on: control characters become visible marks
 * (a line break stays one, inside quotes), and what would be a formula begins with an apostrophe.
 */
function harmless(text: string): string {
  const printable = text.replaceAll(/(?!\n)\p{Cc}/gu, "\ufffd");
  return /^\s*[=+\-@＝＋－＠]/u.test(printable) ? `'${printable}` : printable;
}
