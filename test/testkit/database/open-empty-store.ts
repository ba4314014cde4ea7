import { inject } from "vitest";
import { queryRows, type Driver } from "../../../src/service/store/driver.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { newDatabase } from "./new-database.ts";
import { newAccount } from "./new-account.ts";

type Opened = { store: Store; driver: Driver; database: string };

const emptied: Opened[] = [];

/**
 * Opens a store with nothing in it but an account, for a test that gives it back. Since a new schema takes PostgreSQL
 * a tenth of a second, it is there the emptied store of an earlier test.
 */
export async function openEmptyStore(): Promise<{
  store: Store;
  driver: Driver;
  database: string;
  giveBack: () => Promise<void>;
}> {
  const opened = emptied.pop() ?? (await openNew());
  const { database, driver } = opened;
  const store = { ...opened.store }; // a copy, because a test may replace methods
  if (inject("postgresUrl") === undefined)
    return { store, driver, database, giveBack: async () => store.close() };
  return {
    store,
    driver,
    database,
    giveBack: async () => {
      await empty(opened.driver);
      await opened.store.insertAccount(newAccount());
      emptied.push(opened);
    },
  };
}

async function openNew(): Promise<Opened> {
  const database = await newDatabase();
  const driver = await openDriver(database);
  return { driver, database, store: await openStore(driver, newAccount()) };
}

async function empty(driver: Driver): Promise<void> {
  await driver.write(function* () {
    const tables = yield* queryRows<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'",
      [],
    );
    for (const { tablename } of tables) yield* queryRows(`DELETE FROM ${tablename}`, []);
  });
}
