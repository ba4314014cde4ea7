import { toTokenPrefix } from "./hosted-page-state.ts";
import type { FoundPage } from "./payment-types.ts";
import { ShardUnavailable, query, type Driver } from "../database/driver.ts";
import { selectAccounts } from "../accounts/accounts-store.ts";
import { selectByToken } from "./hosted-pages-sql.ts";

/**
 * Finds the page with a token among the pages of all accounts. Where a shard of the database is unavailable, only the
 * accounts that the token may belong to are searched, so that pages on other shards still open.
 */
export async function findPage(driver: Driver, token: string): Promise<FoundPage | undefined> {
  try {
    return await driver.read(() => query(selectByToken(token)));
  } catch (error) {
    if (!(error instanceof ShardUnavailable)) throw error;
    const accounts = await driver.read(() => query(selectAccounts()));
    for (const { id } of accounts.filter((each) => token.startsWith(toTokenPrefix(each.id)))) {
      const found = await driver.read(() => query(selectByToken(token, id)));
      if (found) return found;
    }
    throw error; // the page may be on the unavailable shard
  }
}
