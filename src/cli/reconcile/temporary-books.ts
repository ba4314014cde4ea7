import { DatabaseSync } from "node:sqlite";
import type { PaymentStatus } from "../../contract/payment.ts";
import { CommandError } from "../output/command-error.ts";
import { endAtOnceDuring } from "../output/interruption.ts";
import type { Difference, ListName, OwnPayment } from "./compare-payment.ts";
import type { ReportLine } from "./report-line.ts";

/** An entry of either side's books. */
export type Entry = { own: OwnPayment } | { line: ReportLine };

type Row = {
  payment: string;
  type: string;
  amount: number;
  currency: string;
  created: number | null;
  line: number | null;
  succeeded_at: number | null;
  refunded_at: number | null;
  is_own: 0 | 1;
};

/** Of pages, and as much again for sorting. */
const cacheKiB = 2 * 1024;

/**
 * Both sides' books, in a database of their own: SQLite gives one without a name a file that nobody else can open, and
 * that is gone when the process ends, whatever ends it. Only its cache is in memory.
 */
export function openTemporaryBooks() {
  const db = new DatabaseSync("");
  db.exec(`
    PRAGMA cache_size = -${cacheKiB};
    PRAGMA temp_store = FILE;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE entries (
      payment TEXT NOT NULL, is_own INTEGER NOT NULL, type TEXT NOT NULL, amount INTEGER NOT NULL,
      currency TEXT NOT NULL, created INTEGER, line INTEGER, succeeded_at INTEGER, refunded_at INTEGER
    );
    CREATE TABLE differences (list TEXT NOT NULL, difference TEXT NOT NULL);
    BEGIN;
  `);
  const addEntry = db.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const addDifference = db.prepare("INSERT INTO differences VALUES (?, ?)");
  const entries = db.prepare("SELECT * FROM entries ORDER BY payment, is_own DESC, line");
  const differences = db.prepare(
    "SELECT difference FROM differences WHERE list = ? ORDER BY rowid",
  );
  return {
    addPayment: ({ id, status, amount, currency, succeeded_at, refunded_at }: OwnPayment): void =>
      void useDisk(() =>
        addEntry.run(id, 1, status, amount, currency, null, null, succeeded_at, refunded_at),
      ),
    addLine: ({ payment, type, amount, currency, created, line }: ReportLine): void =>
      void useDisk(() =>
        addEntry.run(payment, 0, type, amount, currency, created, line, null, null),
      ),
    /** Every entry, those of one payment together, its own before the bank's. */
    *sortEntries(): Generator<Entry & { payment: string }> {
      const rows = readRows<Row>(() => entries.iterate());
      let next = endAtOnceDuring(() => rows.next()); // SQLite sorts them all before the first one
      for (; !next.done; next = rows.next()) {
        yield { payment: next.value.payment, ...toEntry(next.value) };
      }
    },
    addDifference: (difference: Difference): void =>
      void useDisk(() => addDifference.run(difference.list, JSON.stringify(difference))),
    /** The differences of a list, by payment. */
    *listDifferences(list: ListName): Generator<Difference> {
      const rows = readRows<{ difference: string }>(() => differences.iterate(list));
      for (const { difference } of rows) yield JSON.parse(difference) as Difference;
    },
    [Symbol.dispose]: (): void => db.close(),
  };
}
export type TemporaryBooks = ReturnType<typeof openTemporaryBooks>;

function toEntry(row: Row): Entry {
  const { payment, type, amount, currency, created, line, succeeded_at, refunded_at } = row;
  if (row.is_own === 0) {
    return {
      line: { payment, type: type as ReportLine["type"], amount, currency, created, line },
    };
  }
  const status = type as PaymentStatus;
  return { own: { id: payment, status, amount, currency, succeeded_at, refunded_at } };
}

/** Reads each row from the disk only when it is asked for. */
function* readRows<T>(select: () => Iterator<unknown>): Generator<T> {
  const rows = useDisk(select);
  for (;;) {
    const { value, done } = useDisk(() => rows.next());
    if (done) return;
    yield value as T;
  }
}

function useDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError(
      "unavailable",
      `The temporary file for both books cannot be used: ${(error as Error).message}.`,
      "It needs about 400 bytes for each payment and line; SQLITE_TMPDIR names another folder for it.",
    );
  }
}

const spoolCacheKiB = 1024;

/**
 * Lets a source that can be read once be read again from its beginning. What was read is kept where SQLite keeps a
 * database without a name: in a file that nobody else can open, and that is gone when the process ends, whatever ends
 * it. Only its cache is in memory.
 */
export function openSpool(source: AsyncIterator<Buffer>) {
  const db = new DatabaseSync("");
  db.exec(`
    PRAGMA cache_size = -${spoolCacheKiB};
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE blocks (number INTEGER PRIMARY KEY, block BLOB NOT NULL);
    BEGIN;
  `);
  const add = db.prepare("INSERT INTO blocks (block) VALUES (?)");
  const blocks = db.prepare("SELECT block FROM blocks ORDER BY number");
  return {
    /** Reads from the beginning. The last time nothing more is kept. */
    async *read({ isLast = false } = {}): AsyncGenerator<Buffer> {
      for (const { block } of readRows<{ block: Uint8Array }>(() => blocks.iterate())) {
        yield Buffer.from(block.buffer, block.byteOffset, block.byteLength);
      }
      for (;;) {
        const { value, done } = await source.next();
        if (done) return;
        if (!isLast) useDisk(() => add.run(value));
        yield value;
      }
    },
    [Symbol.dispose]: (): void => db.close(),
  };
}
export type Spool = ReturnType<typeof openSpool>;
