import { type Driver, type Statement, createStatement, readOne, writeOne } from "./driver.ts";
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
