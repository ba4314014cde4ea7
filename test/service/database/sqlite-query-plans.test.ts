import { constants, DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { maxIdOf } from "../../../src/service/database/object-id.ts";
import type { Store } from "../../../src/service/service.ts";
import { queryRows, type Query, type Row } from "../../../src/service/database/driver.ts";
import { openSqlite } from "../../../src/service/database/sqlite.ts";
import { prepareCached } from "../../../src/service/database/sqlite-statement.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import {
  newAccount,
  paymentIn,
  peekDue,
  readPage,
  readPayment,
} from "../../testkit/database/records.ts";
import {
  eventOf,
  atMs,
  moveOf,
  network,
  scope,
  simulatedCharge,
  storedCharge,
  writeOf,
} from "./contract/writes.ts";
import { addEndpoint, everything, failedAttempt, lease } from "./contract/endpoints.ts";
import { operatorOf, signIn } from "./contract/operators.ts";
import { createRecordingDriver } from "../../testkit/database/watched-driver.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const page = { below: maxIdOf("pay_"), above: "", status: undefined, limit: 10 } as const;
const scopeIs = "account_id=? AND livemode=?";
const byId = `SEARCH payments USING INDEX sqlite_autoindex_payments_1 (${scopeIs} AND id>? AND id<?)`;
const byStatus = `SEARCH payments USING INDEX payments_by_status (${scopeIs} AND status=? AND id>? AND id<?)`;
const byKey = `USING INDEX sqlite_autoindex_idempotency_records_1 (${scopeIs} AND idempotency_key=?)`;

const chargesByDue = "SEARCH charges USING INDEX charges_by_due (due_at_ms<?)";
const byPayment = `events_by_payment (${scopeIs} AND payment_id=? AND id>? AND id<?)`;
const itself = `SEARCH payments USING INDEX sqlite_autoindex_payments_1 (${scopeIs} AND id=?)`;
const itsPayment = `SEARCH paid USING INDEX sqlite_autoindex_payments_1 (${scopeIs} AND id=?)`;

const events = { ...everything, limit: 10, type: undefined, paymentId: undefined };
const requests = {
  below: "req_g",
  above: "",
  direction: "forward" as const,
  limit: 10,
  statuses: undefined,
  method: undefined,
  paymentId: undefined,
  idempotencyKey: undefined,
};
const dueOfEndpoint = `deliveries_by_due (${scopeIs} AND endpoint_id=? AND due_at_ms<?)`;

/** Events that are rows, and payments that stand for their first one: a range of each, put in order. */
const eventsBy = (index: string, ofPayments: string[], covers = "COVERING ") => [
  "CO-ROUTINE listed",
  "COMPOUND QUERY",
  "LEFT-MOST SUBQUERY",
  "CO-ROUTINE stored",
  `SEARCH events USING INDEX ${index}`,
  "SCAN stored",
  "UNION ALL",
  ...ofPayments,
  "SCALAR SUBQUERY 3",
  `SEARCH events USING ${covers}INDEX ${index}`,
  ...(ofPayments.length > 1 ? ["SCAN created"] : []),
  "SCAN listed",
  "USE TEMP B-TREE FOR ORDER BY",
];

/** The plan of each method's query: an index range, without a sort. */
const plans: [name: string, ask: (store: Store) => Promise<unknown>, plan: string[]][] = [
  ["a page forward", async (s) => readPage(s, scope, { ...page, direction: "forward" }), [byId]],
  ["a page backward", async (s) => readPage(s, scope, { ...page, direction: "backward" }), [byId]],
  [
    "a page by status, forward",
    async (s) => readPage(s, scope, { ...page, status: "failed", direction: "forward" }),
    [byStatus],
  ],
  [
    "a page by status, backward",
    async (s) => readPage(s, scope, { ...page, status: "failed", direction: "backward" }),
    [byStatus],
  ],
  [
    "a payment",
    async (s) => readPayment(s, scope, "pay_1"),
    [`SEARCH payments USING INDEX sqlite_autoindex_payments_1 (${scopeIs} AND id=?)`],
  ],
  [
    "what was done in an account",
    async (s) => s.listActivity("acct_1", { ...everything, below: "act_g" }),
    ["SEARCH activity USING INDEX sqlite_autoindex_activity_1 (account_id=? AND id>? AND id<?)"],
  ],
  ["whether a payment is due", async (s) => peekDue(s, atMs, 10), [chargesByDue]],
  [
    "whether a charge is due",
    async (s) => s.findAccountsWithDueCharges({ nowMs: atMs, network }, ""),
    [chargesByDue],
  ],
  [
    "a charge",
    async (s) => s.findCharge(scope, "pay_1"),
    [`SEARCH charges USING INDEX sqlite_autoindex_charges_1 (${scopeIs} AND payment_id=?)`],
  ],
  [
    "how many payments are due, and how many charges are not decided",
    async (s) => s.measureBacklog(atMs),
    [chargesByDue, chargesByDue].flatMap((search) => [
      "CO-ROUTINE oldest_due",
      search,
      "SCAN oldest_due",
    ]),
  ],
  [
    "how many charges wait for another network",
    async (s) => s.countOtherNetworksCharges(network),
    [
      "CO-ROUTINE oldest_due",
      "SEARCH charges USING COVERING INDEX charges_by_due (due_at_ms<?)",
      "SCAN oldest_due",
    ],
  ],
  [
    "a payment page",
    async (s) => s.findPage("token"),
    [
      "SEARCH page USING INDEX hosted_pages_by_token (token=?)",
      itsPayment,
      "SEARCH charged USING INDEX sqlite_autoindex_charges_1 (account_id=? AND livemode=? AND payment_id=?) LEFT-JOIN",
    ],
  ],
  [
    "the pages that have expired",
    async (s) => s.leaseExpiredPages({ nowMs: atMs, untilMs: atMs + 1, limit: 10 }),
    ["SEARCH hosted_pages USING INDEX hosted_pages_by_open_until (open_until_ms<?)"],
  ],
  [
    "a stored response",
    async (s) => s.findStoredResponse(scope, "k", atMs),
    [`SEARCH idempotency_records ${byKey}`],
  ],
  [
    "a page of events",
    async (s) => s.listEvents(scope, events),
    eventsBy(`sqlite_autoindex_events_1 (${scopeIs} AND id>? AND id<?)`, [
      "CO-ROUTINE created",
      byId,
    ]),
  ],
  [
    "a page of events by type",
    async (s) => s.listEvents(scope, { ...events, type: "payment.failed" }),
    eventsBy(`events_by_type (${scopeIs} AND type=? AND id>? AND id<?)`, [
      "CO-ROUTINE created",
      byStatus,
    ]),
  ],
  [
    "a page of a payment's events",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_1" }),
    eventsBy(byPayment, [itself]),
  ],
  [
    "a page of a payment's events by type",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_1", type: "payment.failed" }),
    eventsBy(byPayment, [itself], ""),
  ],
  [
    "a page of an endpoint's deliveries",
    async (s) => s.listDeliveries(scope, "we_1", everything),
    [
      `SEARCH deliveries USING INDEX deliveries_by_endpoint (${scopeIs} AND endpoint_id=? AND id>? AND id<?)`,
    ],
  ],
  [
    "whether anything is due for an endpoint",
    async (s) => s.leaseDeliveries(scope, "we_1", { nowMs: atMs, untilMs: atMs + 1, limit: 10 }),
    [`SEARCH deliveries USING INDEX ${dueOfEndpoint}`],
  ],
  [
    "for which endpoints something is due",
    async (s) => s.findDueEndpoints(atMs, ""),
    [
      "SEARCH accounts USING COVERING INDEX sqlite_autoindex_accounts_1 (id>?)",
      "SEARCH hook USING INDEX webhook_endpoints_by_slot (account_id=?)",
      `SEARCH due EXISTS USING COVERING INDEX ${dueOfEndpoint}`,
    ],
  ],
  [
    "the webhook backlog",
    async (s) => s.measureWebhookBacklog(atMs),
    ["CO-ROUTINE found", "SCAN hook", `SEARCH waiting USING INDEX ${dueOfEndpoint}`, "SCAN found"],
  ],
  [
    "a page of requests",
    async (s) => s.listRequests(scope, requests),
    [`SEARCH requests USING INDEX sqlite_autoindex_requests_1 (${scopeIs} AND id>? AND id<?)`],
  ],
  [
    "a payment's requests, of a method and some statuses",
    async (s) =>
      s.listRequests(scope, { ...requests, paymentId: "pay_1", statuses: [404], method: "GET" }),
    [
      `SEARCH requests USING INDEX requests_by_payment (${scopeIs} AND payment_id=? AND id>? AND id<?)`,
    ],
  ],
  [
    "requests with an idempotency key, of a payment",
    async (s) => s.listRequests(scope, { ...requests, idempotencyKey: "k", paymentId: "pay_1" }),
    [
      `SEARCH requests USING INDEX requests_by_key (${scopeIs} AND key_place>? AND key_place<?)`,
      "USE TEMP B-TREE FOR ORDER BY",
    ],
  ],
  [
    "requests of a status",
    async (s) => s.listRequests(scope, { ...requests, statuses: [404], method: "GET" }),
    [
      "CO-ROUTINE of_kind_0",
      `SEARCH requests USING INDEX requests_by_kind (${scopeIs} AND kind=? AND id>? AND id<?)`,
      "SCAN of_kind_0",
    ],
  ],
  [
    "requests that are purged",
    async (s) => s.purgeRequests(scope, "req_1", 10),
    [
      `SEARCH requests USING COVERING INDEX sqlite_autoindex_requests_1 (${scopeIs} AND id=?)`,
      "LIST SUBQUERY 1",
      `SEARCH requests USING COVERING INDEX sqlite_autoindex_requests_1 (${scopeIs} AND id<?)`,
    ],
  ],
  [
    "a key by its hash",
    async (s) => s.findKey("hash"),
    ["SEARCH api_keys USING INDEX api_keys_by_hash (hash=?)"],
  ],
];

test.each(plans)("%s is one range of one index", async (_, ask, plan) => {
  const { store, queries, explain } = await openRecording();
  await ask(store);
  expect(await explain(queries)).toEqual(plan);
});

test("while only charges of another network are due, none is leased", async () => {
  const { store, queries } = await openRecording();
  const charge = storedCharge({ network: "stripe" });
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { charge }));
  queries.length = 0;
  await store.findAccountsWithDueCharges({ nowMs: atMs, network }, "");
  expect(queries).toHaveLength(1);
});

test("no query of the store reads a whole table or sorts", async () => {
  const { store, queries, explain } = await openRecording();
  await askAll(store);
  const details = await explain(queries);
  expect(details.length).toBeGreaterThan(plans.length);
  for (const [index, detail] of details.entries()) {
    expect(detail).not.toMatch(
      /^SCAN (?!CONSTANT|\d+ CONSTANT|oldest_due$|hook$|found$|stored$|created$|listed$|happened$|next_rows$|first_states$|moved$|taken$|of_kind_0$)/,
    );
    // A page of events is sorted after it was read, and so are sums; few requests have the same key.
    const isSorted = /TEMP B-TREE/.test(detail);
    expect(isSorted ? details[index - 1] : "SCAN listed").toMatch(
      /^SCAN (listed|moved)$|requests_by_key/,
    );
  }
});

test("no read of the store is prepared again for each run", async () => {
  const file = temporaryFile();
  const { store, queries } = await openRecording(file);
  await askAll(store);
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  let prepares = 0;
  db.setAuthorizer(() => {
    prepares++;
    return constants.SQLITE_OK;
  });
  for (const { sql, params } of queries.filter(({ isChange }) => !isChange)) {
    expect(sql).not.toMatch(/^\s*SELECT \*/);
    const statement = prepareCached(db, sql);
    expect(prepares).toBeGreaterThan(0);
    statement({ params });
    prepares = 0;
    statement({ params });
    expect({ sql, prepares }).toEqual({ sql, prepares: 0 });
  }
});

test("a limit may be any parameter", () => {
  const ten = Array.from({ length: 10 }, (_, i) => i + 1);
  const sql = "SELECT $9 AS nine UNION ALL SELECT $9 LIMIT $10";
  const db = new DatabaseSync(":memory:");
  expect(prepareCached(db, sql)({ params: ten })).toEqual([{ nine: 9 }, { nine: 9 }]);
  db.close();
});

test("no query of operators reads a whole table", async () => {
  const { store, queries, explain } = await openRecording();
  const accounts = ["acct_1"];
  await store.insertAccount(newAccount({ id: "acct_1" }));
  const session = await signIn(store, operatorOf("op_1", { accounts }));
  await store.findInvitation("invitation of op_1", atMs);
  await store.findSession(session.hash, session.begunAtMs);
  await store.recordSessionUse(session);
  await store.endSession(session.hash);
  await store.endSessions({ operatorId: "op_1", activity: [] });
  await signIn(store, operatorOf("op_2", { accounts }));
  const removal = { id: "op_1", accounts, requestedBy: "op_2", activity: [] };
  expect(await store.removeOperator(removal)).toBe("written");
  for (const detail of await explain(queries)) expect(detail).not.toMatch(/^SCAN (?!CONSTANT)/);
});

/** Runs every query of payments and events, with rows to be found. */
async function askAll(store: Store): Promise<void> {
  const payment = paymentIn("pending", atMs);
  const charge = storedCharge();
  await store.createPayment(() => writeOf(payment, { key: "k", charge }));
  const simulated = { charge: simulatedCharge(atMs) };
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), simulated));
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { key: "k" }));
  expect(await peekDue(store, atMs, 10)).toHaveLength(1);
  const due = { nowMs: atMs, untilMs: atMs, limit: 10 };
  const { accountId } = scope;
  expect((await store.findAccountsWithDueCharges({ nowMs: atMs, network }, "")).found).toEqual([]);
  expect(await store.leaseDueCharges({ ...due, network, accountId })).toHaveLength(1);
  await store.transition(moveOf(payment, "succeeded", { key: "l" }));
  const event = eventOf();
  for (const [, ask] of plans) await ask(store);
  await store.transition({ scope, payment, event, from: "pending", idempotency: undefined });
  for (const untilMs of [atMs + 1, undefined])
    await store.chargePage({ scope, payment, claim: { nowMs: atMs, untilMs }, charge });
  await store.takeChallengeTurn(scope, payment.id, { nowMs: atMs, intervalMs: 1 });
  const charged = { scope, paymentId: payment.id };
  await store.updateCharge({
    ...charged,
    from: "charge",
    charge: { pendingAction: "none" },
    payment: { next: payment, from: "pending", event },
    request: { key: "k", fingerprint: "f" },
  });
  const { idempotency } = moveOf(payment, "succeeded", { key: "m" });
  await store.requestRefund({ ...charged, nowMs: atMs, dueAtMs: atMs, idempotency });
  await store.closePage({ scope, payment, event, claimableAtMs: atMs });
  await store.purgeIdempotencyRecords(atMs, 10);
  await store.renameAccount("acct_1", "Books & Co");
  await store.revokeKey("acct_1", "key_1", 1);
  await store.listKeys("acct_1");
  await store.isCurrent();
  const endpoint = await addEndpoint(store);
  await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
  const [delivery] = await lease(store, endpoint);
  for (const failingSinceMs of [atMs, null])
    await store.endDelivery(failedAttempt(delivery!, { failingSinceMs }));
  const changed = { ...endpoint, revision: 2 };
  await store.changeEndpoint({ scope, endpoint: changed, idempotency: undefined });
  await store.extendQueueing(scope, endpoint.id, atMs);
  const ofEndpoint = { scope, endpointId: endpoint.id, limit: 10 };
  await store.findResentEvents(scope, endpoint.id, { above: "", limit: 10 });
  await store.requeueEvents({ ...ofEndpoint, above: "", nowMs: atMs, includesFailed: true });
  await store.abandonDeliveries({
    ...ofEndpoint,
    beforeMs: atMs,
    reason: "Nobody.",
    isDisabled: false,
  });
  await store.deleteEndpoint(scope, endpoint.id);
  await store.purgeEvents(scope, atMs, 10);
  expect(await store.countTotals(scope, atMs, 10)).toBe(true);
  await store.findTotals(scope, { firstDay: 0, endDay: 100_000 }, 10);
  await store.findTotals(scope, { firstDay: 0, endDay: 100_000 }, 10, "eur");
  await store.findAllTotals(scope, { firstDay: 0, endDay: 100_000 });
}

/** A store that records its queries, and a function that explains them. */
async function openRecording(file = ":memory:") {
  const { driver, queries } = createRecordingDriver(await openSqlite({ file }));
  const store = await openStore(driver, newAccount());
  queries.length = 0;
  const explain = async (explained: Query[]) => {
    const plansOf = [...explained].map(async ({ sql, params }) =>
      driver.read(() => queryRows<Row>(`EXPLAIN QUERY PLAN ${sql}`, params)),
    );
    return (await Promise.all(plansOf)).flat().map(({ detail }) => String(detail));
  };
  return { store, queries, explain };
}
