import type { ChalkInstance } from "chalk";
import { getField } from "./fields.ts";
import { formatLocalTime } from "./format.ts";
import { toSafeJson, escapeControls } from "./safe-text.ts";
import { colorStatus } from "./style.ts";
import { formatPairs, formatTable } from "./table.ts";

/** How records are drawn one below the other, with only some of their fields where they were asked for. */
export type TableLayout = {
  style: ChalkInstance;
  width?: number | undefined;
  fields?: readonly string[] | undefined;
};

/** Fields that hold times, in whatever record. */
const times = new Set(["created", "succeeded_at", "failed_at", "refunded_at", "next_attempt_at"]);

/** One field of a record for a person to read. */
export function formatField(record: object, field: string): string {
  const value = getField(record, field);
  if (value === null || value === undefined) return "";
  if (times.has(field)) return formatLocalTime(Number(value));
  return typeof value === "string" ? escapeControls(value) : toSafeJson(value, { indented: false });
}

/** The fields that were asked for, one a line. */
export function formatFields(
  fields: readonly string[],
  textOf: (field: string) => string,
  style: ChalkInstance,
): string {
  return formatPairs(
    fields.map((field) => {
      const text = textOf(field);
      return [field, field === "status" ? colorStatus(style, text) : text];
    }),
    style,
  );
}

/** Fields that hold ids. */
const ids = ["ID", "EVENT", "DATA.OBJECT.ID"];

/** The fields that were asked for, a record on a line: nothing is left out, and ids are never wrapped. */
export function formatFieldTable<Item>(
  items: readonly Item[],
  fields: readonly string[],
  textOf: (item: Item, field: string) => string,
  layout: { style: ChalkInstance; width?: number | undefined; right: string[] },
): string {
  const rows = items.map((item) => fields.map((field) => textOf(item, field)));
  const paint = { STATUS: (text: string) => colorStatus(layout.style, text) };
  const titles = fields.map((field) => escapeControls(field).toUpperCase());
  return formatTable(titles, rows, { ...layout, paint, whole: ids });
}
