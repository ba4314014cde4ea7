import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { newDatabase } from "../testkit/database/new-database.ts";
import { queryRows, startReplicas } from "../testkit/deployment/replicas.ts";
import { card, sender } from "../testkit/deployment/sender.ts";

const migrations = readdirSync(
  new URL("../../src/service/store/migrations", import.meta.url),
).toSorted();

it("three replicas started at once on an empty database make one schema, and all serve", async () => {
  const database = await newDatabase();
  const replicas = await startReplicas(3, database);
  const sql = "SELECT name FROM schema_migrations ORDER BY version";
  const applied = await queryRows<{ name: string }>(database, sql);
  expect(applied.map(({ name }) => name)).toEqual(migrations);
  expect(replicas.log()).toBe("");

  const send = sender((await replicas.createKey()).key);
  const body = { amount: 4999, currency: "eur", card };
  const responses = await Promise.all(replicas.urls.map(async (url) => send(url, { body })));
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
});
