import { Flags, type Interfaces } from "@oclif/core";
import { BaseCommand } from "../base-command.ts";
import type { ListPaymentsQuery } from "../contract/list.ts";
import { paymentStatuses } from "../contract/payment.ts";
import { usageError } from "../exit-codes.ts";
import { connectionFlags, jsonFlag } from "../flags.ts";
import { pointInTime } from "../input/point-in-time.ts";
import { nextPageHint } from "../output/next-page.ts";
import { paymentsTable } from "../output/payment-text.ts";

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
      summary: "How many payments in all.",
      min: 1,
      default: 10,
      helpValue: "<count>",
    }),
    all: Flags.boolean({ summary: "Every payment." }),
    ...jsonFlag,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(List);
    if (flags.all && !metadata.flags["limit"]?.setFromDefault) {
      throw usageError("--limit and --all contradict each other. Give one of them.");
    }
    const settings = this.settings(flags);
    const query = queryOf(flags);
    const limit = flags.all ? Number.POSITIVE_INFINITY : flags.limit;
    const list = await this.withClient(flags, settings, async ({ payments }) =>
      payments.collect(query, limit),
    );
    if (list.data.length === 0) this.note("No payments.", flags);
    if (list.data.length > 0 || flags.json) {
      this.show(list, flags, () => paymentsTable(list.data, this.style));
    }
    if (list.has_more && list.data.length > 0) this.note(nextPageHint(list, query), flags);
  }
}

type Filters = Interfaces.InferredFlags<typeof List.flags>;

function queryOf(flags: Filters): ListPaymentsQuery {
  const gte = flags["created-gte"];
  const lt = flags["created-lt"];
  const now = Date.now();
  return {
    status: flags.status,
    starting_after: flags["starting-after"],
    ending_before: flags["ending-before"],
    "created[gte]": gte === undefined ? gte : pointInTime(gte, "--created-gte", now),
    "created[lt]": lt === undefined ? lt : pointInTime(lt, "--created-lt", now),
  };
}
