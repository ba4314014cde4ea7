import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { type TestContext, inject, onTestFinished } from "vitest";
import { openDriver } from "../../../src/service/database/database.ts";
import { type Driver, type Transaction, queryRows } from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { createTemporaryHome, temporaryFile } from "../temporary.ts";
import { newAccount } from "./records.ts";

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

/**
 * Creates an empty database of the kind that this run tests: a schema on PostgreSQL, or a SQLite database in `file`.
 */
export async function newDatabase(file = ":memory:"): Promise<string> {
  const server = inject("postgresUrl");
  return server === undefined ? `sqlite:${file}` : await newSchema(server);
}

/** Creates a schema on a PostgreSQL; returns the URL that selects it. */
export async function newSchema(server: string): Promise<string> {
  const schema = `test_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}`);
  await client.end();
  return `${server}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** Creates a PostgreSQL database with a locale such as `LOCALE 'C'`. */
export async function newPostgresDatabase(locale: string): Promise<string> {
  const server = inject("postgresUrl") ?? "";
  const name = `test_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${locale}`);
  await client.end();
  return server.replace(/\/postgres$/, `/${name}`);
}

/** A locale that sorts by the rules of a language. */
export function formatIcuLocale(language: string): string {
  return `LOCALE_PROVIDER icu ICU_LOCALE '${language}' LOCALE 'C.UTF-8'`;
}

/** A database; each store that opens it stands for another process. */
type TestDatabase = { open: () => Promise<Store> };

/** Opens an empty database for any number of stores; it is given back when the test has ended. */
export type OpenStores = () => Promise<TestDatabase>;

/**
 * Opens a driver on a new database, or on `database`; closed when the test has ended. A concurrent test passes its
 * context.
 */
export async function openPostgresForTest(
  parameters: Record<string, string> = {},
  database?: string,
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<{ driver: Driver; database: string }> {
  const url = database ?? (await newDatabase());
  const driver = openPostgres(addParameters(url, parameters));
  context.onTestFinished(async () => driver.close());
  return { driver, database: url };
}

/**
 * Opens a store on a database file, and its driver; closed when the test has ended. `maxPages` limits the file's size,
 * as a full disk would.
 */
export async function openFile({
  file = temporaryFile(),
  maxPages,
}: { file?: string; maxPages?: number } = {}): Promise<{
  file: string;
  driver: Driver;
  store: Store;
}> {
  const driver = await openSqlite({ file });
  if (maxPages) await driver.read(() => queryRows(`PRAGMA max_page_count = ${maxPages}`, []));
  onTestFinished(async () => driver.close());
  return { file, driver, store: await openStore(driver, newAccount()) };
}

/**
 * Makes SQLite refuse every new payment as on a full disk: it reports the same error where a table has no row id
 * left.
 */
export function fillDisk(database: string): void {
  const db = new DatabaseSync(database.slice("sqlite:".length));
  db.exec(`
    CREATE TABLE disk (id INTEGER PRIMARY KEY AUTOINCREMENT, used INTEGER);
    INSERT INTO disk VALUES (9223372036854775807, 0);
    CREATE TRIGGER full BEFORE INSERT ON payments BEGIN INSERT INTO disk (used) VALUES (1); END;
  `);
  db.close();
}

/** Adds parameters to a database's URL; `options` is appended to the present value. */
export function addParameters(url: string, parameters: Record<string, string>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    const before = name === "options" ? `${address.searchParams.get(name) ?? ""} ` : "";
    address.searchParams.set(name, before + value);
  }
  return address.href;
}

const schemas = new Map<string, number>();

/**
 * The environment that selects the database of a home: empty on SQLite, whose file is in the home; on PostgreSQL one
 * of the prepared schemas, the same for the same home.
 */
export function databaseOfHome(home: string): { PAYMENTS_DATABASE?: string } {
  const server = inject("postgresUrl");
  if (server === undefined) return {};
  const schema = schemas.get(home) ?? reserveSchema();
  schemas.set(home, schema);
  const options = encodeURIComponent(`-c search_path=home_${schema}`);
  return { PAYMENTS_DATABASE: `${server}?options=${options}` };
}

const migrations = new Map<string, Promise<unknown>>();

/** Migrates the database of a home on PostgreSQL, since most commands do not migrate a named database. */
export async function beginNamedDatabase(home: string): Promise<void> {
  if (databaseOfHome(home).PAYMENTS_DATABASE !== undefined) await beginDatabase(home);
}

/** Begins the database of a home, on which the operator's commands act: they begin none. */
export async function beginDatabase(home: string): Promise<void> {
  const { PAYMENTS_DATABASE: database = `sqlite:${join(home, "payments.db")}` } =
    databaseOfHome(home);
  const migration = migrations.get(database) ?? migrateDatabase(database);
  migrations.set(database, migration);
  await migration;
}

/** Creates a home with a database. */
export async function createHomeWithDatabase(): Promise<string> {
  const home = createTemporaryHome();
  await beginDatabase(home);
  return home;
}

/** Reserves a schema that no test uses, in this process or another one. */
function reserveSchema(): number {
  const { folder, count } = inject("homeSchemas");
  const first = Math.floor(Math.random() * count);
  for (let attempts = 0; attempts < count; attempts++) {
    const schema = (first + attempts) % count;
    try {
      closeSync(openSync(join(folder, `${schema}`), "wx"));
      return schema;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new Error(`All ${count} schemas are in use: postgres-for-all.ts makes them.`);
}
