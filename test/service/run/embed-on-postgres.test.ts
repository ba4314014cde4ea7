import { onTestFinished, expect, test } from "vitest";
import { embed } from "../../../src/service/run/embed.ts";
import { openService } from "../../../src/service/run/open-service.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { query } from "../../../src/service/store/driver.ts";
import { schemaOf } from "../../../src/service/store/migrate.ts";
import { newDatabase } from "../../new-database.ts";

const settings = {
  docsUrl: "https://payments.test/docs/errors",
  keys: { test: `svc_test_sk_${"t".repeat(43)}`, live: `svc_live_sk_${"l".repeat(43)}` },
  keyFile: "embedded-keys.json",
};

test("a command on an older PostgreSQL changes nothing, and says what to do", async () => {
  const database = await newDatabase();
  const first = await embed({ ...settings, database }); // a new one gets its schema
  await first.close();
  const driver = await openDriver(database);
  onTestFinished(async () => driver.close());
  await driver.write(() => query("DELETE FROM schema_migrations WHERE version > 5", []));
  const { programVersion } = await schemaOf(driver);
  await expect(embed({ ...settings, database })).rejects.toMatchObject({
    name: "Unavailable",
    message: `The database has schema version 5, and this program needs ${programVersion}. Nothing was changed.`,
  });
  expect((await schemaOf(driver)).databaseVersion).toBe(5);
});

test("an empty PostgreSQL is begun by nobody who looks for what is there", async () => {
  const database = await newDatabase();
  await expect(openService({ database }, { begins: false })).rejects.toMatchObject({
    name: "Unavailable",
    message: expect.stringMatching(/^There is no database of payments at postgres:/) as unknown,
  });
  const driver = await openDriver(database);
  onTestFinished(async () => driver.close());
  expect((await schemaOf(driver)).databaseVersion).toBe(0);
});
