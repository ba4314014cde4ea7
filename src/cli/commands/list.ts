import * as Flags from "@oclif/core/flags";
import type { PaymentsClient } from "../../client/client.ts";
import { paymentStatuses } from "../../contract/field-values.ts";
import { howWordsMatch } from "../../contract/search-words.ts";
import { escapeControls, quoteForShell } from "../../runtime/text.ts";
import { describeService, type Settings } from "../config/resolve-settings.ts";
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
      async (client, settings) => describeNothing(client, settings, flags),
    );
  }
}

/** The flags that say which payments a list has. */
const selectingFlags = ["status", "created-gte", "created-lt", ...Object.keys(paymentFilterFlags)];

/** Says where nothing was found, by what, and how words match: the payment may be in the other mode, or elsewhere. */
async function describeNothing(
  { account }: PaymentsClient,
  settings: Settings,
  flags: Record<string, unknown>,
): Promise<string> {
  const selecting = selectingFlags.flatMap((name) =>
    [flags[name]]
      .flat()
      .filter((value) => typeof value === "string")
      .map((value) => `--${name} ${quoteForShell(value)}`),
  );
  // An older service, or one that is gone by now, does not say whose key it is.
  const of = await account.retrieve({ signal: AbortSignal.timeout(accountTimeoutMs) }).then(
    ({ name }) => ` of the account ${name}`,
    () => "",
  );
  const place = `in ${settings.mode} mode${of}, at ${describeService(settings)}`;
  const found = selecting.length > 0 ? ` found by ${selecting.join(" ")}` : "";
  const words = flags["search"] === undefined ? "" : `\n${howWordsMatch}`;
  return escapeControls(`No payments${found} ${place}.`) + words;
}

const accountTimeoutMs = 2_000;
