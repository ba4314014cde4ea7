import { Unavailable } from "../../runtime/failures.ts";

/** What the databases have in common: 64-bit integers that fit a double, and text. */
export type Value = string | number | null;
export type Row = Record<string, Value>;

/**
 * Parameters are written `$1`, `$2` …. `mayTakeLong`: it is no part of
 * answering a request. `isChange`: it has no rows, and is answered with one that says how many it changed.
 */
export type Query = { sql: string; params: Value[]; mayTakeLong?: boolean; isChange?: boolean };

/** A query, and what its rows mean. */
export type Statement<T> = Query & { read: (rows: Row[]) => T };

/** `read` says by its parameter what the statement's columns are. */
export function createStatement<T>(
  sql: string,
  params: Value[],
  read: (rows: never[]) => T,
): Statement<T> {
  return { sql, params, read: read as (rows: Row[]) => T };
}

/** A statement that changes rows, of which only their number counts. */
export function countChanges(sql: string, params: Value[]): Statement<number> {
  return { ...createStatement(sql, params, changedIn), isChange: true };
}

/** A statement of which only counts whether it changed a row. */
export function changeOne(sql: string, params: Value[]): Statement<boolean> {
  return { ...createStatement(sql, params, (rows) => changedIn(rows) > 0), isChange: true };
}

/** A statement of which only counts whether it finds a row. */
export function rowExists(sql: string, params: Value[]): Statement<boolean> {
  return createStatement(sql, params, (rows) => rows.length > 0);
}

function changedIn([row]: { changed: number }[]): number {
  return row?.changed ?? 0;
}

/**
 * Work on a database, written once for every driver: it yields queries and is given their rows.
 * SQLite runs it without a pause, PostgreSQL waits once for all the queries of a step. With the step
 * that says so the transaction is over: what comes after it is read outside.
 */
export type Transaction<T> = Generator<Step, T, Row[][]>;
type Step = { queries: Query[]; isLast: boolean };

/** Asks one thing and waits for the response. */
export function* query<T>(asked: Statement<T>): Transaction<T> {
  const [rows = []] = yield { queries: [asked], isLast: false };
  return asked.read(rows);
}

/** Asks what has no meaning beyond its rows. */
export function* queryRows<R>(sql: string, params: Value[]): Transaction<R[]> {
  return yield* query(createStatement(sql, params, (rows: R[]) => rows));
}

/** Changes the schema, for as long as that takes. */
export function* define(sql: string, params: Value[] = []): Transaction<void> {
  yield { queries: [{ sql, params, mayTakeLong: true }], isLast: false };
}

/** Asks several things in one round trip; each statement sees what those before it did. */
export function* batch<T extends unknown[]>(
  ...asked: { [I in keyof T]: Statement<T[I]> }
): Transaction<T> {
  return answersOf(asked, yield { queries: asked, isLast: false });
}

/** Ends a transaction with these statements, in one round trip, as `together`. */
export function* commit<T extends unknown[]>(
  ...asked: { [I in keyof T]: Statement<T[I]> }
): Transaction<T> {
  return answersOf(asked, yield { queries: asked, isLast: true });
}

/** The same with one statement. */
export function* commitOne<T>(asked: Statement<T>): Transaction<T> {
  return (yield* commit(asked))[0];
}

function answersOf<T extends unknown[]>(
  asked: { [I in keyof T]: Statement<T[I]> },
  answers: Row[][],
): T {
  return asked.map((each, i) => each.read(answers[i] ?? [])) as T;
}

/** Work that somebody waits for. */
export type Job = {
  work: () => Transaction<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** Does work on a database that answers at once. */
export function runSync<T>(work: Transaction<T>, rowsOf: (query: Query) => Row[]): T {
  let step = work.next();
  while (!step.done) step = work.next(step.value.queries.map(rowsOf));
  return step.value;
}

/** Others held a lock for longer than a change of the schema waits for it; nothing was changed. */
export class LockTimeout extends Unavailable {
  override name = "LockTimeout";
}

/** A machine behind the database, with some of its rows, cannot be reached; nothing was changed. */
export class ShardUnavailable extends Unavailable {
  override name = "ShardUnavailable";
}

export type Driver = {
  /** Fails where something on the way to the database would keep the statements from working. */
  check?: () => Promise<void>;
  /**
   * Reads without a transaction: one query is one consistent view. `accountId` says for whom, so that accounts share
   * the ways to a database of which there are few; without it, it is the service's own work.
   */
  read<T>(work: () => Transaction<T>, accountId?: string): Promise<T>;
  /**
   * One transaction, on disk when the promise resolves, rolled back when `work` throws. A driver may
   * run `work` again from its start, so it must not do anything but yield queries. `isRetry`: it may
   * have been done before, because the connection was lost while it was being committed. `accountId` as for `read`.
   */
  write<T>(work: (isRetry: boolean) => Transaction<T>, accountId?: string): Promise<T>;
  /** The connections to the database, where there are several. */
  pool?: () => PoolUse;
  close(): Promise<void>;
};

/** `waiting` is how many reads and writes wait for a connection. */
export type PoolUse = { total: number; idle: number; waiting: number };

/** Told of what a driver does on its own; it must not throw. */
export type DriverObserver = {
  /** A commit is on disk; it held so many writes. */
  committed?: (writes: number) => void;
};
