import type { NextAccounts } from "../ports/event-store.ts";
import { readOne, ShardUnavailable, writeOne, type Driver, type Statement } from "./driver.ts";
import { selectAccounts, selectNextAccounts } from "./sql/accounts-sql.ts";
import { accountsAtOnce } from "./sql/scope-sql.ts";

/** How due work is leased: of one account where its id is given, else of all. */
type Leasing<T> = {
  isAny: () => Statement<boolean>;
  lease: (accountId?: string) => Statement<T[]>;
  limit: number;
};

/**
 * Leases due work, of all accounts together. Where a shard of the database is unavailable, each account is leased by
 * itself, so that those on other shards need not wait.
 */
export async function leaseDue<T>(
  driver: Driver,
  { isAny, lease, limit }: Leasing<T>,
): Promise<T[]> {
  const leaseAny = async () =>
    (await readOne(driver, isAny())) ? await writeOne(driver, lease()) : [];
  const leased = await unlessShardUnavailable(leaseAny(), undefined);
  if (leased) return leased;
  const accounts = await readOne(driver, selectAccounts());
  // Begins at a random account, so that every account has its turn.
  const first = Math.floor(Math.random() * accounts.length);
  const all: T[] = [];
  for (const { id } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
    if (all.length >= limit) break;
    all.push(...(await unlessShardUnavailable(writeOne(driver, lease(id)), [])));
  }
  return all;
}

/**
 * Searches the next `accountsAtOnce` accounts after one together, so that each search is short. Where a shard is
 * unavailable, each account is searched by itself.
 */
export async function findOfNextAccounts<T>(
  driver: Driver,
  after: string,
  find: (accountIds: readonly string[]) => Promise<T[]>,
): Promise<NextAccounts<T>> {
  const ids = await readOne(driver, selectNextAccounts(after));
  if (ids.length === 0) return { found: [], next: undefined };
  const next = ids.length < accountsAtOnce ? undefined : ids.at(-1);
  const foundTogether = await unlessShardUnavailable(find(ids), undefined);
  if (foundTogether) return { found: foundTogether, next };
  const found: T[] = [];
  for (const id of ids) found.push(...(await unlessShardUnavailable(find([id]), [])));
  return { found, next };
}

/** The result of work, or `otherwise` where it needs a shard that is unavailable. */
export async function unlessShardUnavailable<T, E>(work: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ShardUnavailable) return otherwise;
    throw error;
  }
}
