import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import {
  refund,
  type Payment,
  type RefundedPayment,
} from "../../../src/service/payments/payment-state.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { startCountingProxy } from "../../testkit/database/proxies.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import {
  addParameters,
  newDatabase,
  openPostgresForTest,
  takeEmptyDatabase,
} from "../../testkit/database/open-database.ts";
import { startTcpProxy, type Fate } from "../../testkit/sockets/tcp-proxy.ts";
import { allPages, atMs, moveOf, otherAccount, scope, writeOf } from "./contract/writes.ts";

const written = { outcome: "written" };
/** Of every connection here: other tests use the same server. */
const applicationName = `groups of ${process.pid}`;

function payments(count: number): Payment[] {
  return Array.from({ length: count }, () => paymentIn("succeeded", atMs));
}

function toRefunded(payment: Payment): RefundedPayment {
  return refund(payment, atMs / 1000 + 60) as RefundedPayment;
}

async function createAll(store: Store, all: Payment[], toKey?: (at: number) => string) {
  return await Promise.all(
    all.map(async (each, at) =>
      store.createPayment(() => writeOf(each, toKey ? { key: toKey(at) } : {})),
    ),
  );
}

async function refundAll(store: Store, all: Payment[]) {
  return await Promise.all(
    all.map(async (each) => store.transition(moveOf(toRefunded(each), "succeeded"))),
  );
}

/** A store whose commits are recorded: how many writes each had. */
async function openRecorded(
  options: { parameters?: Record<string, string>; database?: string } = {},
) {
  const database = options.database ?? (await takeEmptyDatabase());
  const commits: number[] = [];
  const driver = openPostgres(
    addParameters(database, {
      application_name: applicationName,
      ...options.parameters,
    }),
    {
      committed: (writes) => void commits.push(writes),
    },
  );
  onTestFinished(async () => driver.close());
  await driver.check?.();
  const store = await openStore(driver, newAccount());
  commits.length = 0;
  return { store, driver, commits, database };
}

async function connect(database: string): Promise<Client> {
  const client = new Client(addParameters(database, { application_name: applicationName }));
  client.on("error", () => {});
  await client.connect();
  onTestFinished(async () => client.end().catch(() => {}));
  return client;
}

test("a write that is alone is committed at once, those that wait meanwhile together", async () => {
  const { store, commits } = await openRecorded();
  await createAll(store, payments(1));
  expect(commits).toEqual([1]);
  await createAll(store, payments(100));
  expect(Math.max(...commits)).toBe(64);
  expect(commits.length).toBeLessThan(6);
});

test("a group's bytes are limited", async () => {
  const { store, commits } = await openRecorded();
  const large = Array.from({ length: 20 }, () =>
    paymentIn("succeeded", atMs, { metadata: { note: "n".repeat(200_000) } }),
  );
  await createAll(store, large);
  expect(Math.max(...commits)).toBe(6);
  expect(commits.reduce((sum, count) => sum + count)).toBe(20);
});

test("a group takes one round trip, with idempotency keys or of refunds two", async () => {
  const { url, countRoundTrips } = await startCountingProxy(await takeEmptyDatabase());
  const { driver } = await openPostgresForTest({ pool_max_conns: "1" }, url);
  const store = await openStore(driver, newAccount());
  await createAll(store, payments(1));
  const all = payments(50);
  expect(await countRoundTrips(async () => createAll(store, all))).toBe(1);
  const keyed = payments(50);
  expect(await countRoundTrips(async () => createAll(store, keyed, (at) => `order-${at}`))).toBe(2);
  expect(await countRoundTrips(async () => refundAll(store, all))).toBe(2);
});

test("accounts take turns, and share groups unless the database spreads them", async () => {
  const { store, commits, database } = await openRecorded({ database: await newDatabase() });
  const scopes = [scope, otherAccount];
  const mixed = async (to: Store) =>
    Promise.all(
      payments(40).map((each, at) =>
        to.createPayment(
          () => writeOf(each, { scope: scopes[at % 2]! }),
          scopes[at % 2]?.accountId,
        ),
      ),
    );
  await mixed(store);
  expect(commits).toEqual([40]);
  const client = await connect(database);
  await client.query("CREATE TABLE pg_dist_partition (id BIGINT)"); // as on Citus
  const sharded = await openRecorded({ database });
  await mixed(sharded.store);
  expect(sharded.commits).toEqual([20, 20]);
});

test("one of 64 that the database refuses is refused alone, the others are written once", async () => {
  const { store, commits } = await openRecorded();
  const all = payments(64);
  all[20] = { ...all[20]!, amount: 2 ** 70 };
  const outcomes = await Promise.allSettled(
    all.map((each, at) => store.createPayment(() => writeOf(each, { key: `order-${at}` }))),
  );
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
  expect(outcomes[20]?.status).toBe("rejected");
  expect(await allPages(store)).toEqual(all.toSpliced(20, 1).toReversed());
  expect(commits.toSorted((a, b) => b - a)).toEqual([32, 16, 8, 4, 2, 1]);
});

test("one that waits for a lock times out alone", async () => {
  const { store, database } = await openRecorded();
  const all = payments(20);
  await createAll(store, all);
  const client = await connect(database);
  await client.query("BEGIN");
  await client.query("UPDATE payments SET status = status WHERE id = $1", [all[7]?.id]);
  const outcomes = await Promise.allSettled(
    all.map((each) => store.transition(moveOf(toRefunded(each), "succeeded"))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(
    all.map((_, at) => (at === 7 ? "rejected" : "fulfilled")),
  );
  await client.query("ROLLBACK");
  expect(await store.transition(moveOf(toRefunded(all[7]!), "succeeded"))).toEqual(written);
});

/** Keys in the order of their numbers. */
function keyOf(at: number): string {
  return `order-${String(at).padStart(2, "0")}`;
}

/** Resolves once so many transactions wait for locks. */
async function waitForLocks(database: string, count: number): Promise<void> {
  const client = await connect(database);
  const sql = `SELECT COUNT(*)::int AS n FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND application_name = $1`;
  const countWaiting = async () =>
    (await client.query<{ n: number }>(sql, [applicationName])).rows[0]?.n;
  await expect.poll(countWaiting).toBe(count);
}

/** Two replicas on one database, where a deadlock lasts long enough to end in an error. */
async function openTwo() {
  const parameters = { options: "-c deadlock_timeout=1h" };
  const one = await openRecorded({ parameters });
  return { one, two: await openRecorded({ parameters, database: one.database }) };
}

test("groups of two replicas with the same keys in opposite order write each once", async () => {
  const { one, two } = await openTwo();
  const blocker = await connect(one.database);
  const [mine, theirs] = [payments(64), payments(64)];
  await blocker.query("BEGIN");
  await blocker.query(`INSERT INTO idempotency_records VALUES ($1, 0, $2, 'f', 201, '', 0, 0)`, [
    scope.accountId,
    keyOf(32),
  ]);
  const writing = Promise.all([
    createAll(one.store, mine, keyOf),
    createAll(two.store, theirs, (at) => keyOf(63 - at)),
  ]);
  await waitForLocks(one.database, 2);
  await blocker.query("ROLLBACK");
  const [first, second] = await writing;
  for (const [at, { outcome }] of first.entries()) {
    const others = second[63 - at]?.outcome;
    expect([outcome, others]).toContain("written");
    expect([outcome, others]).toContain("replayed");
  }
  expect(await allPages(one.store)).toHaveLength(64);
  // Neither group was halved, as one would be that had waited for the other in a circle.
  expect([one.commits, two.commits]).toEqual([[64], [64]]);
});

test("a refund that waits for a payment holds nothing that another refund of it needs", async () => {
  const { one } = await openTwo();
  const [payment] = payments(1);
  await createAll(one.store, [payment!]);
  const other = await connect(one.database);
  await other.query("BEGIN; SET LOCAL lock_timeout = '5s'");
  await other.query("SELECT id FROM payments WHERE id = $1 FOR UPDATE", [payment!.id]);
  const refunding = one.store.transition(moveOf(toRefunded(payment!), "succeeded"));
  await waitForLocks(one.database, 1);
  await other.query(
    `INSERT INTO events (account_id, livemode, id, payment_id, sequence, type, payment)
     SELECT account_id, livemode, 'evt_' || substr(id, 5), id, 1, 'payment.succeeded', payment FROM payments WHERE id = $1`,
    [payment!.id],
  );
  await other.query("ROLLBACK");
  expect(await refunding).toEqual(written);
});

test("refunds of the same payments by two replicas in opposite order succeed once each", async () => {
  const { one, two } = await openTwo();
  const all = payments(64);
  await createAll(one.store, all);
  const [first, second] = await Promise.all([
    refundAll(one.store, all),
    refundAll(two.store, all.toReversed()),
  ]);
  for (const [at, { outcome }] of first.entries()) {
    const others = second[63 - at]?.outcome;
    expect([outcome, others]).toContain("written");
    expect([outcome, others]).toContain("conflict");
  }
});

test("a deadlock is resolved by retrying the group", async () => {
  const { store, database } = await openRecorded({
    parameters: { options: "-c deadlock_timeout=20ms" },
  });
  const all = payments(10);
  await createAll(store, all);
  const [blocker, other] = [await connect(database), await connect(database)];
  const lock = async (client: Client, at: number) =>
    client.query("UPDATE payments SET status = status WHERE id = $1", [all[at]?.id]);
  await other.query("SET deadlock_timeout = '1h'"); // so that the group is the victim
  for (const client of [blocker, other]) await client.query("BEGIN");
  await lock(blocker, 5);
  await lock(other, 9);
  const refunds = refundAll(store, all);
  await waitForLocks(database, 1); // the group has locked those before the sixth
  const locking = lock(other, 0);
  await waitForLocks(database, 2);
  await blocker.query("ROLLBACK"); // the group goes on, to the one that the other holds
  await locking;
  await other.query("COMMIT");
  expect(await refunds).toEqual(all.map(() => written));
});

/** A store behind a proxy whose fate is chosen for each piece that it sends. */
async function openBehindProxy() {
  const database = new URL(await takeEmptyDatabase());
  let fateOf: ((piece: string) => Fate) | undefined;
  const target = { host: database.hostname, port: Number(database.port) };
  const proxy = await startTcpProxy(target, (piece) => fateOf?.(piece) ?? "pass");
  onTestFinished(proxy.refuse);
  const onTheWay = new URL(database);
  onTheWay.port = String(proxy.port);
  const { store } = await openRecorded({ database: onTheWay.href });
  const direct = await openRecorded({ database: database.href });
  const cutOnceAt = (choose: (piece: string) => Fate | undefined) => {
    let isOver = false;
    fateOf = (piece) => {
      const fate = isOver ? undefined : choose(piece);
      isOver ||= fate !== undefined;
      return fate ?? "pass";
    };
  };
  return { store, direct: direct.store, cutOnceAt, proxy, database: database.href };
}

const cuts: [what: string, choose: (piece: string) => Fate | undefined][] = [
  ["before the commit", (piece) => (piece.includes("BEGIN") ? { bufferFrom: 0 } : undefined)],
  [
    "within the commit",
    (piece) => {
      const at = piece.lastIndexOf("COMMIT");
      return at < 0 ? undefined : { bufferFrom: at + 3 };
    },
  ],
  ["after the commit", (piece) => (piece.includes("COMMIT") ? "pass and cut" : undefined)],
];

test.each(cuts)("a group whose connection is cut %s is written once", async (_, choose) => {
  const { store, direct, cutOnceAt, proxy } = await openBehindProxy();
  const [plain, keyed] = [payments(30), payments(30)];
  cutOnceAt(choose);
  const outcomes = await Promise.all([
    createAll(store, plain),
    createAll(store, keyed, (at) => `order-${at}`),
  ]);
  expect(outcomes.flat()).toEqual([...plain, ...keyed].map(() => written));
  await proxy.release();
  expect(await allPages(direct)).toEqual([...plain, ...keyed].toReversed());
});

test.each(cuts)("refunds whose connection is cut %s succeed once", async (_, choose) => {
  const { store, direct, cutOnceAt, proxy } = await openBehindProxy();
  const all = payments(30);
  await createAll(direct, all);
  cutOnceAt(choose);
  const outcomes = await Promise.all(
    all.map((each, at) =>
      store.transition(moveOf(toRefunded(each), "succeeded", { key: `refund-${at}` })),
    ),
  );
  expect(outcomes).toEqual(all.map(() => written));
  await proxy.release();
  expect(await allPages(direct)).toEqual(all.map(toRefunded).toReversed());
});

test("a group survives that the server ends its connections", async () => {
  const { store, database } = await openRecorded();
  const client = await connect(database);
  const all = payments(500);
  const creating = createAll(store, all, (at) => `order-${at}`);
  for (let round = 0; round < 3; round++) {
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()",
      [applicationName],
    );
    await delay(20);
  }
  expect(await creating).toEqual(all.map(() => written));
  expect(await allPages(store)).toEqual(all.toReversed());
});

test("while the database does not answer, waiting writes are bounded, and end within the time of a request", async () => {
  const { store, proxy } = await openBehindProxy();
  await createAll(store, payments(1));
  proxy.stall();
  const startMs = performance.now();
  const outcomes = await Promise.allSettled(
    payments(2_000).map((each) => store.createPayment(() => writeOf(each))),
  );
  expect(performance.now() - startMs).toBeLessThan(15_000);
  for (const outcome of outcomes)
    expect(outcome.status === "rejected" && outcome.reason).toBeInstanceOf(Unavailable);
  proxy.resume();
  expect(await createAll(store, payments(10))).toHaveLength(10);
});
