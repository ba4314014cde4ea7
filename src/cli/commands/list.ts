import * as Flags from "@oclif/core/flags";
import { paymentStatuses } from "../../contract/payment-values.ts";
import { paymentFilterFlags, parsePaymentFilters } from "../parse/payment-filters.ts";
import { createdFlags, pageFlags, readFlags } from "../parse/flags.ts";
import { paymentResource } from "../output/payment-resource.ts";
import { ListCommand } from "../base/list-command.ts";

export default class List extends ListCommand {
  static override summary = "List or search payments, newest first.";
  static override examples = [
    "payments list --status failed --json | jq -r '.data[].decline_code'",
    "payments list --created-gte 7d --limit 100",
    'payments list --search "ada 49.99"',
    "payments list --email ada@example.com --last4 4242",
    "payments list --metadata order=1001 --status succeeded --json | jq -r '.data[].id'",
    "payments list --starting-after pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override flags = {
    status: Flags.option({ summary: "Only payments of this status.", options: paymentStatuses })(),
    ...createdFlags,
    ...pageFlags(paymentResource),
    ...paymentFilterFlags,
    ...readFlags(paymentResource),
  };

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(List);
    const filters = {
      status: flags.status,
      ...(await parsePaymentFilters(flags)),
    };
    await this.showPages(
      paymentResource,
      { flags, metadata, filters },
      ({ payments }, query, total) => payments.pages(query, total),
    );
  }
}
