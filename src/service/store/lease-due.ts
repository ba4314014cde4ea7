import type { NextAccounts } from "../ports/event-store.ts";
import { readOne, writeOne, type Driver, type Statement } from "./driver.ts";
import { selectNextAccounts } from "./sql/accounts-sql.ts";
import { accountsAtOnce } from "./sql/scope-sql.ts";

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
