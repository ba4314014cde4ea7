import * as Flags from "@oclif/core/flags";
import { reportPeriods } from "../../contract/field-values.ts";
import { BaseCommand } from "../base/base-command.ts";
import { createReportView, reportRowName } from "../output/report-resource.ts";
import { wantsPlainScreen } from "../output/style.ts";
import { textFlag } from "../parse/flag-kinds.ts";
import { readFlags } from "../parse/flags.ts";
import { parseReportQuery } from "../parse/report-query.ts";

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
      "The first day: a date, or an age such as 7d. By default the first of the month.",
      "<date>",
    ),
    to: textFlag("The day after the last one. By default the report ends with today.", "<date>"),
    by: Flags.option({ summary: "A row for each day, or month.", options: reportPeriods })({
      default: "day",
    }),
    currency: textFlag("Only payments in this currency.", "<code>"),
    ...readFlags(reportRowName),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Report);
    const output = this.parseOutput(flags, reportRowName);
    const parse = (nowMs: number) => parseReportQuery(flags, nowMs);
    parse(Date.now());
    const report = await this.read(flags, async (client) =>
      client.reports.payments(await this.parseAges(client, [flags.from, flags.to], parse)),
    );
    const barsWithin = wantsPlainScreen(process.env) ? undefined : this.width;
    const view = createReportView(report.data, barsWithin);
    await this.showMany(view, report, output, `No payments from ${report.from} to ${report.to}.`);
  }
}
