import type { StoredAccount } from "../use-cases/account-store.ts";
import type { Store } from "../use-cases/ports.ts";
import { accountStore } from "./account-store.ts";
import type { Driver } from "./driver.ts";
import { eventStore } from "./event-store.ts";
import { isCurrent, migrate, requireSchema } from "./migrate.ts";
import { operatorStore } from "./operator-store.ts";
import { paymentStore } from "./payment-store.ts";
import { totalsStore } from "./totals-store.ts";

/**
 * The store over a driver, its schema brought up to date; a new database begins with the account `first`.
 * Without `migrates` only an empty database gets a schema, and one that is older is refused.
 */
export async function openStore(
  driver: Driver,
  first: StoredAccount,
  { migrates = true } = {},
): Promise<Store> {
  await (migrates ? migrate : requireSchema)(driver, first);
  return {
    ...paymentStore(driver),
    ...accountStore(driver),
    ...eventStore(driver),
    ...operatorStore(driver),
    ...totalsStore(driver),
    isCurrent: async () => isCurrent(driver),
    close: () => driver.close(),
  };
}
