import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { cardBrands } from "../../contract/card.ts";
import type { ListPaymentsQuery } from "../../contract/list.ts";
import { metadataKeyOf } from "../../contract/search-words.ts";
import { declineCodes } from "../../contract/field-values.ts";
import { usageError } from "../errors/command-error.ts";
import { textFlag } from "./flag-kinds.ts";
import { findAmountMistake, parseMetadata } from "./payment-request.ts";
import { containsKey } from "./search-text.ts";

const group = { helpGroup: "SEARCH" };

/** The flags that find payments, beside status and time. */
export const paymentFilterFlags = {
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
  const { listPaymentsQuery } = await import("../../contract/list.ts");
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
