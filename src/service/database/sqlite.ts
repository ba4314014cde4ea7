import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { makePrivateFile } from "../../runtime/user-files.ts";
import {
  type Driver,
  type DriverObserver,
  type Job,
  LateWrite,
  type Query,
  type Row,
  type SharedWrite,
  type Transaction,
  type Value,
  define,
  isInTime,
  reserveKeys,
  runSync,
  settle,
  writeGroup,
} from "./driver.ts";
import {
  codes,
  isUnwritable,
  movedFileError,
  primaryCode,
  toUnavailable,
  unusableFileError,
} from "./sqlite-errors.ts";

/** How long a write waits for other processes. */
const busyTimeoutMs = 10_000;
const maxBatch = 256;
/** A write takes less: a payment of the largest request, with its events and its stored response. */
const maxWriteBytes = 512 * 1024;
const tryEveryMs = 1_000;
/** For as long a turn of the event loop, reads that follow on the results of others do not wait for the next one. */
const readTurnMs = 4;

type QueuedJob = Job & { sinceMs: number; shared: SharedWrite<unknown, unknown> | undefined };

/**
 * The SQLite driver: one connection in WAL mode at synchronous=FULL. Writes that arrive while a
 * commit is under way are gathered into the next one (group commit): each resolves only once that
 * commit is on disk, and one that fails is rolled back alone. Other processes may use the same file. With `isDerived`
 * commits do not wait for the disk, nor other processes for them: after an outage of power the last ones may be missing,
 * in their order.
 */
export async function openSqlite(options: {
  file: string;
  isDerived?: boolean;
  observer?: DriverObserver | undefined;
}): Promise<Driver> {
  const db = await open(options);
  const file = watchFile(options.file);
  const statements = new Map<string, ReturnType<typeof prepareCached>>();
  const reads: Job[] = [];
  let isReading = false;
  const queue: QueuedJob[] = [];
  let draining: Promise<void> | undefined;
  /** Since a write was refused that says so of the next ones: when to try one. */
  let tryWriteAtMs: number | undefined;

  function run<T>(work: Transaction<T>): T {
    return runSync(work, rowsOf);
  }

  function rowsOf(query: Query): Row[] {
    let statement = statements.get(query.sql);
    if (!statement) {
      statement = prepareCached(db, query.sql);
      statements.set(query.sql, statement);
    }
    return statement(query);
  }

  /** Begins to read in the next turn of the event loop, so that the requests of one turn share a transaction. */
  function beginReading(): void {
    isReading = true;
    setImmediate(() => readOn(performance.now() + readTurnMs));
  }

  /** Reads what waits, and once its results have been taken, what is read for these. */
  function readOn(untilMs: number): void {
    readAll();
    queueMicrotask(() =>
      process.nextTick(() => {
        if (reads.length === 0) isReading = false;
        else if (performance.now() < untilMs) readOn(untilMs);
        else beginReading();
      }),
    );
  }

  /** Runs the reads that wait in one transaction. */
  function readAll(): void {
    const batch = reads.splice(0);
    try {
      file.assertSameForRead();
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const isShared = batch.length > 1 && tryBegin();
    for (const { work, resolve, reject } of batch) {
      try {
        resolve(run(work()));
      } catch (error) {
        reject(toUnavailable(error));
      }
    }
    if (isShared) rollBack(); // nothing was written
  }

  function tryBegin(): boolean {
    try {
      db.exec("BEGIN");
      return true;
    } catch {
      return false;
    }
  }

  async function drain(): Promise<void> {
    await nextTurn(); // so that the requests of one turn of the event loop share a commit
    while (queue.length > 0) {
      try {
        await retryWhileBusy(() => db.exec("BEGIN IMMEDIATE"));
        await commit(rejectLate(queue.splice(0, maxBatch)));
      } catch (error) {
        refuse(queue.splice(0), error);
      }
      await nextTurn(); // responses go out, and new requests come in
    }
    draining = undefined;
  }

  /**
   * Runs jobs in the open transaction, and resolves them once it is on disk. If a job or the commit fails (a full
   * disk), each job gets its own transaction.
   */
  async function commit(batch: QueuedJob[]): Promise<void> {
    if (batch.length === 0) return rollBack();
    let outcomes: Map<QueuedJob, () => unknown>;
    try {
      outcomes = runAll(batch);
      file.assertSame();
      db.exec("COMMIT");
    } catch (error) {
      rollBack();
      if (batch.length > 1) await commitEach(batch);
      else refuse(batch, error);
      return;
    }
    if (tryWriteAtMs !== undefined) tryWriteAtMs = 0;
    options.observer?.committed?.(batch.length);
    for (const job of batch) settle(job, outcomes.get(job));
  }

  /** Writes of one kind become few statements, which costs less than a generator and statements for each. */
  function runAll(batch: QueuedJob[]): Map<QueuedJob, () => unknown> {
    const group = batch.length > 1 ? listSharing(batch) : [];
    const shared = run(writeGroup(group, false));
    const outcomes = new Map<QueuedJob, () => unknown>(
      group.map((job, at) => [job, shared[at] ?? (() => undefined)]),
    );
    for (const job of batch) {
      if (outcomes.has(job)) continue;
      const value = run(job.work());
      outcomes.set(job, () => value);
    }
    return outcomes;
  }

  function refuse(jobs: QueuedJob[], error: unknown): void {
    if (isUnwritable(error)) tryWriteAtMs ??= 0;
    for (const { reject } of jobs) reject(toUnavailable(error));
  }

  function rollBack(): void {
    try {
      if (db.isTransaction) db.exec("ROLLBACK");
    } catch {
      // The next BEGIN fails, with the reason.
    }
  }

  /** Gives each job a transaction; where one cannot begin, those after it do not wait for the lock as long again. */
  async function commitEach(jobs: QueuedJob[]): Promise<void> {
    for (const [at, job] of jobs.entries()) {
      try {
        await retryWhileBusy(() => db.exec("BEGIN IMMEDIATE"));
      } catch (error) {
        return refuse(jobs.slice(at), error);
      }
      await commit(rejectLate([job]));
    }
  }

  const write: Driver["write"] = (work, _accountId, shared) =>
    new Promise((resolve, reject) => {
      queue.push({
        work: () => work(false),
        resolve: resolve as Job["resolve"],
        reject,
        shared,
        sinceMs: performance.now(),
      });
      draining ??= drain();
    });

  /** A small write may fit where a larger one does not, so a large one is tried, once in a while. */
  async function isWritable(): Promise<boolean> {
    if (tryWriteAtMs !== undefined && performance.now() >= tryWriteAtMs) {
      tryWriteAtMs = performance.now() + tryEveryMs;
      await write(takeRoom).then(
        () => (tryWriteAtMs = undefined),
        () => {},
      );
    }
    return tryWriteAtMs === undefined;
  }

  return {
    maxRows: 1,
    isWritable,
    read: (work) =>
      new Promise((resolve, reject) => {
        reads.push({ work, resolve: resolve as Job["resolve"], reject });
        if (!isReading) beginReading();
      }),
    write,
    close: async () => {
      await draining;
      readAll();
      if (db.isOpen) db.close();
    },
  };
}

type OpenOptions = { file: string; isDerived?: boolean };

async function open({ file, isDerived = false }: OpenOptions) {
  let db: DatabaseSync | undefined;
  try {
    if (file !== ":memory:") makePrivateFile(file);
    const opened = new DatabaseSync(file, { timeout: 50 });
    db = opened;
    await retryWhileBusy(() => opened.exec("PRAGMA journal_mode = WAL"));
    db.exec("PRAGMA journal_size_limit = 67108864");
    // Deleted rows are overwritten: a purged fingerprint must not remain in the file or a backup.
    db.exec(
      isDerived
        ? "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = FAST"
        : "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
    );
    return db;
  } catch (error) {
    db?.close();
    throw unusableFileError(file, error);
  }
}

/** Takes as much room as a write may need. It leaves free pages in the file, which the next writes use. */
function* takeRoom(): Transaction<void> {
  yield* define("CREATE TABLE room (bytes BLOB)");
  yield* define(`INSERT INTO room VALUES (zeroblob(${maxWriteBytes}))`);
  yield* define("DROP TABLE room");
}

type SharedJob = QueuedJob & { shared: SharedWrite<unknown, unknown> };

/** The jobs that may share statements: of those with a key in common the first. */
function listSharing(jobs: QueuedJob[]): SharedJob[] {
  const keys = new Set<string>();
  const isSharing = (job: QueuedJob): job is SharedJob =>
    job.shared !== undefined && reserveKeys(keys, job.shared.keys());
  return jobs.filter(isSharing);
}

/** Rejects the jobs that have waited too long, and returns the others. */
function rejectLate(jobs: QueuedJob[]): QueuedJob[] {
  const late = jobs.filter(({ sinceMs }) => !isInTime(sinceMs));
  for (const { reject } of late) reject(new LateWrite());
  return jobs.filter((job) => !late.includes(job));
}

/** Retries while another process holds the lock; other work has its turn in between. */
async function retryWhileBusy(work: () => void): Promise<void> {
  const deadlineMs = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (primaryCode(error) !== codes.busy || performance.now() > deadlineMs) throw error;
      await delay(1 + Math.random() * 20);
    }
  }
}

/**
 * Prepares a statement for any number of runs. Parameters become `?`, and are bound in the order in which they
 * occur: Node asks for the name of each, which SQLite finds for a numbered one by going through all. SQLite names the
 * order of bytes BINARY. A LIMIT that is a bare parameter is part of SQLite's plan, which it would then prepare again
 * for each run. The names of the columns are read once, so no query may select `*`.
 */
export function prepareCached(
  db: DatabaseSync,
  sql: string,
): (query: Pick<Query, "params" | "isChange">) => Row[] {
  const order: number[] = [];
  const statement = db.prepare(
    sql
      .replaceAll(/LIMIT (\$\d+)/g, "LIMIT CAST($1 AS INTEGER)")
      .replaceAll(/\$(\d+)/g, (_, number: string) => {
        order.push(Number(number) - 1);
        return "?";
      })
      .replaceAll('COLLATE "C"', "COLLATE BINARY"),
  );
  statement.setReturnArrays(true); // Node makes objects of rows slowly
  const names = statement.columns().map(({ name }) => name);
  const isInOrder = order.every((param, at) => param === at);
  return ({ params, isChange }) => {
    const values = isInOrder ? params : order.map((param) => params[param] as Value);
    if (isChange) return [{ changed: Number(statement.run(...values).changes) }];
    const rows = statement.all(...values) as unknown as Value[][];
    return rows.map((row) => rowOf(names, row));
  };
}

function rowOf(names: string[], values: Value[]): Row {
  const row: Row = {};
  for (let at = 0; at < names.length; at++) row[names[at] ?? ""] = values[at] ?? null; // for every row that is read
  return row;
}

/** For how long reads trust that the file is the same: they lose nothing. */
const trustFileMs = 100;

/** Checks that throw once the name of a file belongs to another one, or to none: what is written would be lost. */
function watchFile(file: string) {
  const opened = identify(file);
  let seenMs = Number.NEGATIVE_INFINITY;
  function assertSame(): void {
    if (file === ":memory:") return;
    const found = identify(file);
    const isLost = found !== opened && found !== unclear && opened !== unclear;
    seenMs = isLost ? Number.NEGATIVE_INFINITY : performance.now();
    if (isLost) throw movedFileError(file);
  }
  return {
    assertSame,
    /** The same, at most once in `trustFileMs`. */
    assertSameForRead: (): void => {
      if (performance.now() - seenMs > trustFileMs) assertSame();
    },
  };
}

/** The operating system does not say which file it is, such as where a folder may not be entered any more. */
const unclear = "unclear";

function identify(file: string): string {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev} ${stats.ino}` : "none";
  } catch {
    return unclear;
  }
}
