import type { NextAccounts } from "../ports/event-store.ts";
import { commitOne, ShardUnavailable, query, type Driver, type Statement } from "./driver.ts";
import { selectAccounts, selectNextAccounts } from "./sql/accounts-sql.ts";
import { accountsAtOnce } from "./sql/scope-sql.ts";

/** How what is due is asked for: of one account where it is given, else of all. */
type Takings<T> = {
  isAny: () => Statement<boolean>;
  take: (accountId?: string) => Statement<T[]>;
  limit: number;
};

/**
 * Takes what is due. All accounts are asked together; where a machine behind the database is lost, each
 * on its own, so that the others need not wait for those that it holds.
 */
export async function leaseDueOf<T>(driver: Driver, takings: Takings<T>): Promise<T[]> {
  const take = async (accountId?: string) => driver.write(() => commitOne(takings.take(accountId)));
  const takeAny = async () => ((await driver.read(() => query(takings.isAny()))) ? take() : []);
  try {
    return await takeAny();
  } catch (error) {
    if (!(error instanceof ShardUnavailable)) throw error;
  }
  const accounts = await driver.read(() => query(selectAccounts()));
  // It begins at any account, so that those at the end have their turn however much there is before them.
  const first = Math.floor(Math.random() * accounts.length);
  const all: T[] = [];
  for (const { id } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
    if (all.length >= takings.limit) break;
    all.push(...(await unlessShardUnavailable(take(id), [])));
  }
  return all;
}

/**
 * What there is of the accounts after one, as many as are looked at together: so no look takes long, however many
 * there are. Where a machine is lost, each of them is asked on its own.
 */
export async function ofNextAccounts<T>(
  driver: Driver,
  after: string,
  find: (accountIds: readonly string[]) => Promise<T[]>,
): Promise<NextAccounts<T>> {
  const ids = await driver.read(() => query(selectNextAccounts(after)));
  if (ids.length === 0) return { found: [], next: undefined };
  const next = ids.length < accountsAtOnce ? undefined : ids.at(-1);
  try {
    return { found: await find(ids), next };
  } catch (error) {
    if (!(error instanceof ShardUnavailable)) throw error;
  }
  const found: T[] = [];
  for (const id of ids) found.push(...(await unlessShardUnavailable(find([id]), [])));
  return { found, next };
}

/** What a piece of work gives; `otherwise` where it would need a machine that is lost. */
export async function unlessShardUnavailable<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ShardUnavailable) return otherwise;
    throw error;
  }
}
