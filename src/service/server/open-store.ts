import { createIdempotencyStore } from "../idempotency/idempotency-store.ts";
import { insertAccount } from "../accounts/accounts-sql.ts";
import type { StoredAccount } from "../accounts/account-types.ts";
import type { Store } from "../service.ts";
import { createAccountStore } from "../accounts/accounts-store.ts";
import type { Driver } from "../database/driver.ts";
import { createEventStore } from "../webhooks/webhooks-store.ts";
import { isCurrent, migrate, requireSchema } from "../database/migrate.ts";
import { createOperatorStore } from "../accounts/operators-store.ts";
import { createPaymentStore } from "../payments/payments-store.ts";
import { createRequestStore } from "../requests/requests-store.ts";
import { createSearchStore } from "../search/search-store.ts";
import { createTotalsStore } from "../reports/totals-store.ts";

/**
 * Opens the store of a driver, and migrates its schema; a new database begins with the account `first`. Without
 * `migrates` only an empty database gets a schema, and an older one is refused.
 */
export async function openStore(
  driver: Driver,
  first: StoredAccount,
  { migrates = true } = {},
): Promise<Store> {
  await (migrates ? migrate : requireSchema)(driver, insertAccount(first));
  return {
    ...createPaymentStore(driver),
    ...createIdempotencyStore(driver),
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
