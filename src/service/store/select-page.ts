import { toTokenPrefix } from "../domain/hosted-page.ts";
import type { FoundPage } from "../ports/payment-store.ts";
import { ShardUnavailable, query, type Driver } from "./driver.ts";
import { selectAccounts } from "./sql/accounts-sql.ts";
import { selectByToken } from "./sql/hosted-pages-sql.ts";

/**
 * Finds the page with a token. The pages of all accounts are searched together; where a machine behind the database
 * is lost, those of the accounts that the token may belong to, so that the pages of the others still open.
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
    throw error; // it may be one of those that are lost
  }
}
