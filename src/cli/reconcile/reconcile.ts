import { setImmediate } from "node:timers/promises";
import { parseCreated } from "../../runtime/time.ts";
import type { Payment } from "../../contract/payment.ts";
import {
  comparePayment,
  countLine,
  describeUnknown,
  listNames,
  type Difference,
  type LinesOfPayment,
  type ListName,
  type OwnPayment,
} from "./compare-payment.ts";
import type { ReportLine } from "./report-line.ts";
import { openTemporaryBooks, type TemporaryBooks } from "./temporary-books.ts";

/** The payments to compare, by creation, in Unix seconds: from `from` on, and before `to`. */
export type Range = { from?: number | undefined; to?: number | undefined };

/** How many differences a list has in a currency, and the amounts of both sides in minor units. */
export type Total = { currency: string; count: number; here: bigint; there: bigint };

export type Reconciliation = {
  range: Range;
  livemode: boolean;
  payments: number;
  lines: number;
  /** Lines that are no payment's, and lines of payments outside of the range. */
  passedOver: { other: number; outOfRange: number };
  lists: Record<ListName, { count: number; totals: Total[] }>;
  /** The differences of a list, read from the disk each time. */
  listDifferences: (list: ListName) => Iterable<Difference>;
};

export type BothSides = {
  /** Pages of this account's payments, already limited to the range. */
  payments: AsyncIterable<readonly Payment[]>;
  lines: AsyncIterable<ReportLine>;
  range: Range;
  livemode: boolean;
  /** The flags by which a printed command reaches the payments, each with a space before it. */
  target: string;
  signal: AbortSignal;
  /** Called with how much of both sides has been read. */
  onProgress: (lines: number, payments: number) => void;
};

const progressEvery = 1_000;
const entriesAtOnce = 10_000;

/**
 * Compares both sides' books, in memory that does not grow with them, and gives `use` the outcome. The bank's side is
 * read first, so that this side, which `use` can act on, is the newer one. Errors: those of both sides.
 */
export async function reconcile<T>(
  sides: BothSides,
  use: (outcome: Reconciliation) => Promise<T>,
): Promise<T> {
  const { range, livemode, target, signal, onProgress } = sides;
  using books = openTemporaryBooks();
  let [lines, other, payments] = [0, 0, 0];
  let last: ReportLine | undefined;
  for await (const line of sides.lines) {
    if (line.type === "other") other++;
    else books.addLine(line);
    if (!isOfSameRow(line, last) && ++lines % progressEvery === 0) onProgress(lines, payments);
    last = line;
  }
  for await (const page of sides.payments) {
    for (const payment of page) books.addPayment(payment);
    payments += page.length;
    onProgress(lines, payments);
  }
  const compared = await compareBooks(books, range, target, signal);
  const passedOver = { other, outOfRange: compared.outOfRange };
  const { lists } = compared;
  const listDifferences = (list: ListName) => books.listDifferences(list);
  return await use({ range, livemode, payments, lines, passedOver, lists, listDifferences });
}

async function compareBooks(
  books: TemporaryBooks,
  range: Range,
  target: string,
  signal: AbortSignal,
): Promise<Pick<Reconciliation, "lists"> & { outOfRange: number }> {
  const totals = createTotals();
  let [outOfRange, entries] = [0, 0];
  let group:
    | { payment: string; own?: OwnPayment; lines: LinesOfPayment; read: number; last?: ReportLine }
    | undefined;
  const record = (difference: Difference) => {
    books.addDifference(difference);
    totals.add(difference);
  };
  const endGroup = () => {
    if (!group) return;
    const { own, lines, read, payment } = group;
    group = undefined;
    if (!own && isOutOfRange(payment, lines, range)) outOfRange += read;
    else comparePayment(own, lines, { target, to: range.to }).forEach(record);
  };
  for (const entry of books.sortEntries()) {
    if (++entries % entriesAtOnce === 0) {
      await setImmediate(); // a signal is seen only between two turns of the event loop
      signal.throwIfAborted();
    }
    if ("line" in entry && entry.payment === "") {
      // These have nothing in common, and may be any number.
      if (isOutside(entry.line.created, range)) outOfRange++;
      else record(describeUnknown("", { ...entry.line, count: 1 }));
      continue;
    }
    if (group?.payment !== entry.payment) endGroup();
    group ??= { payment: entry.payment, lines: {}, read: 0 };
    if ("own" in entry) {
      group.own = entry.own;
    } else {
      countLine(group.lines, entry.line);
      if (!isOfSameRow(entry.line, group.last)) group.read++;
      group.last = entry.line;
    }
  }
  endGroup();
  return { lists: totals.lists, outOfRange };
}

/** Whether two lines of the books are one row of the file: a refunded payment's row is its charge and its refund. */
function isOfSameRow(line: ReportLine, before: ReportLine | undefined): boolean {
  return line.line !== null && line.line === before?.line;
}

const timedId = /^pay_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether a payment that is not among those compared was created outside of the range. Its id says so, whatever day
 * the bank has: a charge of December may be a payment's of November. Only for another id the line's day decides.
 */
function isOutOfRange(payment: string, lines: LinesOfPayment, range: Range): boolean {
  const { charge, refund, dispute, unmoved } = lines;
  const first = charge?.first ?? refund?.first ?? dispute?.first ?? unmoved;
  return isOutside(timedId.test(payment) ? parseCreated(payment) : (first?.created ?? null), range);
}

function isOutside(seconds: number | null, { from, to }: Range): boolean {
  if (seconds === null) return false;
  return (from !== undefined && seconds < from) || (to !== undefined && seconds >= to);
}

/** Counts the differences of each list by currency; currencies are never added together. */
function createTotals() {
  const lists = Object.fromEntries(
    listNames.map((name) => [name, { count: 0, totals: [] as Total[] }]),
  ) as Reconciliation["lists"];
  const find = (list: ListName, currency: string): Total => {
    const { totals } = lists[list];
    const known = totals.find((total) => total.currency === currency);
    if (known) return known;
    const total = { currency, count: 0, here: 0n, there: 0n };
    totals.push(total);
    totals.sort((one, another) => (one.currency < another.currency ? -1 : 1));
    return total;
  };
  return {
    lists,
    add: ({ list, here, there }: Difference): void => {
      lists[list].count++;
      const currencies = new Set([here?.currency, there?.currency].filter((one) => one));
      for (const currency of currencies as Set<string>) {
        const total = find(list, currency);
        total.count++;
        if (here?.currency === currency) total.here += BigInt(here.amount);
        if (there?.currency === currency) total.there += BigInt(there.amount);
      }
    },
  };
}
