import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import {
  createMigration,
  migrate,
  readMigrations,
  readSchema,
} from "../../../src/service/database/migrate.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { openPostgresForTest } from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { atMs, writeOf } from "./contract/writes.ts";

const tablesIn = async (driver: Driver) =>
  await driver.read(() =>
    queryRows("SELECT tablename FROM pg_tables WHERE schemaname = CURRENT_SCHEMA", []),
  );

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
      [driver, ...others].map(async (each) => migrate(each, insertAccount(newAccount()))),
    );
    const { programVersion } = await readSchema(driver);
    expect(applied.filter((done) => done.length > 0)).toHaveLength(1);
    const rows = await driver.read(() =>
      queryRows("SELECT version FROM schema_migrations ORDER BY version", []),
    );
    expect(rows).toHaveLength(programVersion);
  });

  test("waits for a lock, and no write waits long behind it", async () => {
    const { driver, database } = await openPostgresForTest();
    const store = await openStore(driver, newAccount());
    const { driver: migrator } = await openPostgresForTest({}, database);
    const client = new Client(database);
    await client.connect();
    await client.query("BEGIN; SELECT * FROM payments"); // as a long report would, or a dump
    const text = "-- oldest program: 1\nALTER TABLE payments ADD COLUMN note TEXT;\n";
    const later = [
      ...readMigrations(),
      createMigration(`0${readMigrations().length + 1}-notes`, text),
    ];
    let isMigrated = false;
    const migrating = migrate(migrator, insertAccount(newAccount()), later).then(
      () => (isMigrated = true),
    );
    for (let writes = 0; writes < 20; writes++)
      await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
    expect(isMigrated).toBe(false);
    await client.query("COMMIT");
    await client.end();
    await migrating;
    expect((await readSchema(driver, later)).pending).toEqual([]);
  });

  test("of before the first release is refused: by a record without checksums, or none", async () => {
    for (const damage of [
      "ALTER TABLE schema_migrations DROP COLUMN checksum",
      "DROP TABLE schema_migrations",
    ]) {
      const { driver } = await openPostgresForTest();
      await migrate(driver, insertAccount(newAccount()));
      await driver.write(() => queryRows(damage, []));
      await expect(migrate(driver, insertAccount(newAccount()))).rejects.toThrow(
        "before its first release",
      );
    }
  });

  test("needs no right to change it where nothing is to be done", async () => {
    const { driver, database } = await openPostgresForTest();
    await migrate(driver, insertAccount(newAccount()));
    const readOnly = { options: "-c default_transaction_read_only=on" };
    const { driver: reader } = await openPostgresForTest(readOnly, database);
    expect(await migrate(reader, insertAccount(newAccount()))).toEqual([]);
  });
});
