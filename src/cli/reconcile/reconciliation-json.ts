import { toCsvHeader, toCsvLine } from "../../runtime/records.ts";
import { toSafeJson } from "../../runtime/text.ts";
import type { Format } from "../output/write-output.ts";
import { listNames } from "./compare-payment.ts";
import type { Reconciliation, Total } from "./reconcile.ts";

const columns = [
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
  if (format === "csv") yield `${toCsvHeader(columns)}\n`;
  for (const name of listNames) {
    for (const difference of listDifferences(name)) {
      yield format === "csv"
        ? `${toCsvLine(difference, columns)}\n`
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
