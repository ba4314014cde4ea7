import * as Flags from "@oclif/core/flags";
import { currencies, reportPeriods } from "../../contract/field-values.ts";
import type { ReportQuery } from "../../contract/account.ts";
import { findDay, formatDay, parseTypedTime } from "../../runtime/time.ts";
import { BaseCommand } from "../program/base-command.ts";
import { usageError } from "../output/command-error.ts";
import { wrongTimeError } from "../flags/list-flags.ts";
import { readFlags, textFlag } from "../flags/flags.ts";
import { createReportView, reportRowName } from "../output/report-resource.ts";
import { wantsPlainScreen } from "../output/style.ts";
import { parseAges, withReader } from "../program/connection.ts";
import { type CommandFacts, readExits } from "../output/command-facts.ts";

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
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: readExits,
    output: "GET /v1/reports/payments",
  };

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
export function parseReportQuery(
  { from, to, by, currency }: ReportFlags,
  nowMs: number,
): ReportQuery {
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
