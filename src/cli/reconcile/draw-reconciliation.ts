import type { ChalkInstance } from "chalk";
import { formatMoney } from "../../contract/money.ts";
import { toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import { escapeControls, toSafeJson } from "../../runtime/text.ts";
import { formatCount, formatLocalTime, formatMany } from "../output/style.ts";
import { drawTable } from "../output/table.ts";
import type { Format } from "../output/write-output.ts";
import { type Difference, type ListName, type Reason, listNames } from "./compare-payment.ts";
import type { Reconciliation, Total } from "./reconcile.ts";

/** In a terminal. More are in a pipe, and in the other forms of the output. */
const shownRows = 10;

const titles: Record<ListName, string> = {
  only_here: "Here and not there",
  only_there: "There and not here",
  another_amount: "Another amount or currency",
  another_state: "Another state",
};

const reasons: Record<Reason, string> = {
  no_charge_there: "not charged there",
  unknown_payment: "no such payment here",
  no_payment_id: "no payment's id",
  other_amount: "another amount there",
  other_currency: "another currency there",
  several_charges: "charged more than once there",
  several_refunds: "refunded more than once there",
  other_refund_amount: "another amount refunded there",
  charged_there: "charged there",
  charge_failed_there: "charge failed there",
  refunded_there: "refunded there, not here",
  refunded_here: "refunded here, not there",
  disputed_there: "disputed there",
  other_status: "another status there",
};

type Bank = { unit: string; name: string };
type Layout = {
  style: ChalkInstance;
  width?: number | undefined;
  /** Whether a person looks at a terminal: each list has its first differences alone, and a pipe has all. */
  isShortened: boolean;
};

/** Writes a reconciliation for a person, piece by piece: each list with its count, its sums and its differences. */
export function* drawReconciliation(
  outcome: Reconciliation,
  bank: Bank,
  layout: Layout,
): Generator<string> {
  const differing = listNames.filter((name) => outcome.lists[name].count > 0);
  const hasMore =
    layout.isShortened && differing.some((name) => outcome.lists[name].count > shownRows);
  yield `${describeCompared(outcome, bank)}\n\n`;
  for (const name of differing) {
    for (const line of drawList(outcome, name, layout)) yield `${line}\n`;
    yield "\n";
  }
  yield differing.length === 0
    ? layout.style.green("The books agree.")
    : `Nothing was changed.${hasMore ? " -o csv lists all differences." : ""}`;
  yield "\n";
}

function describeCompared(outcome: Reconciliation, bank: Bank): string {
  const { livemode, payments, lines, passedOver, range } = outcome;
  const mode = livemode ? "live" : "test";
  const parts = [
    range.from !== undefined && `from ${formatLocalTime(range.from)}`,
    range.to !== undefined && `before ${formatLocalTime(range.to)}`,
  ].filter((part) => part !== false);
  const created = parts.length > 0 ? `, created ${parts.join(" and ")}` : "";
  const over = [
    passedOver.other > 0 && `${formatCount(passedOver.other)} of other kinds`,
    passedOver.outOfRange > 0 && `${formatCount(passedOver.outOfRange)} of payments of other times`,
  ].filter((part) => part !== false);
  const skipped = over.length > 0 ? ` (passed over: ${over.join(", ")})` : "";
  const both = [formatMany(payments, `${mode} payment`), formatMany(lines, bank.unit)] as const;
  return `Compared ${both[0]}${created} with ${both[1]} of ${escapeControls(bank.name)}${skipped}.`;
}

function* drawList(
  { lists, listDifferences }: Reconciliation,
  name: ListName,
  layout: Layout,
): Generator<string> {
  const { count, totals } = lists[name];
  const sums = totals.map(({ currency, here, there }) => {
    if (name === "only_here") return formatMoney(here, currency);
    if (name === "only_there") return formatMoney(there, currency);
    return `${formatMoney(here, currency)} here, ${formatMoney(there, currency)} there`;
  });
  yield `${layout.style.bold(`${titles[name]}: ${formatCount(count)}`)}, ${sums.join(", ")}`;
  const shown = layout.isShortened ? Math.min(count, shownRows) : count;
  const rows = {
    *[Symbol.iterator](): Generator<string[]> {
      let left = shown;
      for (const difference of listDifferences(name)) {
        yield toRow(difference);
        if (--left === 0) return;
      }
    },
  };
  yield* drawTable(columns, rows, { ...layout, omitsEmpty: true });
  if (count > shown) yield `… and ${formatCount(count - shown)} more`;
}

type Column = { title: string; isRight?: boolean };
const columns: Column[] = [
  { title: "PAYMENT" },
  { title: "HERE" },
  { title: "THERE" },
  { title: "LINE", isRight: true },
  { title: "WHY" },
  { title: "COMMAND" },
];

function toRow({ payment, here, there, reason, command, list }: Difference): string[] {
  return [
    payment ?? "",
    here ? `${here.status} ${formatMoney(here.amount, here.currency)}` : "",
    there && list !== "only_here"
      ? `${there.count > 1 ? `${there.count} × ` : ""}${there.type} ${formatMoney(there.amount, there.currency)}`
      : "",
    there?.line ? String(there.line) : "",
    reasons[reason],
    command ?? "",
  ].map((text) => escapeControls(text));
}

const fieldNames = [
  "list",
  "reason",
  "payment",
  "here.status",
  "here.amount",
  "here.currency",
  "there.type",
  "there.count",
  "there.amount",
  "there.currency",
  "there.line",
  "command",
];

const charactersAtOnce = 16_384;

/**
 * Writes a reconciliation for a program, piece by piece: as one JSON object, or with a difference a line. It has all
 * differences.
 */
export function drawRecords(
  outcome: Reconciliation,
  { format, indented }: { format: Exclude<Format, "table">; indented: boolean },
): Generator<string> {
  return format === "json" ? toObject(outcome, indented) : toLines(outcome, format);
}

/** Passes pieces of an output on, many at a time, but no more than a few of them are in memory. */
export async function writePieces(
  pieces: Iterable<string>,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < charactersAtOnce) continue;
    await write(text);
    text = "";
  }
  await write(text);
}

function* toLines(
  { listDifferences }: Reconciliation,
  format: "csv" | "ndjson",
): Generator<string> {
  if (format === "csv") yield `${toCsvHeader(fieldNames)}\n`;
  for (const name of listNames) {
    for (const difference of listDifferences(name)) {
      yield format === "csv"
        ? `${toCsvLine(difference, fieldNames)}\n`
        : `${toSafeJson(difference, { indented: false })}\n`;
    }
  }
}

/** The object is written around the differences: no other list in it is empty, so that each has its place. */
function* toObject(outcome: Reconciliation, indented: boolean): Generator<string> {
  const { range, livemode, payments, lines, passedOver, lists } = outcome;
  const summary = {
    object: "reconciliation",
    livemode,
    from: range.from ?? null,
    to: range.to ?? null,
    agrees: listNames.every((name) => lists[name].count === 0),
    payments,
    lines,
    passed_over: { other: passedOver.other, out_of_range: passedOver.outOfRange },
    ...Object.fromEntries(
      listNames.map((name) => [
        name,
        { count: lists[name].count, totals: lists[name].totals.map(toTotal), data: [] },
      ]),
    ),
  };
  const [opening = "", ...rest] = toSafeJson(summary, { indented }).split(/(?<="data": ?\[)/);
  yield opening;
  for (const [at, name] of listNames.entries()) {
    let isEmpty = true;
    for (const difference of outcome.listDifferences(name)) {
      const text = toSafeJson(difference, { indented });
      yield `${isEmpty ? "" : ","}${indented ? `\n      ${text.replaceAll("\n", "\n      ")}` : text}`;
      isEmpty = false;
    }
    yield `${isEmpty || !indented ? "" : "\n    "}${rest[at] ?? ""}`;
  }
  yield "\n";
}

function toTotal({ currency, count, here, there }: Total): object {
  return { currency, count, here: toInteger(here), there: toInteger(there) };
}

/** A sum of amounts may be more than a number holds exactly; JSON has no such limit. */
function toInteger(value: bigint): unknown {
  if (value <= Number.MAX_SAFE_INTEGER) return Number(value);
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(String(value));
}
