import * as Flags from "@oclif/core/flags";
import { BaseCommand, type Output } from "../base-command.ts";
import { gathered } from "../../client/pages.ts";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list.ts";
import { paymentFields } from "../../contract/glance.ts";
import { paymentStatuses } from "../../contract/payment-values.ts";
import { usageError } from "../endings/command-error.ts";
import { connectionFlags, fieldsFlag, outputFlags } from "../flags.ts";
import { listQuery } from "../input/list-query.ts";
import { arriving } from "../output/arriving.ts";
import { picked } from "../output/fields.ts";
import { grouped } from "../output/format.ts";
import { nextPageHint } from "../output/payment-notes.ts";
import { progressIn } from "../output/progress.ts";
import { writePages } from "../output/write-pages.ts";

export default class List extends BaseCommand {
  static override summary = "List payments, newest first.";
  static override examples = [
    "<%= config.bin %> list --status failed --json | jq -r '.data[].decline_code'",
    "<%= config.bin %> list --created-gte 7d --limit 100",
    "<%= config.bin %> list --starting-after pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override flags = {
    status: Flags.option({ summary: "Only payments of this status.", options: paymentStatuses })(),
    "created-gte": Flags.string({
      summary:
        "Created at or after this time: Unix seconds, a date or time, or an age such as 24h.",
      helpValue: "<time>",
    }),
    "created-lt": Flags.string({ summary: "Created before this time.", helpValue: "<time>" }),
    "starting-after": Flags.string({ summary: "Older than this payment.", helpValue: "<id>" }),
    "ending-before": Flags.string({
      summary: "Newer than this payment.",
      helpValue: "<id>",
      exclusive: ["starting-after"],
    }),
    limit: Flags.integer({
      summary: "How many payments to list in total.",
      min: 1,
      default: 10,
      helpValue: "<count>",
    }),
    all: Flags.boolean({ summary: "Every payment." }),
    ...fieldsFlag,
    ...outputFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(List);
    if (flags.all && !metadata.flags["limit"]?.setFromDefault) {
      throw usageError("--limit and --all contradict each other. Give one of them.");
    }
    const output = this.outputOf(flags);
    const settings = await this.settings(flags);
    const query = listQuery(flags, Date.now());
    const last = await this.withClient(flags, settings, async ({ payments }) => {
      const pages = payments.pages(query, flags.all ? undefined : flags.limit);
      // Newer and newer ones are printed newest first, and a table is as wide as its widest cells.
      return query.ending_before === undefined && output.format !== "table"
        ? await this.writeArriving(pages, output.format, output)
        : await this.writeWhole(pages, query, output);
    });
    if (!last || last.data.length === 0) this.note("No payments.", output);
    else if (last.has_more) this.note(nextPageHint(last, query), output);
  }

  /** Page by page, as they arrive. */
  private async writeArriving(
    pages: Pages,
    format: Exclude<Output["format"], "table">,
    { fields }: Output,
  ): Promise<PaymentList | undefined> {
    const layout = { fields, columns: fields ?? paymentFields, indented: process.stdout.isTTY };
    return await writePages(pages, arriving(format, layout), async (text) => this.write(text));
  }

  /** All at once, newest first: what is printed depends on every payment. */
  private async writeWhole(
    pages: Pages,
    query: ListPaymentsQuery,
    output: Output,
  ): Promise<PaymentList> {
    const { fields, format } = output;
    using progress = progressIn(process.stderr, process.env, this.errorStyle);
    const list = await gathered(pages, {
      backward: query.ending_before !== undefined,
      seen: (count) => {
        if (this.saysMore(output)) progress.at(`${grouped(count)} payments so far`);
      },
    });
    if (list.data.length === 0 && format === "table") return list;
    const data = fields ? list.data.map((payment) => picked(payment, fields)) : list.data;
    const { style, width } = this;
    await this.show(
      {
        value: { ...list, data },
        records: data,
        columns: fields ?? paymentFields,
        text: async () => {
          const { paymentsTable } = await import("../output/payment-text.ts");
          return paymentsTable(list.data, { style, width, fields });
        },
      },
      output,
    );
    return list;
  }
}

type Pages = AsyncGenerator<PaymentList>;
