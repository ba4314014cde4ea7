import { describe, expect, onTestFinished, test } from "vitest";
import { permissions } from "../../../src/contract/field-values.ts";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import { hashKey } from "../../../src/service/accounts/authenticate.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { type Driver, type Value, queryRows } from "../../../src/service/database/driver.ts";
import { migrate, readMigrations } from "../../../src/service/database/migrate.ts";
import type { Payment } from "../../../src/service/payments/payment-state.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { openTestService } from "../../testkit/service/open-test-service.ts";
import { createLosingDriver } from "../../testkit/database/watched-driver.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

// A program of before a migration writes beside this one. Its statements stand here as it sends them.

const insertPayment = `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment, events, first_status)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const advanceTotals = `INSERT INTO totals_progress (account_id, livemode, counted_to) VALUES ($1, $2, $4)
  ON CONFLICT (account_id, livemode) DO UPDATE SET counted_to = excluded.counted_to WHERE totals_progress.counted_to = $3`;

/** A database that a program of before has begun, and how it writes a payment. */
async function openOlder() {
  const driver = await openDriver(await newDatabase(temporaryFile()));
  onTestFinished(async () => driver.close());
  const account = newAccount();
  await migrate(driver, insertAccount(account), readMigrations().slice(0, 6));
  const run = async (sql: string, ...params: Value[]) =>
    driver.write(() => queryRows<{ id: string }>(sql, [account.account.id, 0, ...params]));
  const write = async (payment: Payment) => {
    const { id, status, amount, currency, created } = payment;
    const json = JSON.stringify(payment);
    await run(insertPayment, id, status, amount, currency, created, json, 1, status);
  };
  return { driver, account, run, write };
}

function declinedPayment(code: string, ms: number): Payment {
  return { ...paymentIn("failed", ms), decline_code: code } as Payment;
}

async function readCodes(driver: Driver): Promise<(string | null)[]> {
  const sql = "SELECT decline_code AS code FROM payments ORDER BY id";
  const rows = await driver.read(() => queryRows<{ code: string | null }>(sql, []));
  return rows.map(({ code }) => code);
}

describe("a program of before the column", () => {
  test("leaves a database whose figures and lists are complete, and goes on beside", async () => {
    const { driver, account, run, write } = await openOlder();
    const nowMs = Date.UTC(2026, 10, 15, 12);
    const seconds = nowMs / 1000;
    const before = declinedPayment("expired_card", nowMs - 3_000);
    await write(before);
    await run(advanceTotals, "", before.id);
    const totals = `INSERT INTO totals VALUES ($1, $2, ${Math.floor(seconds / 86_400)}, 'eur', 'failed', 'expired_card', 1, 4999)`;
    await run(totals);

    const store = await openStore(driver, account);
    const { service, test: scope, time } = await openTestService({ store });
    time.nowMs = nowMs;
    const beside = declinedPayment("processing_error", nowMs - 2_000);
    await write(beside);
    const payment = declinedPayment("expired_card", nowMs - 1_000);
    await store.createPayment(() => ({
      scope,
      payment,
      json: JSON.stringify(payment),
      event: { nowMs, dueAtMs: nowMs },
      page: undefined,
      charge: undefined,
      idempotency: undefined,
    }));
    expect(await readCodes(driver)).toEqual([null, null, "expired_card"]);

    const listByCode = async (code: "expired_card" | "processing_error") =>
      (await service.listPayments(scope, { decline_code: code, limit: 10 })).items.length;
    const report = async () => (await service.getReport(scope)).data[0]?.decline_codes;
    const check = async () => {
      expect([await listByCode("expired_card"), await listByCode("processing_error")]).toEqual([
        2, 1,
      ]);
      expect(await report()).toEqual({ expired_card: 2, processing_error: 1 });
    };
    await check();
    while (await store.countTotals(scope, seconds, 1)) await check();
    expect(await readCodes(driver)).toEqual([null, null, "expired_card"]);
    while (await store.fillDeclineCodes(scope, 1)) await check();
    await check();
    expect(await readCodes(driver)).toEqual(["expired_card", "processing_error", "expired_card"]);
  });

  test("is filled once by two replicas, also after one of them was lost", async () => {
    const { driver, account, write } = await openOlder();
    const nowMs = Date.UTC(2026, 10, 15, 12);
    for (let at = 0; at < 20; at++) await write(paymentIn("failed", nowMs + at));
    const scope = { accountId: account.account.id, livemode: false };
    let isLost = true;
    const losing = createLosingDriver(driver, ({ sql }) => isLost && sql.startsWith("UPDATE"));
    const stores = [await openStore(losing, account), await openStore(driver, account)];
    for (const store of stores) while (await store.countTotals(scope, nowMs / 1000 + 1, 100));
    await expect(stores[0]?.fillDeclineCodes(scope, 3)).rejects.toThrow("lost");
    expect(await readCodes(driver)).toEqual(Array(20).fill(null));
    isLost = false;
    await Promise.all(
      stores.map(async (store) => {
        while (await store.fillDeclineCodes(scope, 3));
      }),
    );
    expect(await readCodes(driver)).toEqual(Array(20).fill("insufficient_funds"));
  });
});

describe("a program of before restricted keys", () => {
  // As it finds, lists and rolls keys.
  const columns = "id, livemode, name, hash, expires_at, revoked_at";
  const readKeys = async (driver: Driver, where: string, ...params: Value[]) =>
    driver.read(() =>
      queryRows<{ id: string }>(`SELECT ${columns} FROM api_keys WHERE ${where}`, params),
    );

  test("neither accepts nor lists a key that may less or ends by itself; its own may everything", async () => {
    const driver = await openDriver(await newDatabase(temporaryFile()));
    onTestFinished(async () => driver.close());
    const account = newAccount();
    await migrate(driver, insertAccount(account), readMigrations().slice(0, 8));
    const { id: accountId } = account.account;
    const old = `svc_test_sk_${"o".repeat(43)}`;
    const insert = `INSERT INTO api_keys (account_id, id, livemode, name, hash, last4, created)
      VALUES ($1, 'key_0', 0, 'of before', $2, 'oooo', 1)`;
    await driver.write(() => queryRows(insert, [accountId, hashKey(old)]));

    const store = await openStore(driver, account);
    const { service } = await openTestService({ store });
    expect(await service.authenticate(`Bearer ${old}`)).toMatchObject({
      permissions,
      maxRefund: null,
    });
    const limits = [
      { permissions: ["read"] },
      { max_refund: 5_000 },
      { expires_at: 4_000_000_000 },
    ] as const;
    for (const limit of limits) {
      const { key } = await service.createKey({ mode: "test", name: "ci", ...limit });
      expect(await service.authenticate(`Bearer ${key}`)).toBeDefined();
      expect(await readKeys(driver, "hash = $1", hashKey(key))).toEqual([]);
    }
    const everything = await service.createKey({ mode: "test", name: "shop" });
    const listed = await readKeys(driver, "account_id = $1 ORDER BY id", accountId);
    expect(listed.map(({ id }) => id)).toEqual(["key_0", everything.id]);
    expect(await service.listKeys(accountId)).toHaveLength(2 + limits.length);
  });
});
