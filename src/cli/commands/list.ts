import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import type { PaymentsClient } from "../../client/client.ts";
import { cardBrands } from "../../contract/card.ts";
import type { ListPart } from "../../contract/list.ts";
import type { ListPaymentsQuery } from "../../contract/list-payments.ts";
import { declineCodes, paymentStatuses } from "../../contract/field-values.ts";
import { createKeyCount, createPaymentSheet } from "../../contract/payment-sheet.ts";
import type { Payment } from "../../contract/payment.ts";
import { howWordsMatch, metadataKeyOf } from "../../contract/search-words.ts";
import { escapeControls, quoteForShell } from "../../runtime/text.ts";
import { type Settings, describeService } from "../config/resolve-settings.ts";
import { usageError } from "../output/command-error.ts";
import { containsKey } from "../flags/checked-values.ts";
import { readFlags, switchFlag, textFlag } from "../flags/flags.ts";
import { createdFlags, pageFlags, severalFlag, toSeveral } from "../flags/list-flags.ts";
import { findAmountMistake, parseMetadata } from "../flags/payment-request.ts";
import { createPaymentResource, paymentResource } from "../output/payment-resource.ts";
import { type StreamWriter, collectEarly } from "../output/stream-list.ts";
import { formatLocalTime } from "../output/style.ts";
import { BaseCommand } from "../program/base-command.ts";
import { showPages } from "../program/show-pages.ts";
import { describeReading } from "../output/command-facts.ts";

const group = { helpGroup: "SEARCH" };

/** The flags that find payments, beside status and time. */
const paymentFilterFlags = {
  search: textFlag(
    "Words to find: of the e-mail, name, description or metadata, a card's last four or brand, an amount, the end of an id. Whole ones, or the first 3 letters or more of a name.",
    "<words>",
    group,
  ),
  email: textFlag("Only payments of the customer with this e-mail address.", "<address>", group),
  last4: textFlag("Only cards that end with these four digits.", "<digits>", group),
  brand: Flags.option({
    summary: "Only cards of this brand.",
    options: cardBrands,
    helpValue: "<name>",
    ...group,
  })(),
  amount: textFlag(
    "Only payments of this amount, in minor units: 4999 is 49.99.",
    "<minor units>",
    group,
  ),
  currency: textFlag("Only payments in this currency.", "<code>", group),
  "decline-code": Flags.option({
    summary: "Only payments that were declined with this code.",
    options: declineCodes,
    helpValue: "<code>",
    ...group,
  })(),
  metadata: Flags.string({
    summary: "Only payments with this metadata. Repeat the flag for up to three.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
    ...group,
  }),
};

/** The flags that say which payments a list has. */
const selectingFlags = ["status", "created-gte", "created-lt", ...Object.keys(paymentFilterFlags)];

export default class List extends BaseCommand {
  static override summary = "List or search payments, newest first.";
  static override examples = [
    "payments list --status failed --json | jq -r '.data[].decline_code'",
    "payments list --status failed,refunded --created-gte 7d --limit 100",
    'payments list --search "ada 49.99"',
    "payments list --created-gte monday --all --spreadsheet > payments.csv",
    "payments list --email ada@example.com --last4 4242",
    "payments list --metadata order=1001 --status succeeded --json | jq -r '.data[].id'",
    "payments list --starting-after pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
  ];
  static override flags = {
    status: severalFlag("Only payments of this status.", paymentStatuses),
    ...createdFlags,
    ...pageFlags(paymentResource),
    ...paymentFilterFlags,
    spreadsheet: switchFlag(
      "Print a CSV for Excel or LibreOffice: amounts such as 49.99, local times, a column for each metadata key.",
      { helpGroup: "OUTPUT", exclusive: ["output", "json", "fields", "ending-before"] },
    ),
    ...readFlags(paymentResource),
  };
  static facts = describeReading("GET /v1/payments");

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(List);
    const filters = {
      status: toSeveral(flags.status),
      ...(await parsePaymentFilters(flags)),
    };
    await showPages(
      this,
      createPaymentResource(flags.search),
      { flags, metadata, filters },
      ({ payments }, query, total) => payments.pages(query, total),
      {
        describeNothing: async (client, settings) => describeNothing(client, settings, flags),
        ...(flags.spreadsheet && { createWriter: createSheetWriter }),
      },
    );
  }
}

/** A writer of a sheet, once all payments were looked through for the keys of their metadata. */
async function createSheetWriter(
  pages: AsyncGenerator<ListPart<Payment>>,
): Promise<StreamWriter<Payment>> {
  const keys = createKeyCount();
  using _ = collectEarly();
  for await (const { data } of pages) keys.add(data);
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  const sheet = createPaymentSheet(keys.list(), { zone, format: formatLocalTime });
  return { opening: () => sheet.opening, item: sheet.toLine, closing: () => "", brokenOff: "" };
}

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

type FilterFlags = InferredFlags<typeof paymentFilterFlags>;

/** The flag of each parameter that has one of another name. */
const flagsByParameter: Record<string, string> = {
  "customer[email]": "email",
  "card[last4]": "last4",
  "card[brand]": "brand",
  decline_code: "decline-code",
};

/** Parses the filters of a list, and refuses what the API would refuse before anything is sent. */
export async function parsePaymentFilters(flags: FilterFlags): Promise<ListPaymentsQuery> {
  const metadata = Object.entries(parseMetadata(flags.metadata ?? []));
  const typed = Object.entries({
    "customer[email]": flags.email,
    "card[last4]": flags.last4,
    "card[brand]": flags.brand,
    amount: flags.amount,
    currency: flags.currency?.toLowerCase(),
    decline_code: flags["decline-code"],
    search: flags.search,
    ...Object.fromEntries(metadata.map(([key, value]) => [`metadata[${key}]`, value])),
  }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  if (typed.length === 0) return {}; // a list without filters does not load zod
  const query = Object.fromEntries(typed);
  const amountMistake = flags.amount === undefined ? undefined : findAmountMistake(flags.amount);
  if (amountMistake) throw usageError(`--amount ${amountMistake.phrase}`, amountMistake.hint);
  const { listPaymentsQuery } = await import("../../contract/list-payments.ts");
  const { data, error } = listPaymentsQuery.safeParse(query);
  if (!data) {
    const [mistake] = error.issues;
    throw usageError(`${toFlag(String(mistake?.path[0]))} ${mistake?.message}. Nothing was sent.`);
  }
  const withKey = typed.find((pair) => pair.some(containsKey));
  if (withKey)
    throw usageError(`${toFlag(withKey[0])} must not hold an API key. Nothing was sent.`);
  return data;
}

function toFlag(parameter: string): string {
  const isMetadata = metadataKeyOf(parameter) !== undefined;
  return `--${isMetadata ? "metadata" : (flagsByParameter[parameter] ?? parameter)}`;
}
