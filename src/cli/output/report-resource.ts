import { formatMoney, reportFields } from "../../contract/field-values.ts";
import type { ReportRow } from "../../contract/account.ts";
import { formatCount } from "./style.ts";
import { gapWidth, type RecordName, type View } from "./resource.ts";

export const reportRowName: RecordName = {
  one: "a row",
  fields: reportFields,
  metadata: "decline_codes",
  someFields: "period,net,currency",
};

type Column = {
  title: string;
  text: (row: ReportRow) => string;
  isRight?: boolean;
};

const amountColumn = (title: string, field: "gross" | "refunds" | "net"): Column => ({
  title,
  text: (row) => formatMoney(row[field], row.currency),
  isRight: true,
});
const countColumn = (
  title: string,
  field: "payments" | "succeeded" | "failed" | "refunded",
): Column => ({ title, text: (row) => formatCount(row[field]), isRight: true });

/** The columns before and after the bar; in a narrow terminal the last ones go first. */
const firstColumns: Column[] = [
  { title: "PERIOD", text: ({ period }) => period },
  amountColumn("GROSS", "gross"),
];
const otherColumns: Column[] = [
  countColumn("PAYMENTS", "payments"),
  {
    title: "SUCCESS",
    text: ({ success_rate: rate }) => (rate === null ? "" : `${(rate * 100).toFixed(1)}%`),
    isRight: true,
  },
  amountColumn("NET", "net"),
  amountColumn("REFUNDS", "refunds"),
  countColumn("SUCCEEDED", "succeeded"),
  countColumn("FAILED", "failed"),
  countColumn("REFUNDED", "refunded"),
];

const barWidths = { min: 8, max: 32 };

/** The table of these rows. In a terminal of `width` columns it has a bar in each row, for its gross amount. */
export function createReportView(
  rows: readonly ReportRow[],
  width: number | undefined,
): View<ReportRow> {
  const bars = width === undefined ? [] : [createBarColumn(rows, width)];
  return {
    fields: reportFields,
    columns: [...firstColumns, ...bars, ...otherColumns],
    overflow: "cut",
  };
}

/** The bars of a currency are compared with each other alone. */
function createBarColumn(rows: readonly ReportRow[], width: number): Column {
  const usedWidth = [...firstColumns, ...otherColumns].reduce((sum, { title, text }) => {
    const widths = rows.map((row) => text(row).length);
    return sum + gapWidth + Math.max(title.length, ...widths);
  }, 0);
  const barWidth = Math.min(Math.max(width - usedWidth, barWidths.min), barWidths.max);
  const highest = new Map<string, number>();
  for (const { currency, gross } of rows) {
    highest.set(currency, Math.max(gross, highest.get(currency) ?? 0));
  }
  return {
    title: "".padEnd(barWidth),
    text: ({ currency, gross }) => drawBar(gross / (highest.get(currency) || 1), barWidth),
  };
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A part of 1 as a bar; a part above zero is seen, however small it is. */
function drawBar(part: number, width: number): string {
  const steps = part === 0 ? 0 : Math.max(1, Math.round(part * width * eighths.length));
  const whole = Math.floor(steps / eighths.length);
  return "█".repeat(whole) + eighths[steps % eighths.length];
}
