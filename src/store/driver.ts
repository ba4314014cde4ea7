/** What the databases have in common: 64-bit integers that fit a double, and text. */
export type Value = string | number | null;
export type Row = Record<string, Value>;
export type Query = { sql: string; params: Value[] };

/**
 * Work on a database, written once for every driver: it yields queries and is given their rows.
 * SQLite runs it without a pause, PostgreSQL waits at each query.
 */
export type Work<T> = Generator<Query, T, Row[]>;

/** Parameters are written `$1`, `$2` …; `R` is what the statement's columns are. */
export function* query<R>(sql: string, params: Value[]): Work<R[]> {
  return (yield { sql, params }) as R[];
}

export type Driver = {
  /** Reads without a transaction: one query is one consistent view. */
  read<T>(work: () => Work<T>): Promise<T>;
  /**
   * One transaction, on disk when the promise resolves, rolled back when `work` throws. A driver may
   * run `work` again from its start, so it must not do anything but yield queries.
   */
  write<T>(work: () => Work<T>): Promise<T>;
  /** The connections to the database, where there are several. */
  pool?: () => PoolUse;
  close(): Promise<void>;
};

/** `waiting` is how many reads and writes wait for a connection. */
type PoolUse = { total: number; idle: number; waiting: number };

/** Told of what a driver does on its own; it must not throw. */
export type DriverObserver = {
  /** A commit is on disk; it held so many writes. */
  committed?: (writes: number) => void;
};
