import { Unavailable } from "../../runtime/failures.ts";

/** The types that all databases share: 64-bit integers that fit a double, text, and bytes. */
export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

/**
 * Parameters are written `$1`, `$2` …. `mayTakeLong`: no request waits for it. `isChange`: its result is one row with
 * the number of changed rows. `locksRows`: the rows that it finds are locked until the transaction ends, in their order;
 * a database with one writer at a time needs no lock. `lookUp`: it is this text, which ends in the name of a key, and
 * `= $3`; its row has the key as `key`.
 */
export type Query = {
  sql: string;
  params: Value[];
  mayTakeLong?: boolean;
  isChange?: boolean;
  locksRows?: boolean;
  lookUp?: string;
};

/** A query, and the function that reads its rows. */
export type Statement<T> = Query & { read: (rows: Row[]) => T };

/** The parameter of `read` declares the statement's columns. */
export function createStatement<T>(
  sql: string,
  params: Value[],
  read: (rows: never[]) => T,
): Statement<T> {
  return { sql, params, read: read as (rows: Row[]) => T };
}

/** A statement that locks the rows that it finds until the transaction ends, in their order. */
export function lockRows<T>(
  sql: string,
  params: Value[],
  read: (rows: never[]) => T,
): Statement<T> {
  return { ...createStatement(sql, params, read), locksRows: true };
}

/** A statement that finds one row at most. */
export function findRow<T>(sql: string, params: Value[]): Statement<T | undefined> {
  return createStatement(sql, params, ([row]: T[]) => row);
}

/** Makes statements that find a row of a table by the account, the mode and a key. */
export function createLookUp(table: string, key: string, columns: string) {
  const lookUp = `SELECT ${key} AS key, ${columns} FROM ${table} WHERE account_id = $1 AND livemode = $2 AND ${key}`;
  const sql = `${lookUp} = $3`;
  return <T>(
    params: [accountId: string, livemode: number, key: string],
    read: (row: never) => T,
  ): Statement<T> => ({ sql, params, read: ([row]) => read(row as never), lookUp });
}

/** A statement that returns how many rows it changed. */
export function countChanges(sql: string, params: Value[]): Statement<number> {
  return { ...createStatement(sql, params, readChanged), isChange: true };
}

/** A statement that returns whether it changed any row. */
export function changeOne(sql: string, params: Value[]): Statement<boolean> {
  return { ...createStatement(sql, params, (rows) => readChanged(rows) > 0), isChange: true };
}

function readChanged([row]: { changed: number }[]): number {
  return row?.changed ?? 0;
}

/** A statement that returns whether it finds any row. */
export function rowExists(sql: string, params: Value[]): Statement<boolean> {
  return createStatement(sql, params, (rows) => rows.length > 0);
}

/**
 * Work on a database, written once for every driver: it yields queries and gets their rows. SQLite runs it
 * synchronously, PostgreSQL sends all queries of a step in one round trip. The step with `isLast` commits; later
 * steps read outside the transaction.
 */
export type Transaction<T> = Generator<Step, T, Row[][]>;
type Step = { queries: Query[]; isLast: boolean };

/** Sends one statement and waits for its rows. */
export function* query<T>(statement: Statement<T>): Transaction<T> {
  const [rows] = yield { queries: [statement], isLast: false };
  return statement.read(rows ?? []);
}

/** Sends a statement and returns its rows as they are. */
export function* queryRows<R>(sql: string, params: Value[]): Transaction<R[]> {
  return yield* query(createStatement(sql, params, (rows: R[]) => rows));
}

/** Changes the schema, which may take long. */
export function* define(sql: string, params: Value[] = []): Transaction<void> {
  yield { queries: [{ sql, params, mayTakeLong: true }], isLast: false };
}

type Statements<T extends unknown[]> = { [I in keyof T]: Statement<T[I]> };

/** Sends several statements in one round trip; each sees what those before it did. */
export function* batch<T extends unknown[]>(...statements: Statements<T>): Transaction<T> {
  return readResults(statements, yield { queries: statements, isLast: false });
}

/** Sends the last statements of a transaction, and commits it in the same round trip. */
export function* commit<T extends unknown[]>(...statements: Statements<T>): Transaction<T> {
  return readResults(statements, yield { queries: statements, isLast: true });
}

/** The same with one statement. */
export function* commitOne<T>(statement: Statement<T>): Transaction<T> {
  return (yield* commit(statement))[0];
}

function readResults<T extends unknown[]>(statements: Statements<T>, results: Row[][]): T {
  return statements.map((statement, i) => statement.read(results[i] ?? [])) as T;
}

/** Reads by one statement, on behalf of an account. */
export function readOne<T>(
  driver: Pick<Driver, "read">,
  statement: Statement<T>,
  accountId?: string,
): Promise<T> {
  return driver.read(() => query(statement), accountId);
}

/** A transaction of one statement. */
export async function writeOne<T>(
  driver: Driver,
  statement: Statement<T>,
  accountId?: string,
): Promise<T> {
  return await driver.write(() => commitOne(statement), accountId);
}

/** A transaction of statements without results. */
export async function writeAll(driver: Driver, statements: Statement<unknown>[]): Promise<void> {
  await driver.write(() => commit(...statements));
}

/** A queued transaction. */
export type Job = {
  work: () => Transaction<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** Runs a transaction on a synchronous database. */
export function runSync<T>(work: Transaction<T>, rowsOf: (query: Query) => Row[]): T {
  let step: IteratorResult<Step, T> = work.next();
  while (step.done !== true) step = work.next(step.value.queries.map(rowsOf));
  return step.value;
}

/** The hint where a database cannot be reached, and its error does not say what to do. */
export const diagnoseHint =
  "Run payments doctor with the same --database or PAYMENTS_DATABASE: it says what to do.";

/** A change of the schema timed out while another transaction had a lock; nothing was changed. */
export class LockTimeout extends Unavailable {
  override name = "LockTimeout";
}

/**
 * How old a write may be when its transaction begins: what a suspended process wrote later would have an event with an
 * old id, behind newer ones.
 */
const maxWriteAgeMs = 15_000;

/** Whether a write that was made at a time, by `performance.now`, may begin. */
export function isInTime(sinceMs: number): boolean {
  return performance.now() - sinceMs <= maxWriteAgeMs;
}

/** A write that waited too long for its turn: nothing was written. */
export class LateWrite extends Unavailable {
  override name = "LateWrite";

  constructor() {
    super("The database refuses: the write has waited too long for its turn.");
  }
}

/** A machine behind the database, with some of its rows, cannot be reached; nothing was changed. */
export class ShardUnavailable extends Unavailable {
  override name = "ShardUnavailable";
}

/** A write that may share its transaction with others. */
export type SharedWrite<I, T> = {
  /** Makes the item that is written at its first call, once the transaction begins; later calls return the same. */
  item: () => I;
  /** Two writes with a key in common never share statements. */
  keys: () => string[];
  bytes: () => number;
  /**
   * Writes one item or many, and returns the outcome of each, as a function that may throw. Writes with the same
   * function become few statements.
   */
  write: (items: I[], mayBeWritten: boolean) => Transaction<(() => T)[]>;
};

/** Writes an item, together with others where the database gains by it. */
export function writeShared<I, T>(
  driver: Driver,
  shared: SharedWrite<I, T>,
  accountId: string | undefined,
): Promise<T> {
  return driver.write(
    (mayBeWritten) => writeItem(shared, mayBeWritten),
    accountId,
    shared as SharedWrite<unknown, T>,
  );
}

// A function of its own: what a generator written where it is used refers to is kept until the next full collection.
function* writeItem<I, T>(shared: SharedWrite<I, T>, mayBeWritten: boolean): Transaction<T> {
  const [toOutcome] = yield* shared.write([shared.item()], mayBeWritten);
  if (!toOutcome) throw new Error("A write has no outcome.");
  return toOutcome();
}

export type Driver = {
  /** Fails where a pooler on the way to the database would make prepared statements fail. */
  check?: () => Promise<void>;
  /**
   * Reads without a transaction: one query is one consistent view. `accountId` is the account that the read is for,
   * so that accounts share the connections fairly; without it, it is the service's own work.
   */
  read<T>(work: () => Transaction<T>, accountId?: string): Promise<T>;
  /**
   * One transaction, on disk when the promise resolves, rolled back when `work` throws. A driver may run `work` again
   * from its start, so it must not do anything but yield queries. `mayBeWritten`: an earlier attempt may have been
   * committed, because the connection was lost during its commit. `accountId` as for `read`. `shared` is the same write,
   * where it may share its transaction with others.
   */
  write<T>(
    work: (mayBeWritten: boolean) => Transaction<T>,
    accountId?: string,
    shared?: SharedWrite<unknown, T>,
  ): Promise<T>;
  /** Whether a write would be taken, where one has failed for a reason that holds for all; a write is tried for it. */
  isWritable?: () => Promise<boolean>;
  /** How many rows a statement writes at best: a database in this process gains nothing from several. */
  maxRows: number;
  /** The connections to the database, where there are several. */
  pool?: () => PoolUse;
  close(): Promise<void>;
};

/** `waiting` is how many reads and writes wait for a connection. */
export type PoolUse = { total: number; idle: number; waiting: number };

/** Observes a driver; it must not throw. */
export type DriverObserver = {
  /** A commit of this many writes is on disk. */
  committed?: (writes: number) => void;
};

type Running<T> = { work: Transaction<T>; step: ReturnType<Transaction<T>["next"]> };

/**
 * Merges transactions into one, whose steps are the next queries of each; returns their results, each as a function
 * that throws where its transaction did after the commit. The merged transaction commits once each one does.
 */
export function* mergeTransactions<T>(works: Transaction<T>[]): Transaction<(() => T)[]> {
  const results: (() => T)[] = [];
  const all = works.map((work): Running<T> => ({ work, step: work.next() }));
  let isCommitted = false;
  for (;;) {
    const running = all.flatMap(({ step }) => (step.done === true ? [] : [step.value]));
    if (running.length === 0) break;
    const isLast: boolean = !isCommitted && running.every((step) => step.isLast);
    const rows = yield { queries: running.flatMap(({ queries }) => queries), isLast };
    isCommitted ||= isLast;
    for (const [at, each] of all.entries()) {
      if (each.step.done === true) continue;
      const own = rows.splice(0, each.step.value.queries.length);
      try {
        each.step = each.work.next(own);
      } catch (error) {
        if (!isCommitted) throw error;
        results[at] = () => {
          throw error;
        };
        each.step = { done: true, value: undefined as T };
      }
    }
  }
  return all.map(({ step }, at) => results[at] ?? (() => step.value as T));
}

/**
 * One transaction of several writes: those of one kind by few statements, beside those of the others. Returns the
 * outcome of each, as a function that may throw.
 */
export function* writeGroup(
  group: { shared: SharedWrite<unknown, unknown> }[],
  mayBeWritten: boolean,
): Transaction<(() => unknown)[]> {
  const kinds = [...Map.groupBy(group, ({ shared }) => shared.write)];
  const results = yield* mergeTransactions(
    kinds.map(([write, writes]) =>
      write(
        writes.map(({ shared }) => shared.item()),
        mayBeWritten,
      ),
    ),
  );
  const outcomes = new Map(
    kinds.flatMap(([, writes], kind) =>
      writes.map((each, at) => [each, () => results[kind]?.()[at]?.()] as const),
    ),
  );
  return group.map((each) => outcomes.get(each) ?? (() => undefined));
}

/** Reserves the keys of a write in a group; false where a write before it has one of them. */
export function reserveKeys(reserved: Set<string>, keys: string[]): boolean {
  const areFree = !keys.some((key) => reserved.has(key));
  for (const key of keys) reserved.add(key);
  return areFree;
}

/** Gives a write of a group its outcome. */
export function settle({ resolve, reject }: Omit<Job, "work">, outcome?: () => unknown): void {
  try {
    resolve(outcome?.());
  } catch (error) {
    reject(error);
  }
}
