import type { StoredAccount } from "../ports/account-store.ts";
import type { Store } from "../ports/ports.ts";
import { accountStore } from "./create-account-store.ts";
import type { Driver } from "./driver.ts";
import { eventStore } from "./create-event-store.ts";
import { isCurrent, migrate, requireSchema } from "./migrate.ts";
import { operatorStore } from "./create-operator-store.ts";
import { paymentStore } from "./create-payment-store.ts";
import { totalsStore } from "./create-totals-store.ts";

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
