import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../src/service/server/open-service.ts";
import { newAccount } from "../../testkit/database/records.ts";
import { openPostgresForTest } from "../../testkit/database/open-database.ts";

const waiting = { timeout: 120_000, interval: 200 };
const byKey = /using payments_pkey/;
const insertPayments = `
  INSERT INTO payments
  SELECT 'acct_1', 0, 'pay_' || md5(n::text), 'succeeded', 4999, 'eur', n, '{}', 1, 'succeeded'
  FROM generate_series(1, 2000) n`;

// Before version 14 PostgreSQL says of a new table what it says of one that it has found empty.
test.each([
  ["is new", ""],
  ["was looked at while it was empty", "ANALYZE payments"],
])(
  "a database that %s finds one payment among many of its account by its key, before its own minute is over",
  async (_, before) => {
    const { driver, database } = await openPostgresForTest();
    await openStore(driver, newAccount());
    const client = new Client(database);
    await client.connect();
    onTestFinished(async () => client.end());
    await client.query(before);
    await client.query(insertPayments);
    await vi.waitFor(async () => expect(await readPlan(client)).toMatch(byKey), waiting);
  },
);

test("a database is looked at again whose first payments had not been committed", async () => {
  const { driver, database } = await openPostgresForTest();
  await openStore(driver, newAccount());
  const client = new Client(database);
  const observer = new Client(database);
  for (const each of [client, observer]) {
    await each.connect();
    onTestFinished(async () => each.end());
  }
  await client.query("BEGIN");
  await client.query(insertPayments);
  await vi.waitFor(async () => {
    const { rows } = await observer.query<{ rows: number }>(
      "SELECT reltuples AS rows FROM pg_class WHERE oid = 'payments'::regclass",
    );
    expect(rows).toEqual([{ rows: 0 }]);
  }, waiting);
  await client.query("COMMIT");
  await vi.waitFor(async () => expect(await readPlan(client)).toMatch(byKey), waiting);
});

/** The planner's plan of finding a payment. */
async function readPlan(client: Client): Promise<string> {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    "EXPLAIN SELECT 1 FROM payments WHERE account_id = 'acct_1' AND livemode = 0 AND id = 'pay_1'",
  );
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
