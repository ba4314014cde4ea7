import { openDriver } from "../src/service/database/database.ts";
import { openStore } from "../src/service/server/open-service.ts";
import { newAccount } from "../test/testkit/database/records.ts";

const batchSize = 50_000;

/** Counts all payments of a database's first account, without the pauses that a service makes. */
export async function countAll(database: string): Promise<void> {
  const store = await openStore(await openDriver(database), newAccount());
  const accountId = (await store.listAccounts())[0]?.id ?? "";
  const scope = { accountId, livemode: false };
  while (await store.countTotals(scope, Math.ceil(Date.now() / 1000), batchSize));
  await store.close();
}
