import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { query, type Driver } from "../../../src/service/store/driver.ts";
import { migrate, readSchema } from "../../../src/service/store/migrate.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { newPostgresDatabase } from "../../testkit/database/new-database.ts";
import { allPages } from "./contract/writes.ts";
import { openPostgresForTest } from "../../testkit/database/open-postgres-for-test.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { writeAsOlder } from "./write-as-older.ts";

const indexes = ["payments_by_bytes", "payments_by_status_and_bytes"];

/** A database in use as the version before left it, without the indexes of ids by their bytes. */
async function withoutIndexes() {
  const database = await newPostgresDatabase("LOCALE 'C'"); // who holds what in another one is no matter
  const { driver } = await openPostgresForTest({}, database);
  const store = await openStore(driver, newAccount());
  for (let count = 0; count < 20; count++) await writeAsOlder(driver);
  for (const sql of [
    ...indexes.map((name) => `DROP INDEX ${name}`),
    "ALTER TABLE hosted_pages DROP COLUMN expiry_leased_until_ms",
    "ALTER TABLE accounts DROP COLUMN name",
    "ALTER TABLE idempotency_records DROP COLUMN held_until_ms",
    "DROP TABLE charges, events, event_beginnings, webhook_endpoints, deliveries",
    "DROP TABLE operators, operator_accounts, invitations, operator_sessions, activity, totals, totals_progress",
    "ALTER TABLE api_keys DROP COLUMN last_used_at",
    "ALTER TABLE payments DROP COLUMN events, DROP COLUMN first_status, DROP COLUMN last_event_id",
    "DELETE FROM schema_migrations WHERE version > 4",
  ])
    await driver.write(() => query(sql, []));
  const another = async () => (await openPostgresForTest({}, database)).driver;
  return { database, driver, store, another };
}

/** Asked on another connection than one with a transaction, for which what is told stands still. */
const making = "SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database()";

const waiting =
  "SELECT pid FROM pg_locks WHERE relation = 'schema_migrations'::regclass AND NOT granted";

async function connected(database: string): Promise<Client> {
  const client = new Client(database);
  await client.connect();
  onTestFinished(async () => client.end());
  return client;
}

async function validIndexes(driver: Driver): Promise<string[]> {
  const rows = await driver.read(() =>
    query<{ name: string }>(
      `SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indrelid = to_regclass('payments') AND indisvalid AND relname LIKE '%bytes' ORDER BY 1`,
      [],
    ),
  );
  return rows.map(({ name }) => name);
}

/** How many were found in a database that nobody else uses; a connection tells the server at the latest when it is closed. */
async function deadlocks(client: Client, drivers: Driver[]): Promise<number> {
  await Promise.all(drivers.map(async (driver) => driver.close()));
  const asked = async (sql: string) => (await client.query<{ count: number }>(sql)).rows[0]?.count;
  const others = `SELECT COUNT(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await expect.poll(async () => asked(others)).toBe(0);
  const found =
    "SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()";
  return (await asked(found)) ?? -1;
}

describe("the indexes of a table that is in use", () => {
  test.each([
    ["writes", ["BEGIN", "UPDATE payments SET amount = amount"]],
    ["reads", ["BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM payments"]],
  ])("are made behind a transaction that %s, and nobody who writes waits", async (_, held) => {
    const { database, driver, store, another } = await withoutIndexes();
    const client = await connected(database);
    for (const sql of held) await client.query(sql);
    let isMigrated = false;
    const migrating = migrate(await another(), newAccount()).then(() => (isMigrated = true));
    await expect.poll(async () => driver.read(() => query(making, []))).toHaveLength(1);
    for (let writes = 0; writes < 20; writes++) await writeAsOlder(driver);
    expect(isMigrated).toBe(false);
    await client.query("COMMIT");
    await migrating;
    expect(await validIndexes(driver)).toEqual(indexes);
    expect(await allPages(store)).toHaveLength(40);
  });

  test("that an attempt left half done are made anew", async () => {
    const { database, driver } = await withoutIndexes();
    const client = await connected(database);
    await client.query("CREATE INDEX payments_by_bytes ON payments (amount)");
    await client.query(
      "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'payments_by_bytes'::regclass",
    );
    await migrate(driver, newAccount());
    expect(await validIndexes(driver)).toEqual(indexes);
    const found = await client.query<{ indexdef: string }>(
      "SELECT indexdef FROM pg_indexes WHERE indexname = 'payments_by_bytes'",
    );
    expect(found.rows[0]?.indexdef).toContain('id COLLATE "C"');
  });

  test("are made once by many that start at once, while others write", async () => {
    const { database, driver, another } = await withoutIndexes();
    const drivers = await Promise.all([1, 2, 3, 4].map(another));
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) await writeAsOlder(driver);
    })();
    const applied = await Promise.all(drivers.map(async (each) => migrate(each, newAccount())));
    over.abort();
    await writing;
    expect(applied.filter((done) => done.length > 0)).toHaveLength(1);
    expect(await validIndexes(driver)).toEqual(indexes);
    expect((await readSchema(driver)).pending).toEqual([]);
    expect(await deadlocks(await connected(database), [driver, ...drivers])).toBe(0);
  });

  test("are there before the schema changes, which two that begin together do one after the other", async () => {
    const { database, driver, another } = await withoutIndexes();
    const migrators = await Promise.all([1, 2].map(another));
    const client = await connected(database);
    await client.query("BEGIN");
    await client.query("LOCK TABLE schema_migrations IN EXCLUSIVE MODE"); // it can be read, not written to
    const migrating = migrators.map(async (each) => migrate(each, newAccount()));
    await expect.poll(async () => driver.read(() => query(waiting, []))).toHaveLength(2);
    await client.query("COMMIT");
    const applied = await Promise.all(migrating);
    expect(applied.filter((done) => done.length > 0)).toHaveLength(1);
    expect(await deadlocks(client, [driver, ...migrators])).toBe(0);
  });

  test("of tables that an earlier version made are made beside its writers, others with their tables", async () => {
    const { driver } = await withoutIndexes();
    const made: string[] = [];
    const noting: Driver = {
      ...driver,
      makeIndex: async (sql) => {
        made.push(/EXISTS (\w+)/.exec(sql)?.[1] ?? "");
        return (await driver.makeIndex?.(sql)) ?? false;
      },
    };
    await migrate(noting, newAccount());
    expect(made).toEqual(indexes);
    for (const sql of [
      "DROP INDEX charges_by_account_and_due",
      "DELETE FROM schema_migrations WHERE version = 12",
    ])
      await driver.write(() => query(sql, []));
    await migrate(noting, newAccount());
    expect(made).toEqual([...indexes, "charges_by_account_and_due"]);
  });
});
