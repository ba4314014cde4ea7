import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { query, type Driver } from "../../../src/service/store/driver.ts";
import { migrate, readSchema } from "../../../src/service/store/migrate.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { openPostgresForTest } from "../../testkit/database/open-postgres-for-test.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { writeAsOlder } from "./write-as-older.ts";

const tablesIn = async (driver: Driver) =>
  await driver.read(() =>
    query("SELECT tablename FROM pg_tables WHERE schemaname = CURRENT_SCHEMA", []),
  );

/** As a version before wrote it, that knows nothing of what is new. */
const storeResponse = `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms)
  VALUES ('acct_1', 0, $1, 'f', 201, '', 1)`;

describe("the schema on PostgreSQL", () => {
  test("is looked at without leaving a trace", async () => {
    const { driver } = await openPostgresForTest();
    const { databaseVersion, programVersion, pending } = await readSchema(driver);
    expect([databaseVersion, pending.length]).toEqual([0, programVersion]);
    expect(await tablesIn(driver)).toEqual([]);
  });

  test("is made once by many that start at once, each of which says what it did", async () => {
    const { driver, database } = await openPostgresForTest();
    const others = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => (await openPostgresForTest({}, database)).driver),
    );
    const applied = await Promise.all(
      [driver, ...others].map(async (each) => migrate(each, newAccount())),
    );
    const { programVersion } = await readSchema(driver);
    expect(applied.filter((done) => done.length > 0)).toHaveLength(1);
    const rows = await driver.read(() =>
      query("SELECT version FROM schema_migrations ORDER BY version", []),
    );
    expect(rows).toHaveLength(programVersion);
  });

  test("is changed behind a lock that is held, and nobody who writes waits for long", async () => {
    const { driver, database } = await openPostgresForTest();
    await openStore(driver, newAccount());
    for (const sql of [
      "ALTER TABLE schema_migrations DROP COLUMN oldest_program",
      "ALTER TABLE hosted_pages DROP COLUMN expiry_leased_until_ms",
      "ALTER TABLE accounts DROP COLUMN name",
      "ALTER TABLE idempotency_records DROP COLUMN held_until_ms",
      "DROP TABLE charges, events, event_beginnings, webhook_endpoints, deliveries",
      "DROP TABLE operators, operator_accounts, invitations, operator_sessions, activity, totals, totals_progress",
      "ALTER TABLE api_keys DROP COLUMN last_used_at",
      "ALTER TABLE payments DROP COLUMN events, DROP COLUMN first_status, DROP COLUMN last_event_id",
      "DELETE FROM schema_migrations WHERE version > 3",
    ])
      await driver.write(() => query(sql, []));
    const { driver: reader } = await openPostgresForTest({}, database);
    const { driver: migrator } = await openPostgresForTest({}, database);
    const client = new Client(database);
    await client.connect();
    await client.query("BEGIN");
    await client.query("SELECT * FROM schema_migrations"); // as a long report would, or a dump
    let isMigrated = false;
    const migrating = migrate(migrator, newAccount()).then(() => (isMigrated = true));
    for (let writes = 0; writes < 20; writes++) {
      await writeAsOlder(driver);
      await driver.write(() => query(storeResponse, [`k${writes}`]));
    }
    expect(isMigrated).toBe(false);
    await client.query("COMMIT");
    await client.end();
    await migrating;
    expect((await readSchema(reader)).pending).toEqual([]);
  });

  test("needs no right to change it where nothing is to be done", async () => {
    const { driver, database } = await openPostgresForTest();
    await migrate(driver, newAccount());
    const readOnly = { options: "-c default_transaction_read_only=on" };
    const { driver: reader } = await openPostgresForTest(readOnly, database);
    expect(await migrate(reader, newAccount())).toEqual([]);
  });

  test("that is newer than the program is refused, and left as it is", async () => {
    const { driver } = await openPostgresForTest();
    await migrate(driver, newAccount());
    await driver.write(() =>
      query("INSERT INTO schema_migrations VALUES (999, '999-later', 999)", []),
    );
    await expect(migrate(driver, newAccount())).rejects.toThrow("schema version 999");
  });

  test("of a database that cannot be reached is not taken for an empty one", async () => {
    const { driver } = await openPostgresForTest({}, "postgres://nobody@127.0.0.1:1/nowhere");
    await expect(migrate(driver, newAccount())).rejects.toThrow("cannot be reached");
  });
});
