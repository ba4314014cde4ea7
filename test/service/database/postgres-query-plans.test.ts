import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxIdOf } from "../../../src/service/database/ids.ts";
import type { Query } from "../../../src/service/database/driver.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { newPostgresDatabase, formatIcuLocale } from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn, readPage } from "../../testkit/database/records.ts";
import { scope, writeOf } from "./contract/writes.ts";
import { createRecordingDriver } from "../../testkit/database/watched-driver.ts";

// In a database that sorts as Danish does, no index in its own order can answer a list.
let client: Client;
let store: Store;
let queries: Query[];

beforeAll(async () => {
  const url = await newPostgresDatabase(formatIcuLocale("da"));
  const recording = createRecordingDriver(openPostgres(url));
  store = await openStore(recording.driver, newAccount());
  queries = recording.queries;
  client = new Client(url);
  await client.connect();
  await client.query(`
    INSERT INTO payments
    SELECT 'acct_1', 0, 'pay_' || lpad(to_hex(n * 9973), 12, '0') || '-' || md5(n::text),
    CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'succeeded' END, 4999, 'eur', n, '{}', 1, 'pending', 'evt_' || n
    FROM generate_series(1, 20000) n`);
  await client.query(`
    INSERT INTO idempotency_records
    SELECT account_id, livemode, id, 'f', 201, '{}', created, 0 FROM payments`);
  await client.query(`
    INSERT INTO charges
    SELECT 'acct_' || created % 100, livemode, id, 'stripe', 'charge', NULL, created, created, 0, created FROM payments`);
  await client.query(`
    INSERT INTO hosted_pages
    SELECT account_id, livemode, id, id, NULL, created, created, 0, 0 FROM payments`);
  await client.query(`
    INSERT INTO events
    SELECT account_id, livemode, 'evt' || substr(id, 4), 'pay_' || (created % 5000), 1,
    'payment.' || status, '{}' FROM payments`);
  await client.query(`
    INSERT INTO webhook_endpoints (account_id, livemode, id, slot, revision, types, status, url, secret, old_secret_until_ms, queues_until_ms, created)
    SELECT 'acct_1', 0, 'we_' || n, n, 1, '*', 'enabled', 'https://shop.example', '', 0, 30000, 0
    FROM generate_series(1, 16) n`);
  await client.query(`
    INSERT INTO deliveries
    SELECT account_id, livemode, 'del' || substr(id, 4), 'we_' || (1 + created % 16), 'evt' || substr(id, 4),
    'payment.' || status, 'pending', 0, CASE WHEN created % 100 = 0 THEN created END, NULL, NULL, created
    FROM payments`);
  await client.query(`
    INSERT INTO requests
    SELECT account_id, livemode, 'req' || substr(id, 4), 'POST', '/v1/payments', 201, 1, 'key_1', 'shop',
    NULL, NULL, id, NULL, 201, NULL, NULL, 0 FROM payments`);
  await client.query(`
    INSERT INTO activity
    SELECT account_id, 'act' || substr(id, 4), livemode, 'api_key', 'key_1', 'shop', 'payment.refunded', id, NULL, NULL
    FROM payments`);
  await client.query(`
    INSERT INTO totals
    SELECT 'acct_' || n % 5000, 0, n, 'eur', 'succeeded', '', 1, 1 FROM generate_series(1, 20000) n`);
  await client.query(`
    INSERT INTO totals_progress SELECT 'acct_' || n, 0, 'pay_' FROM generate_series(1, 2000) n`);
  await client.query(`
    INSERT INTO accounts (id, name, default_version, fingerprint_secret, created)
    SELECT 'acct_' || n, 'Flowers', '2026-11-01', '', n FROM generate_series(1, 5000) n`);
  await client.query(`
    INSERT INTO operators SELECT 'op_' || n, 'Ada', 'admin', 'active', n, n FROM generate_series(1, 5000) n`);
  await client.query(`
    INSERT INTO operator_accounts SELECT 'acct_' || n, 'op_' || n FROM generate_series(1, 5000) n`);
  await client.query(`
    INSERT INTO operator_sessions SELECT 's' || n, 'op_' || n, 0, 0, 1000 FROM generate_series(1, 5000) n`);
  await client.query(`
    INSERT INTO invitations SELECT 'i' || n, 'op_' || n, 1000 FROM generate_series(1, 5000) n`);
  await client.query("ANALYZE");
});
afterAll(async () => {
  await client.end();
  await store.close();
});

const page = { below: maxIdOf("pay_"), above: "", limit: 10 } as const;
const byId = "Index Scan %using payments_pkey on payments";
const byStatus = "Index Scan %using payments_by_status on payments";

describe.each([
  ["whose parameters are known", "force_custom_plan"],
  ["that is made once for all parameters", "force_generic_plan"],
])("in a plan %s", (_, mode) => {
  test.each([
    ["a page forward", undefined, "forward", byId.replace("%", "Backward ")],
    ["a page backward", undefined, "backward", byId.replace("%", "")],
    ["a page by status, forward", "failed", "forward", byStatus.replace("%", "Backward ")],
    ["a page by status, backward", "failed", "backward", byStatus.replace("%", "")],
  ] as const)(
    "%s is one range of one index, without a sort",
    async (__, status, direction, scan) => {
      queries.length = 0;
      const found = await readPage(store, scope, {
        ...page,
        statuses: status && [status],
        direction,
      });
      expect([found.payments.length, found.hasMore]).toEqual([10, true]);
      await client.query(`SET plan_cache_mode = ${mode}`);
      expect(await Promise.all(queries.map(planOf))).toEqual([
        ["Limit", scan, expect.stringMatching(/^Index Cond: .*\bid\b.*\bid\b/)],
      ]);
    },
  );
});

test.each(["forward", "backward"] as const)(
  "a page by several statuses merges a range of the index for each, %s",
  async (direction) => {
    queries.length = 0;
    const statuses = ["succeeded", "failed"] as const;
    const found = await readPage(store, scope, { ...page, statuses, direction });
    expect([found.payments.length, found.hasMore]).toEqual([10, true]);
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      const scan = byStatus.replace("%", direction === "forward" ? "Backward " : "");
      const range = [
        expect.stringMatching(/^Subquery Scan on part_/),
        "Limit",
        expect.stringMatching(scan),
        expect.stringMatching(/^Index Cond: .*\bstatus = .*\bid\b.*\bid\b/),
      ];
      expect(await Promise.all(queries.map(planOf))).toEqual([
        ["Limit", "Merge Append", expect.stringMatching(/^Sort Key: /), ...range, ...range],
      ]);
    }
  },
);

const due = { nowMs: 20_000, untilMs: 40_000, limit: 10 };
const listed = { above: "", direction: "forward", limit: 10 } as const;
const events = { ...listed, below: maxIdOf("evt_"), type: undefined, paymentId: undefined };
const ofEndpoint = { scope, endpointId: "we_1", limit: 10 };

/** Each query, and the indexes that it uses on events and deliveries, sorted by name. */
const plans: [name: string, ask: (s: Store) => Promise<unknown>, indexes: string[]][] = [
  ["a page of events", async (s) => s.listEvents(scope, events), ["events_pkey", "payments_pkey"]],
  [
    "a page of events by type",
    async (s) => s.listEvents(scope, { ...events, type: "payment.failed" }),
    ["events_by_type", "payments_by_status"],
  ],
  [
    "a page of a payment's events",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_7" }),
    ["events_by_payment", "payments_pkey"],
  ],
  [
    "a page of a payment's events by type",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_7", type: "payment.failed" }),
    ["events_by_payment", "payments_pkey"],
  ],
  [
    "a page of an endpoint's deliveries",
    async (s) => s.listDeliveries(scope, "we_1", { ...listed, below: maxIdOf("del_") }),
    ["deliveries_by_endpoint"],
  ],
  [
    "a page of an endpoint's deliveries in some statuses",
    async (s) => {
      const range = { ...listed, below: maxIdOf("del_"), statuses: ["failed", "pending"] as const };
      return s.listDeliveries(scope, "we_1", range);
    },
    ["deliveries_by_endpoint"],
  ],
  [
    "a page of the deliveries of two events",
    async (s) =>
      s.listDeliveriesOfEvents(scope, ["evt_1", "evt_2"], { ...listed, below: maxIdOf("del_") }),
    ["deliveries_by_resent_event", "deliveries_pkey"],
  ],
  [
    "an event and what is queued of it",
    async (s) => s.createPayment(() => writeOf(paymentIn("succeeded", 1))),
    ["payments_pkey"],
  ],
  [
    "endpoints with due deliveries",
    async (s) => s.findDueEndpoints(20_000, ""),
    ["accounts_pkey", "deliveries_by_due"],
  ],
  [
    "deliveries that are leased",
    async (s) => s.leaseDeliveries(scope, "we_1", due),
    ["deliveries_by_due", "deliveries_pkey", "events_pkey", "payments_pkey"],
  ],
  [
    "deliveries that are given up",
    async (s) =>
      s.abandonDeliveries({ ...ofEndpoint, beforeMs: 9, reason: "Nobody.", isDisabled: false }),
    ["deliveries_by_due", "deliveries_pkey"],
  ],
  [
    "events that are queued again",
    async (s) => s.requeueEvents({ ...ofEndpoint, above: "", nowMs: 1, includesFailed: true }),
    ["deliveries_by_due", "deliveries_pkey", "events_pkey", "payments_pkey"],
  ],
  ["the webhook backlog", async (s) => s.measureWebhookBacklog(1), ["deliveries_by_due"]],
  [
    "the history of a payment",
    async (s) => {
      const write = writeOf(paymentIn("succeeded", 1));
      await s.createPayment(() => write);
      queries.length = 0;
      await s.findHistory(scope, write.payment.id, { request: "", event: "" });
    },
    [
      "activity_by_subject",
      "charges_pkey",
      "deliveries_by_resent_event",
      "deliveries_pkey",
      "events_by_payment",
      "hosted_pages_pkey",
      "payments_pkey",
      "requests_by_payment",
    ],
  ],
  [
    "events and deliveries that are forgotten",
    async (s) => s.purgeEvents(scope, 1, 10),
    ["deliveries_pkey", "events_pkey", "totals_progress_pkey"],
  ],
  [
    "payments and events that are counted",
    async (s) => s.countTotals(scope, 2_000_000_000, 10),
    ["events_pkey", "payments_pkey", "totals_progress_pkey"],
  ],
  [
    "payments whose decline codes are filled",
    async (s) => s.fillDeclineCodes(scope, 10),
    ["events_pkey", "payments_by_status", "payments_pkey", "totals_progress_pkey"],
  ],
  [
    "a session, with its operator",
    async (s) => s.findSession("s9", 1),
    ["accounts_pkey", "operator_accounts_by_operator", "operator_sessions_pkey", "operators_pkey"],
  ],
  [
    "the links of an operator who gets another",
    async (s) =>
      s.reinviteOperator({
        invitation: { hash: "fresh", operatorId: "op_7", expiresAtMs: 1 },
        role: undefined,
        activity: [],
      }),
    ["accounts_pkey", "invitations_by_operator", "operator_accounts_by_operator", "operators_pkey"],
  ],
  [
    "the sessions of an operator who signs out everywhere",
    async (s) => s.endSessions({ operatorId: "op_7", activity: [] }),
    ["operator_sessions_by_operator"],
  ],
  [
    "totals",
    async (s) => s.findTotals(scope, { firstDay: 19_970, endDay: 20_000 }, 10),
    ["events_pkey", "payments_pkey", "totals_pkey", "totals_progress_pkey"],
  ],
  [
    "totals in one currency",
    async (s) => s.findTotals(scope, { firstDay: 19_970, endDay: 20_000 }, 10, "eur"),
    ["events_pkey", "payments_pkey", "totals_pkey", "totals_progress_pkey"],
  ],
  [
    "totals with all that is not counted yet",
    async (s) => s.findAllTotals(scope, { firstDay: 19_970, endDay: 20_000 }),
    ["events_pkey", "payments_pkey", "totals_pkey", "totals_progress_pkey"],
  ],
];

describe.each([
  ["whose parameters are known", "force_custom_plan"],
  ["that is made once for all parameters", "force_generic_plan"],
])("in a plan %s", (_, mode) => {
  test.each(plans)("%s: nothing large is read whole or sorted", async (__, ask, indexes) => {
    queries.length = 0;
    await ask(store);
    await client.query(`SET plan_cache_mode = ${mode}`);
    const steps: string[] = [];
    for (const each of queries) steps.push(...(await planOf(each)));
    const found = steps.map((step) => / using (\w+) on (?!webhook_endpoints)/.exec(step)?.[1]);
    expect([...new Set(found)].filter((index) => index !== undefined).toSorted()).toEqual(indexes);
    // Few rows may be sorted: those within a limit, an operator's accounts, and the endpoints of a mode.
    const large =
      /^Seq Scan on (?!webhook_endpoints)|^Sort Key: (?!operators\.id |accounts\.created,|event_\d_\d\.id |listed\.id |"ANY_subquery"|\(\((?:payments|first_states)\.created \/ 86400\)\))/;
    for (const [index, step] of steps.entries()) {
      // A page of events is put in order after its two ranges were read.
      const isPage = step.startsWith("Sort Key: events.id ") && steps[index + 1] === "Append";
      // Ranges that indexes have put in order are merged.
      const isMerge = steps[index - 1] === "Merge Append";
      // Rows that an index has put in order are sorted by a second column within one value of the first.
      const isWithinOne = steps[index + 1]?.startsWith("Presorted Key: ") ?? false;
      const isOfEndpoints = steps[index + 1] === "Seq Scan on webhook_endpoints";
      expect(isPage || isMerge || isWithinOne || isOfEndpoints ? "" : step).not.toMatch(large);
    }
  });
});

test.each([
  ["endpoints with due deliveries", async () => store.findDueEndpoints(20_000, "")],
  ["the webhook backlog", async () => store.measureWebhookBacklog(1)],
])("%s reads only the deliveries of each endpoint", async (_, ask) => {
  queries.length = 0;
  await ask();
  await client.query("SET plan_cache_mode = force_generic_plan");
  const plan = await planOf(queries.at(-1));
  expect(plan[plan.findIndex((step) => step.includes("deliveries_by_due")) + 1]).toMatch(
    /^Index Cond: .*endpoint_id = .*due_at_ms/,
  );
});

test.each([
  ["charges", "charges_by_due", async () => store.leaseDueCharges({ ...due, network: "stripe" })],
  [
    "charges",
    "charges_by_account_and_due",
    async () => store.leaseDueCharges({ ...due, network: "stripe", accountId: "acct_1" }),
  ],
  ["hosted_pages", "hosted_pages_by_open_until", async () => store.leaseExpiredPages(due)],
  [
    "idempotency_records",
    "idempotency_records_by_expiry",
    async () => store.purgeIdempotencyRecords(due.nowMs, due.limit),
  ],
])(
  "ten of 20,000 due rows are found by the index of due times, and by their keys: %s",
  async (table, byTime, take) => {
    queries.length = 0;
    await take();
    await client.query("SET plan_cache_mode = force_generic_plan");
    const plan = await planOf(queries.at(-1));
    expect(plan.filter((step) => step.endsWith(` on ${table}`) || step.includes(byTime))).toEqual([
      expect.stringMatching("^Update|^Delete"),
      expect.stringMatching(`^Index Scan using ${byTime} `),
      `Index Scan using ${table}_pkey on ${table}`,
    ]);
  },
);

/** The steps of a query's plan, from the last to the first, with the ranges that they read. */
async function planOf({ sql, params }: Query = { sql: "", params: [] }): Promise<string[]> {
  await client.query(`PREPARE explained AS ${sql}`);
  const values = params.map((value) => client.escapeLiteral(String(value)));
  const given = values.length > 0 ? `(${values.join(", ")})` : "";
  const explained = await client.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (COSTS OFF) EXECUTE explained${given}`,
  );
  await client.query("DEALLOCATE explained");
  return explained.rows.map((row) => row["QUERY PLAN"].replace(/^\s*(?:->\s*)?/, ""));
}
