import * as Flags from "@oclif/core/flags";
import { findReasonMistake } from "../../contract/administration.ts";
import type { RefundPlanJson, RefundResult, RefundRunJson } from "../../contract/refund-run.ts";
import { getExponent } from "../../contract/money.ts";
import { getCommandActor } from "../config/service-database.ts";
import { checkIdempotencyKey } from "../flags/checked-values.ts";
import { integerFlag, switchFlag, textFlag } from "../flags/flags.ts";
import { usageError } from "../output/command-error.ts";

const many = { helpGroup: "MANY" };
/** For help alone: to oclif a flag with a default would be given, and need --from, in every refund. */
export const runDefaults = { concurrency: 4, maxFailures: 10 };
const ofMany = { ...many, dependsOn: ["from"] };

function totalsFlag(summary: string) {
  return Flags.string({
    summary,
    helpValue: "<amount>",
    multiple: true,
    multipleNonGreedy: true,
    ...ofMany,
  });
}

/** The reason for a refund, and the flags that refund the payments of a file. */
export const refundFlags = {
  reason: textFlag("Why, for the account's activity log, with your system user's name.", "<text>"),
  from: textFlag(
    "Refund the payments of a file: a CSV with a column id or payment, JSON lines, or ids one a line; `-` is standard input.",
    "<path>",
    { ...many, exclusive: ["idempotency-key", "fields"] },
  ),
  "dry-run": switchFlag("Show what would be refunded, and send no refund.", ofMany),
  "expect-total": totalsFlag(
    "The sum that the file's payments have, such as 1234.00EUR. Anything else is refused. Repeat the flag for another currency.",
  ),
  "max-total": totalsFlag(
    "The most that may be refunded, such as 1500.00EUR. Repeat the flag for another currency.",
  ),
  run: textFlag(
    "A name for the run, in place of one made from the file's payments.",
    "<id>",
    ofMany,
  ),
  concurrency: integerFlag("How many refunds at once; 1 is the file's order.", "<count>", {
    min: 1,
    max: 16,
    defaultHelp: async () => String(runDefaults.concurrency),
    ...ofMany,
  }),
  "max-failures": integerFlag("Stop after so many unknown outcomes in a row.", "<count>", {
    min: 1,
    defaultHelp: async () => String(runDefaults.maxFailures),
    ...ofMany,
  }),
};

/** A line of a run, a run's closing line, and a plan, as JSON. */
export const resultJson = describeJson<RefundResult>(null, {
  id: true,
  amount: true,
  currency: true,
  result: true,
  error: true,
});
export const runJson = describeJson<RefundRunJson>("refund_run", {
  object: true,
  run: true,
  refunded: true,
  totals: true,
  already: true,
  refused: true,
  unknown: true,
  not_tried: true,
});
export const planJson = describeJson<RefundPlanJson>("refund_plan", {
  object: true,
  run: true,
  refundable: true,
  totals: true,
  already: true,
  not_refundable: true,
  unknown: true,
  twice: true,
});

/** The type has each field named here, and no other. */
function describeJson<T extends object>(object: string | null, fields: Record<keyof T, true>) {
  return { object, fields: Object.keys(fields) };
}

/** An amount in minor units. */
export type Money = { amount: number; currency: string };

const maxEchoedDigits = 11;

/** Parses sums such as `1234.00EUR`, one a currency. Errors: usage. */
export function parseTotals(texts: readonly string[] = [], flag: string): Money[] {
  const totals = texts.map((text): Money => {
    const [, whole = "", fraction = "", code = ""] =
      /^(\d{1,16})(?:\.(\d+))? ?([A-Za-z]{3})$/.exec(text.trim()) ?? [];
    const amount = Number(whole + fraction);
    const decimals = code === "" ? 0 : getExponent(code.toUpperCase());
    const isExact = code !== "" && fraction.length === decimals;
    if (isExact && Number.isSafeInteger(amount)) return { amount, currency: code.toLowerCase() };
    // Elsewhere a whole number is in minor units. What is longer may be a card's number.
    const isWhole = fraction === "" && whole.length <= maxEchoedDigits && decimals > 0;
    throw usageError(
      `${flag} must be an amount with its decimals and its currency: 1234.00EUR.`,
      isWhole
        ? `If it is not in minor units, write ${flag} ${whole}.${"0".repeat(decimals)}${code}`
        : undefined,
    );
  });
  const named = new Set(totals.map(({ currency }) => currency));
  if (named.size === totals.length) return totals;
  throw usageError(`${flag} names the same currency twice.`);
}

/** Checks the name of a run, which becomes part of idempotency keys and of the activity log. */
export function checkRun(run: string | undefined): string | undefined {
  if (run === undefined) return undefined;
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(run)) {
    throw usageError("--run must be 1 to 64 letters, digits, points, hyphens and underscores.");
  }
  return checkIdempotencyKey(run, "--run");
}

/**
 * What the activity log keeps of a refund by this command: the reason, the run, and the system's user. What is added
 * to the reason gives way where the log has no room for it. Errors: the reason itself is refused.
 */
export function writeReason(reason: string | undefined, run?: string): string {
  const mistake = reason === "" ? "is empty" : findReasonMistake(reason ?? "-");
  if (mistake !== undefined) throw usageError(`--reason ${mistake}.`);
  const ofRun = run === undefined ? [] : [`run ${run}`];
  const by = `by ${getCommandActor().name}`;
  const texts = [[...ofRun, by], ofRun].map((parts) => {
    const added = parts.join(", ");
    return reason === undefined || added === "" ? (reason ?? added) : `${reason} (${added})`;
  });
  return texts.find((text) => findReasonMistake(text) === undefined) ?? reason ?? "";
}
