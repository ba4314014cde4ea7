import { expect, it, onTestFinished } from "vitest";
import { refund, type Payment } from "../../src/service/payments/payment-state.ts";
import { openDriver } from "../../src/service/database/database.ts";
import { queryRows, type Driver } from "../../src/service/database/driver.ts";
import { openStore } from "../../src/service/server/open-service.ts";
import type { Scope } from "../../src/service/database/scope.ts";
import type { Store } from "../../src/service/service.ts";
import { newDatabase } from "../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../testkit/database/records.ts";
import { moveOf, writeOf } from "../service/database/contract/writes.ts";
import { pickRandom, startReplicas } from "../testkit/deployment/replicas.ts";

/** PAYMENTS_KILLS=20 runs it longer. */
const kills = Number(process.env["PAYMENTS_KILLS"] ?? 1);
const refunded = 1_000 + kills * 500;
const stored = 3 * refunded;
/** Few enough that each write gets a connection, on a busy machine too. */
const batchSize = 30;
const hourMs = 60 * 60 * 1_000;

it("services killed while they count add each payment and each change to the totals once", async () => {
  const database = await newDatabase();
  const driver = await openDriver(database);
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const [account] = await store.listAccounts();
  await fill(store, { accountId: account?.id ?? "", livemode: false });

  const replicas = await startReplicas(3, database);
  let killedHalfWay = 0;
  for (let kill = 0; kill < kills; kill++) {
    const enough = (stored * (kill + 1)) / (kills + 1);
    await expect
      .poll(async () => countAll(await readTotals(driver)), { interval: 5 })
      .toBeGreaterThan(enough);
    // The kill comes as soon as the mark moves, because the totals must have moved with it. On a busy machine all
    // may be counted before this test looks.
    const mark = await readCountedTo(driver);
    const hasMoved = async () =>
      (await readCountedTo(driver)) !== mark || countAll(await readTotals(driver)) === stored;
    await expect.poll(hasMoved, { interval: 1 }).toBe(true);
    const port = pickRandom(replicas.ports);
    await replicas.end(port, "SIGKILL");
    if (countAll(await readTotals(driver)) < stored) killedHalfWay++;
    await replicas.start(port);
  }
  await expect
    .poll(async () => readTotals(driver), { timeout: 120_000 })
    .toEqual({ refunded, succeeded: stored - refunded });
  process.stderr.write(`${kills} kills, ${killedHalfWay} of them while payments were counted\n`);
});

/** Payments of some days ago, every third of them refunded. */
async function fill(store: Store, scope: Scope): Promise<void> {
  const beginMs = Date.now() - 48 * hourMs;
  const refundMs = Date.now() - 2 * hourMs;
  for (let made = 0; made < stored; made += batchSize) {
    const batch = Array.from({ length: batchSize }, (_, index) =>
      paymentIn("succeeded", beginMs + (made + index) * 1_000),
    );
    await Promise.all(
      batch.map(async (payment, index) => {
        await store.createPayment(() => writeOf(payment, { scope }));
        if (index % 3 > 0) return;
        const next = refund(payment, refundMs / 1000) as Payment;
        await store.transition(moveOf(next, "succeeded", { scope, nowMs: refundMs }));
      }),
    );
  }
}

/** The number of payments in each status by the totals, without later changes. */
async function readTotals(driver: Driver): Promise<Record<string, number>> {
  const sql =
    "SELECT status, CAST(SUM(payments) AS BIGINT) AS payments FROM totals GROUP BY status";
  const rows = await driver.read(() => queryRows<{ status: string; payments: number }>(sql, []));
  return Object.fromEntries(rows.map(({ status, payments }) => [status, payments]));
}

/** The mark up to which the totals have counted. */
async function readCountedTo(driver: Driver): Promise<string | undefined> {
  const sql = "SELECT counted_to AS mark FROM totals_progress";
  const [row] = await driver.read(() => queryRows<{ mark: string }>(sql, []));
  return row?.mark;
}

function countAll(counted: Record<string, number>): number {
  return Object.values(counted).reduce((sum, payments) => sum + payments, 0);
}
