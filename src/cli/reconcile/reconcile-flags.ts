import * as Flags from "@oclif/core/flags";
import { daySeconds, timeForms } from "../../runtime/time.ts";
import { transactionTypes, type TransactionType } from "../../contract/field-values.ts";
import { usageError } from "../output/command-error.ts";
import { encodings } from "../flags/read-text.ts";
import { textFlag } from "../flags/flags.ts";
import { parseTime } from "../flags/list-flags.ts";

const roles = ["payment", "amount", "currency", "type"] as const;
const optionalRole = "type";
/** The column of a file for each thing that a line has to say; without a type the amount's sign says it. */
export type ColumnMap = Record<Exclude<(typeof roles)[number], typeof optionalRole>, string> & {
  [optionalRole]?: string;
};

const units = ["minor", "major"] as const;
/** The unit of an amount: 4999 is `minor`, 49.99 is `major`. */
export type AmountUnit = (typeof units)[number];

const decimals = ["comma", "point"] as const;
/** The separator before an amount's decimals: 49,99 or 49.99. */
export type Decimal = (typeof decimals)[number];

const file = { helpGroup: "REPORT" };

/** The flags that say what to compare with, and how to read it. */
export const reconcileFlags = {
  report: textFlag("The CSV of the bank or processor; `-` is standard input.", "<path>", file),
  map: textFlag(
    "The file's columns as NAME=COLUMN, separated by commas; the names are payment, amount, currency and type. Without a type, plus is a charge and minus a refund.",
    "<columns>",
    { ...file, dependsOn: ["report"] },
  ),
  types: textFlag(
    "The file's words for types of lines: charge=WORD,refund=WORD; other=WORD passes lines over.",
    "<words>",
    { ...file, dependsOn: ["report"] },
  ),
  amounts: Flags.option({
    summary:
      "The file's amounts: minor is 4999, major is 49.99 or 49. Amounts with decimals are major.",
    options: units,
    dependsOn: ["report"],
    ...file,
  })(),
  decimal: Flags.option({
    summary: "What parts the decimals of the file's amounts, where both could: 2.500 and 1.230.",
    options: decimals,
    dependsOn: ["report"],
    ...file,
  })(),
  encoding: Flags.option({
    summary: "The file's encoding; UTF-8 and UTF-16 are recognized.",
    options: encodings,
    dependsOn: ["report"],
    ...file,
  })(),
  network: Flags.boolean({
    summary: "Ask the card network that PAYMENTS_NETWORK names, instead of a file.",
    exclusive: ["report"],
  }),
  from: textFlag(`Only payments created at or after this time: ${timeForms}.`, "<time>"),
  to: textFlag("Only payments created before this time.", "<time>"),
};

/** Parses `--map` into the name of each column. Errors: a column is missing, unknown, or named twice. */
export function parseColumnMap(text: string | undefined): ColumnMap | undefined {
  if (text === undefined) return undefined;
  const form = "For example --map payment=Reference,amount=Gross,currency=Currency,type=Type";
  const map = new Map<string, string>();
  for (const [role, column] of splitPairs(text, roles, "--map", form)) {
    if (map.has(role)) throw usageError(`--map names ${role} twice.`, form);
    map.set(role, column);
  }
  const missing = roles.filter((role) => role !== optionalRole && !map.has(role));
  if (missing.length > 0) {
    throw usageError(`--map must name ${missing.join(", ")}, too.`, form);
  }
  return Object.fromEntries(map) as ColumnMap;
}

/** Parses `--types` into the type that each word of the file stands for. */
export function parseLineTypes(text: string | undefined): Map<string, TransactionType> {
  const form = "For example --types charge=Sale,refund=Credit,other=Payout";
  const words = new Map<string, TransactionType>();
  for (const [type, word] of splitPairs(text ?? "", transactionTypes, "--types", form)) {
    if (words.has(word)) throw usageError("--types gives the same word twice.", form);
    words.set(word, type);
  }
  return words;
}

const networkDays = 30;

/**
 * The payments to compare with a network's transactions: without `--from` those of the last 30 days, and never one that
 * is made meanwhile. The network is asked for all that came after, with a day's margin for its clock and for the time
 * a charge takes: a payment's refund may be of any later day.
 */
export function parseNetworkRange(flags: RangeFlags, nowMs: number) {
  const now = Math.floor(nowMs / 1000);
  const { from: begin, to = now } = parseRange(flags, nowMs);
  const from = begin ?? to - networkDays * daySeconds;
  const asked = { from: Math.max(0, from - daySeconds), to: now + daySeconds };
  return { range: { from, to: Math.min(to, now) }, asked };
}

type RangeFlags = { from?: string | undefined; to?: string | undefined };

/** Parses the range of creation times, in Unix seconds; ages count back from `nowMs`. */
export function parseRange({ from, to }: RangeFlags, nowMs: number) {
  const range = {
    from: from === undefined ? undefined : parseTime(from, "--from", nowMs),
    to: to === undefined ? undefined : parseTime(to, "--to", nowMs),
  };
  if (range.from !== undefined && range.to !== undefined && range.from >= range.to) {
    throw usageError("--from must be earlier than --to.");
  }
  return range;
}

/** Splits `key=value,key=value`. A value may have commas, since only a known key begins the next pair. */
function splitPairs<Key extends string>(
  text: string,
  keys: readonly Key[],
  flag: string,
  form: string,
): [Key, string][] {
  if (text === "") return [];
  return text.split(new RegExp(`,(?=(?:${keys.join("|")})=)`)).map((pair) => {
    const at = pair.indexOf("=");
    const key = keys.find((known) => known === pair.slice(0, at));
    const value = pair.slice(at + 1);
    if (at === -1 || !key || value === "") {
      throw usageError(`${flag} must be pairs of ${keys.join(", ")} and a name.`, form);
    }
    return [key, value];
  });
}
