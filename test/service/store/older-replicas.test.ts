import { describe, expect, onTestFinished, test } from "vitest";
import {
  expirePayment,
  failPayment,
  refund,
  succeedPayment,
  type Payment,
  type PendingPayment,
} from "../../../src/service/domain/payment-state.ts";
import type { Event } from "../../../src/contract/event.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { query, type Row, type Value } from "../../../src/service/store/driver.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";
import { card, paymentIn } from "../../testkit/payment-in.ts";
import { readPayment } from "../../testkit/database/read.ts";
import { eventOf, atMs, moveOf, scope, writeOf } from "./contract/writes.ts";
import { temporaryFile } from "../../testkit/temporary-file.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { writeAsOlder } from "./write-as-older.ts";

// A replica of the version before, which knows schema 4, works on beside those of this version while they
// are replaced. What it asks of payment pages is written here as it asks it.

const insertPage = `INSERT INTO hosted_pages (account_id, livemode, payment_id, token, return_url, expires_at_ms, open_until_ms, claimed_until_ms)
  SELECT 'acct_1', 0, $1, $2, NULL, $3, $3, 0 RETURNING payment_id`;
const takeExpired = `UPDATE hosted_pages SET claimed_until_ms = $2
  WHERE open_until_ms <= $1 AND claimed_until_ms <= $1 RETURNING payment_id`;
const closeOpenPage = `UPDATE hosted_pages SET open_until_ms = NULL
  WHERE account_id = 'acct_1' AND livemode = 0 AND payment_id = $1 AND open_until_ms IS NOT NULL RETURNING payment_id`;
const updatePayment = `UPDATE payments SET status = $2, payment = $3
  WHERE account_id = 'acct_1' AND livemode = 0 AND id = $1 AND status = 'pending' RETURNING id`;

const leasedUntilMs = atMs + 10;
const due = { nowMs: atMs, untilMs: leasedUntilMs, limit: 10 };

/** A store of this version, and a replica of the one before on the same database, with an expired page. */
async function besideAnOlderOne() {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const ask = async (sql: string, params: Value[]) => driver.write(() => query<Row>(sql, params));
  const payment = paymentIn("pending", atMs - 1_000, { card: null }) as PendingPayment;
  await store.createPayment(() => writeOf(payment));
  await ask(insertPage, [payment.id, "token", atMs]);
  return {
    store,
    payment,
    takes: async () => (await ask(takeExpired, [atMs, leasedUntilMs])).length,
    closes: async (ended: Payment) => {
      const closed = await ask(closeOpenPage, [ended.id]);
      if (closed.length > 0)
        await ask(updatePayment, [ended.id, ended.status, JSON.stringify(ended)]);
      return closed.length;
    },
  };
}

const expiredOf = (payment: PendingPayment) => expirePayment(payment, atMs / 1000) as Payment;
const closing = (payment: Payment, claimableAtMs: number | undefined) => ({
  scope,
  payment,
  event: eventOf(),
  charge: undefined,
  claimableAtMs,
});

test("a page that an older replica made expires", async () => {
  const { store, payment } = await besideAnOlderOne();
  const taken = await store.leaseExpiredPages(due);
  expect(taken.map((page) => page.payment)).toEqual([payment]);
});

test("a page that an older replica is ending is left to it, until that has taken too long", async () => {
  const { store, takes } = await besideAnOlderOne();
  expect(await takes()).toBe(1);
  expect(await store.leaseExpiredPages(due)).toEqual([]);
  const later = { ...due, nowMs: leasedUntilMs, untilMs: leasedUntilMs + 10 };
  expect(await store.leaseExpiredPages(later)).toHaveLength(1);
});

test("a page that an older replica ends, too, ends once", async () => {
  const { store, payment, takes, closes } = await besideAnOlderOne();
  expect(await store.leaseExpiredPages(due)).toHaveLength(1);
  expect(await takes()).toBe(1); // it knows nothing of the lease
  expect(await store.closePage(closing(expiredOf(payment), atMs))).toBe("conflict");
  const ended = expiredOf(payment);
  expect(await closes(ended)).toBe(1);
  expect(await store.closePage(closing(failPayment(payment, "hpp_expired", 1), undefined))).toBe(
    "conflict",
  );
  expect(await readPayment(store, scope, payment.id)).toEqual(ended);
});

test("an older replica finds a page closed that this version has ended", async () => {
  const { store, payment, takes, closes } = await besideAnOlderOne();
  await store.leaseExpiredPages(due);
  const ended = expiredOf(payment);
  expect(await store.closePage(closing(ended, atMs))).toBe("written");
  expect([await takes(), await closes(failPayment(payment, "hpp_expired", 1))]).toEqual([0, 0]);
  expect(await readPayment(store, scope, payment.id)).toEqual(ended);
});

test("what an older one looks up and makes of accounts is as it was, under the first name", async () => {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const insertAccount = `INSERT INTO accounts (id, default_version, fingerprint_secret, created)
    VALUES ('acct_1', '2026-11-01', 'secret', 1) ON CONFLICT (id) DO NOTHING RETURNING id`;
  const selectAccount =
    "SELECT id, default_version, fingerprint_secret FROM accounts WHERE id = 'acct_1'";
  expect(await driver.write(() => query<Row>(insertAccount, []))).toEqual([{ id: "acct_1" }]);
  expect(await driver.read(() => query<Row>(selectAccount, []))).toEqual([
    { id: "acct_1", default_version: "2026-11-01", fingerprint_secret: "secret" },
  ]);
  expect(await store.findAccount("acct_1")).toMatchObject({ account: { name: "Default" } });
});

test("an answer that an older one keeps is final, and replayed", async () => {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const storeResponse = `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms)
    VALUES ('acct_1', 0, 'k', 'f', 201, '{}', $1)`;
  await driver.write(() => query<Row>(storeResponse, [atMs + 1]));
  const response = { status: 201, body: "{}" };
  expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({
    response,
    lockedUntilMs: 0,
  });
  const again = writeOf(paymentIn("pending", atMs), { key: "k" });
  expect(await store.createPayment(() => again)).toEqual({ outcome: "replayed", response });
});

test("the first change of a payment that an older version made makes its first event", async () => {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const payment = await writeAsOlder(driver);
  const next = moveOf(refund(payment, atMs / 1000) as Payment, "succeeded");
  await store.transition(next);
  const event = JSON.parse((await store.findEvent(scope, next.event.id)) ?? "") as Event;
  expect(event).toMatchObject({ sequence: 1, type: "payment.refunded" });
});

test("totals have a payment that an older version has ended in the state that it is in", async () => {
  const { store, payment, closes } = await besideAnOlderOne();
  await closes(expiredOf(payment));
  while (await store.countTotals(scope, atMs / 1000, 10)) continue;
  const { totals } = await store.findTotals(scope, 0, 10);
  expect(totals).toMatchObject([{ status: "failed", code: "hpp_expired", payments: 1 }]);
});

test("a first event is never told with what an older version has made of its payment", async () => {
  const { store, payment, closes } = await besideAnOlderOne();
  const events = async () => {
    const range = { below: "evt_g", above: "", direction: "forward", limit: 10 } as const;
    return await store.listEvents(scope, { ...range, type: undefined, paymentId: payment.id });
  };
  expect((await events()).items).toHaveLength(1);
  expect(await closes(expiredOf(payment))).toBe(1);
  expect((await events()).items).toEqual([]);
  expect(await store.findEvent(scope, payment.id.replace("pay_", "evt_"))).toBeUndefined();
});

describe("totals that are counted for the first time", () => {
  const later = { nowMs: atMs + 60_000 };

  /** What there is of payments that have gone from one state to another, after `damage`, counted in each way. */
  async function totalsAfter(damage: string) {
    const driver = await openDriver(await newDatabase(temporaryFile()));
    const store = await openStore(driver, newAccount());
    onTestFinished(async () => store.close());
    const declined = paymentIn("pending", atMs) as PendingPayment;
    const refunded = paymentIn("pending", atMs) as PendingPayment;
    const kept = paymentIn("succeeded", atMs);
    for (const payment of [declined, refunded, kept])
      await store.createPayment(() => writeOf(payment));
    await store.transition(moveOf(failPayment(declined, "expired_card", 1), "pending", later));
    const succeeded = succeedPayment(refunded, card, 1);
    await store.transition(moveOf(succeeded, "pending", later));
    await store.transition(moveOf(refund(succeeded, 1) as Payment, "succeeded", later));
    await driver.write(() => query<Row>(damage, []));
    const states = async () => {
      const { totals } = await store.findTotals(scope, 0, 1_000);
      const there = totals.filter(({ payments }) => payments !== 0);
      return there.map(({ status, code, payments }) => `${payments} ${status} ${code}`).toSorted();
    };
    const looked = await states();
    while (await store.countTotals(scope, later.nowMs / 1000 + 1, 1)) continue;
    expect(await states()).toEqual(looked);
    return looked;
  }

  test.each([
    ["whose events are all there", "SELECT 1"],
    ["whose events are forgotten", "DELETE FROM events WHERE account_id = 'acct_1'"],
    [
      "whose first events are forgotten",
      "DELETE FROM events WHERE account_id = 'acct_1' AND sequence = 1",
    ],
    [
      "of which only the last events are left",
      "DELETE FROM events WHERE account_id = 'acct_1' AND type <> 'payment.refunded'",
    ],
  ])("have payments %s in the states that they are in", async (_, damage) => {
    expect(await totalsAfter(damage)).toEqual([
      "1 failed expired_card",
      "1 refunded ",
      "1 succeeded ",
    ]);
  });
});
