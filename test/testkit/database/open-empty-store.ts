import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished, type TestContext } from "vitest";
import { queryRows, type Driver, type Transaction } from "../../../src/service/database/driver.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { openStore } from "../../../src/service/server/open-store.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { newDatabase } from "./new-database.ts";
import { newAccount } from "./new-account.ts";
import { addParameters } from "./add-parameters.ts";

type EmptyStore = { store: Store; driver: Driver; database: string; giveBack: () => Promise<void> };

type EmptyDatabase = {
  database: string;
  /** Opens a driver that stands for another process. It stays open for the tests that follow. */
  openAnother: () => Promise<Driver>;
  giveBack: () => Promise<void>;
};

/** A database and its drivers, which stay open, since opening and migrating costs more than most tests. */
type Opened = { database: string; store: Store; drivers: [Driver, ...Driver[]] };

const emptied = new Map<string, Opened[]>();

/** Opens a store with nothing in it but an account, for a test that gives it back. */
export async function openEmptyStore(): Promise<EmptyStore> {
  const { opened, giveBack } = await take("one driver", newDatabase);
  const { database, drivers } = opened;
  const store = { ...opened.store, close: async () => {} }; // a copy, because a test may replace methods
  return { store, driver: drivers[0], database, giveBack };
}

/**
 * Opens a database with nothing in it but an account, for a test that gives it back; on PostgreSQL with parameters of
 * each connection.
 */
export async function openEmptyDatabase(
  parameters: Record<string, string> = {},
): Promise<EmptyDatabase> {
  const { opened, giveBack } = await take(JSON.stringify(parameters), async () => {
    const folder = mkdtempSync(join(inject("temporaryFolder"), "database-"));
    const database = await newDatabase(join(folder, "payments.db"));
    return database.startsWith("sqlite:") ? database : addParameters(database, parameters);
  });
  let count = 0;
  return {
    database: opened.database,
    openAnother: async () => {
      const driver = (opened.drivers[count++] ??= await openDriver(opened.database));
      return { ...driver, close: async () => {} };
    },
    giveBack,
  };
}

/** The URL of such a database, which is given back when the test has ended. A concurrent test passes its context. */
export async function takeEmptyDatabase(
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<string> {
  const { database, giveBack } = await openEmptyDatabase();
  context.onTestFinished(giveBack);
  return database;
}

async function take(kind: string, create: () => Promise<string>) {
  const opened = emptied.get(kind)?.pop() ?? (await openNew(await create()));
  const giveBack = async () => {
    await opened.drivers[0].write(() => deleteRows());
    await opened.store.insertAccount(newAccount());
    emptied.set(kind, [...(emptied.get(kind) ?? []), opened]);
  };
  return { opened, giveBack };
}

async function openNew(database: string): Promise<Opened> {
  const driver = await openDriver(database);
  return { database, drivers: [driver], store: await openStore(driver, newAccount()) };
}

function* deleteRows(): Transaction<void> {
  if (inject("postgresUrl")) {
    yield* queryRows(
      `DO $$ DECLARE name TEXT; BEGIN
        FOR name IN SELECT tablename FROM pg_tables
          WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'
        LOOP EXECUTE 'DELETE FROM ' || name; END LOOP; END $$`,
      [],
    );
    return;
  }
  const tables = yield* queryRows<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations'",
    [],
  );
  for (const { name } of tables) yield* queryRows(`DELETE FROM ${name}`, []);
}
