import { constants, DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { maxIdOf } from "../../../src/service/database/ids.ts";
import type { Store } from "../../../src/service/service.ts";
import { queryRows, type Query, type Row } from "../../../src/service/database/driver.ts";
import { openSqlite, prepareCached } from "../../../src/service/database/sqlite.ts";
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
import {
  addEndpoint,
  everything,
  endDelivery,
  failedAttempt,
  lease,
} from "./contract/endpoints.ts";
import { operatorOf, signIn } from "./contract/operators.ts";
import { createRecordingDriver } from "../../testkit/database/watched-driver.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

const page = { below: maxIdOf("pay_"), above: "", limit: 10 } as const;
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
const [byId, byStatus] = ["payments_pkey id", "payments_by_status id"];
const byPayment = "events_by_payment id";

/** The indexes that each method searches, with the column of the row or the range that it looks for in each. */
const plans: [name: string, ask: (store: Store) => Promise<unknown>, ...searches: string[]][] = [
  ["a page forward", async (s) => readPage(s, scope, { ...page, direction: "forward" }), byId],
  ["a page backward", async (s) => readPage(s, scope, { ...page, direction: "backward" }), byId],
  [
    "a page by status, forward",
    async (s) => readPage(s, scope, { ...page, statuses: ["failed"], direction: "forward" }),
    byStatus,
  ],
  [
    "a page by status, backward",
    async (s) => readPage(s, scope, { ...page, statuses: ["failed"], direction: "backward" }),
    byStatus,
  ],
  [
    "a page by several statuses: a range for each, merged",
    async (s) =>
      readPage(s, scope, { ...page, statuses: ["failed", "refunded"], direction: "forward" }),
    byStatus,
    byStatus,
  ],
  ["a payment", async (s) => readPayment(s, scope, "pay_1"), byId],
  [
    "what was done in an account",
    async (s) => s.listActivity("acct_1", { ...everything, below: "act_g" }),
    "activity_pkey id",
  ],
  ["whether a payment is due", async (s) => peekDue(s, atMs, 10), "charges_by_due due_at_ms"],
  [
    "whether a charge is due",
    async (s) => s.findAccountsWithDueCharges({ nowMs: atMs, network }, ""),
    "charges_by_due due_at_ms",
  ],
  ["a charge", async (s) => s.findCharge(scope, "pay_1"), "charges_pkey payment_id"],
  [
    "how many payments are due, and how many charges are not decided",
    async (s) => s.measureBacklog(atMs),
    "charges_by_due due_at_ms",
    "charges_by_due due_at_ms",
  ],
  [
    "how many charges wait for another network",
    async (s) => s.countOtherNetworksCharges(network),
    "charges_by_due due_at_ms",
  ],
  [
    "a payment page",
    async (s) => s.findPage("token"),
    "hosted_pages_by_token token",
    "payments_pkey id",
    "charges_pkey payment_id",
  ],
  [
    "the pages that have expired",
    async (s) => s.leaseExpiredPages({ nowMs: atMs, untilMs: atMs + 1, limit: 10 }),
    "hosted_pages_by_open_until open_until_ms",
  ],
  [
    "a stored response",
    async (s) => s.findStoredResponse(scope, "k", atMs),
    "idempotency_records_pkey idempotency_key",
  ],
  [
    "a page of events",
    async (s) => s.listEvents(scope, events),
    "events_pkey id",
    byId,
    "events_pkey id",
  ],
  [
    "a page of events by type",
    async (s) => s.listEvents(scope, { ...events, type: "payment.failed" }),
    "events_by_type id",
    byStatus,
    "events_by_type id",
  ],
  [
    "a page of a payment's events",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_1" }),
    byPayment,
    byId,
    byPayment,
  ],
  [
    "a page of a payment's events by type",
    async (s) => s.listEvents(scope, { ...events, paymentId: "pay_1", type: "payment.failed" }),
    byPayment,
    byId,
    byPayment,
  ],
  [
    "a page of an endpoint's deliveries",
    async (s) => s.listDeliveries(scope, "we_1", everything),
    "deliveries_by_endpoint id",
  ],
  [
    "a page of an endpoint's deliveries in some statuses",
    async (s) =>
      s.listDeliveries(scope, "we_1", { ...everything, statuses: ["failed", "pending"] }),
    "deliveries_by_endpoint id",
  ],
  [
    "a page of the deliveries of two events",
    async (s) =>
      s.listDeliveriesOfEvents(scope, ["evt_1", "evt_2"], { ...everything, statuses: ["failed"] }),
    "deliveries_pkey id",
    "deliveries_by_resent_event id",
    "deliveries_pkey id",
    "deliveries_by_resent_event id",
  ],
  [
    "whether anything is due for an endpoint",
    async (s) => s.leaseDeliveries(scope, "we_1", { nowMs: atMs, untilMs: atMs + 1, limit: 10 }),
    "deliveries_by_due due_at_ms",
  ],
  [
    "for which endpoints something is due",
    async (s) => s.findDueEndpoints(atMs, ""),
    "accounts_pkey id",
    "webhook_endpoints_by_slot account_id",
    "deliveries_by_due due_at_ms",
  ],
  [
    "the webhook backlog",
    async (s) => s.measureWebhookBacklog(atMs),
    "deliveries_by_due due_at_ms",
  ],
  ["a page of requests", async (s) => s.listRequests(scope, requests), "requests_pkey id"],
  [
    "a payment's requests, of a method and some statuses",
    async (s) =>
      s.listRequests(scope, { ...requests, paymentId: "pay_1", statuses: [404], method: "GET" }),
    "requests_by_payment id",
  ],
  [
    "requests with an idempotency key, of a payment",
    async (s) => s.listRequests(scope, { ...requests, idempotencyKey: "k", paymentId: "pay_1" }),
    "requests_by_key_place key_place",
  ],
  [
    "requests of a status",
    async (s) => s.listRequests(scope, { ...requests, statuses: [404], method: "GET" }),
    "requests_by_kind id",
  ],
  [
    "requests that are purged",
    async (s) => s.purgeRequests(scope, "req_1", 10),
    "requests_pkey id",
    "requests_pkey id",
  ],
  [
    "a key by its hash",
    async (s) => s.findKey("hash"),
    "api_keys_by_hash hash",
    "restricted_keys_by_hash hash",
  ],
  [
    "the history of a payment",
    async (s) => s.findHistory(scope, "pay_1", { request: "", event: "" }),
    byId,
    "charges_pkey payment_id",
    "hosted_pages_pkey payment_id",
    byId,
    "charges_pkey payment_id",
    byPayment,
    byId,
    byPayment,
    "requests_by_payment id",
    "activity_by_subject subject_id",
  ],
];

test.each(plans)("%s is one range of one index", async (_, ask, ...searches) => {
  const { store, queries, explain } = await openRecording();
  await ask(store);
  expect((await explain(queries)).flatMap(readSearch)).toEqual(searches);
});

test("the deliveries of a payment's history, and who resent them, are ranges of an index", async () => {
  const { store, queries, explain } = await openRecording();
  const payment = paymentIn("pending", atMs);
  await store.createPayment(() => writeOf(payment));
  queries.length = 0;
  expect(await store.findHistory(scope, payment.id, { request: "", event: "" })).toBeDefined();
  expect((await explain(queries)).flatMap(readSearch).slice(-4)).toEqual([
    "webhook_endpoints_pkey livemode",
    "deliveries_pkey id",
    "deliveries_by_resent_event id",
    "activity_by_subject subject_id",
  ]);
});

/** The index that a step of a plan searches, a primary key by PostgreSQL's name, and the last column that it compares. */
function readSearch(detail: string): string[] {
  const [, index = "", column = ""] =
    /^SEARCH .+ INDEX (\w+) \((?:.+ AND )?(\w+)[<=>]\?\)/.exec(detail) ?? [];
  return index === ""
    ? []
    : [`${index.replace(/^sqlite_autoindex_(\w+)_1$/, "$1_pkey")} ${column}`];
}

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
      /^SCAN (?!CONSTANT|\d+ CONSTANT|oldest_due$|hook$|made$|change$|written$|entry$|claim$|found$|stored$|created$|listed$|happened$|result$|next_rows$|first_states$|moved$|taken$|of_kind_0$|(?:part|event_\d)_\d$)/,
    );
    // Pages of several ranges are sorted after they were read, and so are sums; few requests have the same key. Rows that an index
    // has put in order are sorted by a last column within one value of the others.
    const isSorted = /TEMP B-TREE (?!FOR LAST TERM)/.test(detail);
    expect(isSorted ? details[index - 1] : "SCAN listed").toMatch(
      /^SCAN (listed|moved|(?:part|event_\d)_\d)$|requests_by_key/,
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

test("a limit may be any parameter, and a parameter may come in any place and twice", () => {
  const ten = Array.from({ length: 10 }, (_, i) => i + 1);
  const sql = "SELECT $9 AS nine, $10 AS ten, $1 AS one UNION ALL SELECT $9, $10, $1 LIMIT $10";
  const db = new DatabaseSync(":memory:");
  expect(prepareCached(db, sql)({ params: ten })).toEqual(
    Array.from({ length: 2 }, () => ({ nine: 9, ten: 10, one: 1 })),
  );
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
  for (const status of ["pending", "delivered"] as const)
    await endDelivery(store, failedAttempt(delivery!, { endedMs: atMs, status }));
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
