import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { afterEveryId } from "../../../src/service/domain/object-id.ts";
import type { Query } from "../../../src/service/store/driver.ts";
import { openPostgres } from "../../../src/service/store/postgres.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Store } from "../../../src/service/use-cases/ports.ts";
import { newPostgresDatabase, sortedAsIn } from "../../new-database.ts";
import { readPage } from "./contract/read.ts";
import { scope } from "./contract/writes.ts";
import { recordingDriver } from "./recording-driver.ts";
import { newAccount } from "./new-account.ts";

// In a database that sorts as Danish does, no index in its own order can answer a list.
let client: Client;
let store: Store;
let asked: Query[];

beforeAll(async () => {
  const url = await newPostgresDatabase(sortedAsIn("da"));
  const recording = recordingDriver(openPostgres(url));
  store = await openStore(recording.driver, newAccount());
  asked = recording.asked;
  client = new Client(url);
  await client.connect();
  await client.query(`
    INSERT INTO payments
    SELECT 'acct_1', 0, 'pay_' || lpad(to_hex(n * 9973), 12, '0') || '-' || md5(n::text),
    CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'succeeded' END, 4999, 'eur', n, '{}'
    FROM generate_series(1, 20000) n`);
  await client.query(`
    INSERT INTO settlements
    SELECT account_id, livemode, id, 'expired_card', created, created FROM payments`);
  await client.query(`
    INSERT INTO idempotency_records
    SELECT account_id, livemode, id, 'f', 201, '{}', created FROM payments`);
  await client.query(`
    INSERT INTO charges
    SELECT account_id, livemode, id, 'stripe', 'charge', NULL, created, created, 0, created FROM payments`);
  await client.query(`
    INSERT INTO hosted_pages
    SELECT account_id, livemode, id, id, NULL, created, created, 0, 0 FROM payments`);
  await client.query("ANALYZE");
});
afterAll(async () => {
  await client.end();
  await store.close();
});

const page = { below: afterEveryId("pay_"), above: "", limit: 10 } as const;
const byBytes = "Index Scan %using payments_by_bytes on payments";
const byStatus = "Index Scan %using payments_by_status_and_bytes on payments";

describe.each([
  ["whose parameters are known", "force_custom_plan"],
  ["that is made once for all parameters", "force_generic_plan"],
])("in a plan %s", (_, mode) => {
  test.each([
    ["a page forward", undefined, "forward", byBytes.replace("%", "Backward ")],
    ["a page backward", undefined, "backward", byBytes.replace("%", "")],
    ["a page by status, forward", "failed", "forward", byStatus.replace("%", "Backward ")],
    ["a page by status, backward", "failed", "backward", byStatus.replace("%", "")],
  ] as const)(
    "%s is one range of one index, without a sort",
    async (__, status, direction, scan) => {
      asked.length = 0;
      const found = await readPage(store, scope, { ...page, status, direction });
      expect([found.payments.length, found.hasMore]).toEqual([10, true]);
      await client.query(`SET plan_cache_mode = ${mode}`);
      const plans = await Promise.all(asked.map(planOf));
      expect(plans).toEqual([
        ["Limit", scan, expect.stringMatching(/^Index Cond: .*\bid\b.*\bid\b/)],
      ]);
    },
  );
});

describe("of 20,000 that are due, ten are found by the order in which they are due, and by their keys", () => {
  const due = { nowMs: 20_000, untilMs: 40_000, limit: 10 };
  test.each([
    ["settlements", "settlements_by_due", async () => store.takeDuePayments(due)],
    ["charges", "charges_by_due", async () => store.takeDueCharges({ ...due, network: "stripe" })],
    ["hosted_pages", "hosted_pages_by_open_until", async () => store.takeExpiredPages(due)],
    [
      "idempotency_records",
      "idempotency_records_by_expiry",
      async () => store.forgetAnswers(due.nowMs, due.limit),
    ],
  ])("%s", async (table, byTime, take) => {
    asked.length = 0;
    await take();
    await client.query("SET plan_cache_mode = force_generic_plan");
    const plan = await planOf(asked.at(-1));
    expect(plan.filter((step) => step.endsWith(` on ${table}`) || step.includes(byTime))).toEqual([
      expect.stringMatching("^Update|^Delete"),
      expect.stringMatching(`^Index Scan using ${byTime} `),
      `Index Scan using ${table}_pkey on ${table}`,
    ]);
  });
});

/** The steps of a query's plan, from the last to the first, with the ranges that they read. */
async function planOf({ sql, params }: Query = { sql: "", params: [] }): Promise<string[]> {
  await client.query(`PREPARE asked AS ${sql}`);
  const values = params.map((value) => client.escapeLiteral(String(value)));
  const explained = await client.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (COSTS OFF) EXECUTE asked(${values.join(", ")})`,
  );
  await client.query("DEALLOCATE asked");
  return explained.rows.map((row) => row["QUERY PLAN"].replace(/^\s*(?:->\s*)?/, ""));
}
