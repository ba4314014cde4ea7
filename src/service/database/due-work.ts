import {
  type Driver,
  type Statement,
  type Value,
  createStatement,
  readOne,
  writeOne,
} from "./driver.ts";
import { accountsAtOnce } from "./scope.ts";

/** Leases due work of all accounts together, once a read has found that there is any. */
export async function leaseDue<T>(
  driver: Driver,
  isAny: Statement<boolean>,
  lease: Statement<T[]>,
): Promise<T[]> {
  return (await readOne(driver, isAny)) ? await writeOne(driver, lease) : [];
}

/** Searches the next `accountsAtOnce` accounts after one together, so that each search is short. */
export async function findOfNextAccounts<T>(
  driver: Driver,
  after: string,
  find: (accountIds: readonly string[]) => Promise<T[]>,
): Promise<NextAccounts<T>> {
  const ids = await readOne(driver, selectNextAccounts(after));
  if (ids.length === 0) return { found: [], next: undefined };
  const next = ids.length < accountsAtOnce ? undefined : ids.at(-1);
  return { found: await find(ids), next };
}

/** A search of some accounts, in the order of their ids; `next` is the last of these where there are more. */
export type NextAccounts<T> = { found: T[]; next: string | undefined };

/** Up to `limit` rows that are due at `nowMs` are leased until `untilMs`. */
export type Due = { nowMs: number; untilMs: number; limit: number };

/** The next ids after one, in their order: at most `accountsAtOnce`. */
function selectNextAccounts(after: string): Statement<string[]> {
  return createStatement(
    `SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT ${accountsAtOnce}`,
    [after],
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  );
}

/** Counts end here, so that they cost little however much is due. */
export const maxCounted = 10_000;

/**
 * The condition that a row is among the first that meet `where`, which an index finds. The limit is no parameter,
 * because PostgreSQL estimates a LIMIT that is one as a tenth of all rows.
 */
export function isAmongFirst(
  table: string,
  { key, where, orderBy, limit }: { key: string; where: string; orderBy: string; limit: number },
): string {
  return `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit})`;
}

/**
 * A table of work on payments that is due at the time in the column `due`; a lease moves the time in the column
 * `lease`.
 */
type DueTable = { table: string; due: string; lease: string; columns: string };

/** A condition that a row has to meet as well; its parameters begin with $3. */
type Condition = { sql: string; params: Value[] };

/**
 * Leases due rows, of one account or of all, the oldest first, and returns them as they were, with their payments. `+
 * 0` keeps the planner from using the first condition, which a row must still meet, as a range of an index. `read`
 * gets the account, the mode, the columns and the payment.
 */
export function leaseRows<T>(
  { table, due, lease, columns }: DueTable,
  { nowMs, untilMs, limit }: Due,
  accountId: string | undefined,
  read: (row: never) => T,
  { sql, params }: Condition = { sql: "", params: [] },
): Statement<T[]> {
  const owner = accountId === undefined ? `${table}.account_id` : `$${3 + params.length}`;
  const condition = accountId === undefined ? sql : `${sql} AND account_id = ${owner}`;
  const isNext = isAmongFirst(table, {
    key: "account_id, livemode, payment_id",
    where: `${due} <= $1 ${condition}`,
    orderBy: due,
    limit,
  });
  return createStatement(
    `UPDATE ${table} SET ${lease} = $2 WHERE ${due} + 0 <= $1 ${condition} AND ${isNext}
     RETURNING account_id, livemode, ${columns},
     (SELECT payment FROM payments paid WHERE paid.account_id = ${owner}
      AND paid.livemode = ${table}.livemode AND paid.id = ${table}.payment_id) AS payment`,
    [nowMs, untilMs, ...params, ...(accountId === undefined ? [] : [accountId])],
    (rows) => rows.map(read),
  );
}

// Each purge deletes all expired rows, or stops when `signal` is aborted.

/** Few enough for one write that other writers do not wait long. */
export const batchSize = 500;

export async function repeatWhileFull(
  purge: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let sum = 0; ;) {
    if (signal?.aborted) return sum;
    const count = await purge();
    sum += count;
    if (count < batchSize) return sum;
  }
}

const maxRounds = 100;

/** Runs until a run finds nothing to do, the signal is aborted, or `maxRounds` is reached. */
export async function runUntilIdle(
  run: () => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    if ((await run()) === 0 || signal?.aborted) return;
  }
}
