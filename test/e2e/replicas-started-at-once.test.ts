import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newDatabase } from "../testkit/database/new-database.ts";
import { rowsOf, startReplicas } from "../testkit/deployment/replicas.ts";
import { card, sender } from "../testkit/deployment/sender.ts";

const migrations = readdirSync(
  new URL("../../src/service/store/migrations", import.meta.url),
).toSorted();

describe("three replicas started at once on an empty database", () => {
  it("make one schema and all serve, four times in a row", async () => {
    for (let round = 0; round < 4; round++) {
      const database = await newDatabase();
      const replicas = await startReplicas(3, database);
      const applied = await rowsOf<{ name: string }>(
        database,
        "SELECT name FROM schema_migrations ORDER BY version",
      );
      expect(applied.map(({ name }) => name)).toEqual(migrations);
      expect(replicas.log()).toBe("");

      const send = sender((await replicas.createKey()).key);
      const body = { amount: 4999, currency: "eur", card };
      const answers = await Promise.all(replicas.urls.map(async (url) => send(url, { body })));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      await Promise.all(replicas.ports.map(async (port) => replicas.end(port, "SIGTERM")));
    }
  });
});
