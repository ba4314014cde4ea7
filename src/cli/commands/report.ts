import * as Flags from "@oclif/core/flags";
import type { ReportQuery, ReportRow } from "../../contract/account.ts";
import { reportFields, reportPeriods } from "../../contract/field-values.ts";
import { currencies, formatMoney } from "../../contract/money.ts";
import { findDay, formatDay, parseTypedTime } from "../../runtime/time.ts";
import { readFlags, textFlag } from "../flags/flags.ts";
import { wrongTimeError } from "../flags/list-flags.ts";
import { usageError } from "../output/command-error.ts";
import { describeReading } from "../output/command-facts.ts";
import { type RecordName, type View, gapWidth } from "../output/resource.ts";
import { formatCount, wantsPlainScreen } from "../output/style.ts";
import { BaseCommand } from "../program/base-command.ts";
import { parseAges, withReader } from "../program/connection.ts";

const reportRowName: RecordName = {
  one: "a row",
  fields: reportFields,
  metadata: "decline_codes",
  someFields: "period,net,currency",
};

export default class Report extends BaseCommand {
  static override summary = "Report payments by day or month, and what became of them.";
  static override description =
    "Days are in UTC, by creation. A row has the payments of one day, or month, in one currency: gross is what succeeded, refunded or not, and net is gross without refunds. The figures equal those of the same list at this moment.";
  static override examples = [
    "payments report",
    "payments report --from 2026-01-01 --by month",
    "payments report --from 2026-11-01 --to 2026-12-01 --currency eur -o csv",
    "payments report --from 7d --json | jq '.data[].decline_codes'",
  ];
  static override flags = {
    from: textFlag(
      "The first day: a date, today, yesterday, a weekday, or an age such as 7d. By default the first of the month.",
      "<date>",
    ),
    to: textFlag("The day after the last one. By default the report ends with today.", "<date>"),
    by: Flags.option({ summary: "A row for each day, or month.", options: reportPeriods })({
      default: "day",
    }),
    currency: textFlag("Only payments in this currency.", "<code>"),
    ...readFlags(reportRowName),
  };
  static facts = describeReading("GET /v1/reports/payments");

  async run(): Promise<void> {
    const { flags } = await this.parse(Report);
    const output = this.parseOutput(flags, reportRowName);
    const parse = (nowMs: number) => parseReportQuery(flags, nowMs);
    parse(Date.now());
    const report = await withReader(this, flags, async (client) =>
      client.reports.payments(await parseAges(this, client, [flags.from, flags.to], parse)),
    );
    const barsWithin = wantsPlainScreen(process.env) ? undefined : this.width;
    const view = createReportView(report.data, barsWithin);
    await this.showMany(view, report, output, `No payments from ${report.from} to ${report.to}.`);
  }
}

type ReportFlags = {
  from?: string | undefined;
  to?: string | undefined;
  by: NonNullable<ReportQuery["by"]>;
  currency?: string | undefined;
};

/** Parses the flags of a report; ages count back from `nowMs`. */
function parseReportQuery({ from, to, by, currency }: ReportFlags, nowMs: number): ReportQuery {
  const found = currencies.find((each) => each === currency?.toLowerCase());
  if (currency !== undefined && !found) {
    throw usageError(`--currency must be one of ${currencies.join(", ")}.`);
  }
  return {
    from: parseReportDay(from, "--from", nowMs),
    to: parseReportDay(to, "--to", nowMs),
    by,
    currency: found,
  };
}

/** The day in UTC that a flag names, as a date. */
function parseReportDay(text: string | undefined, flag: string, nowMs: number): string | undefined {
  if (text === undefined) return undefined;
  const seconds = parseTypedTime(text, nowMs, { utc: true });
  if (seconds !== undefined) return formatDay(findDay(seconds * 1000));
  throw wrongTimeError(text, flag, "2026-11-01, today, yesterday, a weekday, or an age such as 7d");
}

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
