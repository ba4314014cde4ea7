import { Client } from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { embedWithoutOwnKeys } from "../../../src/service/server/embed.ts";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { openService } from "../../../src/service/server/open-service.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { readSchema } from "../../../src/service/store/migrate.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";

/** A command's own service, over a database with a schema and without keys. */
async function openEmbedded(database: string) {
  const { call, close, apiKey } = await embedWithoutOwnKeys({
    database,
    docsUrl: "https://payments.test/docs/errors",
    begins: false,
    mode: "test",
    actor: { type: "command", id: null, name: "ada" },
    chooseAccount: ([first]) => first!,
    hasKey: false,
  });
  onTestFinished(close);
  return async (path: string, body?: object) => {
    const answer = await call({
      method: body ? "POST" : "GET",
      path,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return JSON.parse(answer.body) as Record<string, unknown>;
  };
}

test("a command creates no keys in a deployment's PostgreSQL", async () => {
  const database = await newDatabase();
  await migrateDatabase(database);
  const call = await openEmbedded(database);
  const { id } = (await call("/v1/payments", bodyWith({}))) as Payment;
  expect(await call("/v1/payments")).toMatchObject({ data: [{ id }] });
  const { service, close } = await openService({ database });
  onTestFinished(close);
  expect(await service.listKeys()).toEqual([]);
});

test("a command that reads needs no permission to write", async () => {
  const database = await newDatabase();
  await migrateDatabase(database);
  const { id } = (await (await openEmbedded(database))("/v1/payments", bodyWith({}))) as Payment;
  const schema = /search_path%3D(\w+)/.exec(database)?.[1] ?? "";
  const owner = new Client(inject("postgresUrl") ?? "");
  await owner.connect();
  onTestFinished(async () => owner.end());
  await owner.query(`CREATE ROLE reader_of_${schema} LOGIN PASSWORD 'reads'`);
  await owner.query(`GRANT USAGE ON SCHEMA ${schema} TO reader_of_${schema}`);
  await owner.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader_of_${schema}`);
  const asReader = new URL(database);
  asReader.username = `reader_of_${schema}`;
  asReader.password = "reads";
  const call = await openEmbedded(asReader.href);
  expect(await call("/v1/payments")).toMatchObject({ data: [{ id }] });
  expect(await call("/v1/account")).toMatchObject({ name: "Default" });
});

test("a command does not create a schema in an empty PostgreSQL", async () => {
  const database = await newDatabase();
  const missing = {
    name: "Unavailable",
    message: expect.stringMatching(/^There is no database of payments at postgres:/) as unknown,
  };
  await expect(openService({ database }, { begins: false })).rejects.toMatchObject(missing);
  await expect(openEmbedded(database)).rejects.toMatchObject(missing);
  const driver = await openDriver(database);
  onTestFinished(async () => driver.close());
  expect((await readSchema(driver)).databaseVersion).toBe(0);
});
