import type { ChalkInstance } from "chalk";
import { formatMoney } from "../../contract/money.ts";
import { getField } from "../../runtime/records.ts";
import { colorStatus, createCellTimes, formatLocalTime } from "./style.ts";
import { minWrappedWidth, type View } from "./resource.ts";
import { escapeControls, toSafeJson } from "../../runtime/text.ts";
import { formatDetails, formatPairs, formatTable } from "./table.ts";

/** Formats one item for a person, or only its requested fields. */
export function formatItem<Item extends object>(
  view: View<Item>,
  item: Item,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (!view.details || fields) {
    return formatPairs(
      (fields ?? view.fields).map((field) => {
        const text = formatField(item, field);
        return [escapeControls(field), field === "status" ? colorStatus(style, text) : text];
      }),
      style,
    );
  }
  const pairs = view.details(item).map(([label, text, paint]) => {
    const safe = text && escapeControls(text);
    return [label, safe && paint ? paint(style, safe) : safe] as const;
  });
  return formatDetails(pairs, style);
}

type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined in a pipe, where nothing is shortened. */
  width?: number | undefined;
  /** The time to which ages are counted, in Unix milliseconds: by default this machine's. */
  nowMs?: number;
  fields?: readonly string[] | undefined;
};

/** Formats items as a table, in the given order. Requested fields are never shortened. */
export function formatItems<Item extends object>(
  view: View<Item>,
  items: readonly Item[],
  { fields, style, width, nowMs = Date.now() }: Layout,
): string {
  if (fields) {
    const columns = fields.map((field) => ({
      title: escapeControls(field).toUpperCase(),
      isRight: numberFields.has(field),
      ...(!idFields.has(field) && { minWidth: minWrappedWidth }),
      ...(field === "status" && { paint: colorStatus }),
    }));
    const rows = items.map((item) => fields.map((field) => formatField(item, field)));
    return formatTable(columns, rows, { style, width });
  }
  const times = createCellTimes(width, nowMs);
  const columns = view.columns.filter(({ isShown }) => isShown?.(items) ?? true);
  const rows = items.map((item) => columns.map(({ text }) => escapeControls(text(item, times))));
  return formatTable(columns, rows, { style, width, overflow: view.overflow });
}

const timeFields = new Set([
  "at",
  "created",
  "succeeded_at",
  "failed_at",
  "refunded_at",
  "next_attempt_at",
  "last_success_at",
  "failing_since",
]);
/** Amounts in the currency beside them. */
const amountFields = new Set(["amount", "gross", "refunds", "net"]);
const numberFields = new Set([
  ...amountFields,
  "attempts",
  "data.object.amount",
  "payments",
  "succeeded",
  "failed",
  "refunded",
  "success_rate",
]);
const idFields = new Set(["id", "event", "endpoint", "data.object.id"]);

function formatField(record: object, field: string): string {
  const value = getField(record, field);
  if (value === null || value === undefined) return "";
  const [, start = "", name = ""] = /^(data\.object\.)?(.*)$/s.exec(field) ?? [];
  if (timeFields.has(name)) return formatLocalTime(Number(value));
  if (amountFields.has(name)) {
    return formatMoney(Number(value), String(getField(record, `${start}currency`)));
  }
  return typeof value === "string" ? escapeControls(value) : toSafeJson(value, { indented: false });
}
