import type { StoredAccount } from "../ports/account-store.ts";
import type { Store } from "../ports/ports.ts";
import { createAccountStore } from "./create-account-store.ts";
import type { Driver } from "./driver.ts";
import { createEventStore } from "./create-event-store.ts";
import { isCurrent, migrate, requireSchema } from "./migrate.ts";
import { createOperatorStore } from "./create-operator-store.ts";
import { createPaymentStore } from "./create-payment-store.ts";
import { createRequestStore } from "./create-request-store.ts";
import { createSearchStore } from "./create-search-store.ts";
import { createTotalsStore } from "./create-totals-store.ts";

/**
 * Opens the store of a driver, and migrates its schema; a new database begins with the account `first`. Without
 * `migrates` only an empty database gets a schema, and an older one is refused.
 */
export async function openStore(
  driver: Driver,
  first: StoredAccount,
  { migrates = true } = {},
): Promise<Store> {
  await (migrates ? migrate : requireSchema)(driver, first);
  return {
    ...createPaymentStore(driver),
    ...createAccountStore(driver),
    ...createEventStore(driver),
    ...createOperatorStore(driver),
    ...createTotalsStore(driver),
    ...createSearchStore(driver),
    ...createRequestStore(driver),
    isCurrent: async () => isCurrent(driver),
    isWritable: async () => (await driver.isWritable?.()) ?? true,
    close: () => driver.close(),
  };
}
