import * as fc from "fast-check";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import type { Figures } from "../../../src/service/domain/overview-figures.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { currencies } from "../../../src/contract/payment-values.ts";
import { openDriver } from "../../../src/service/store/database.ts";
import { query, type Query } from "../../../src/service/store/driver.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Scope } from "../../../src/service/ports/idempotency-record.ts";
import { ServiceError } from "../../../src/service/domain/service-error.ts";
import { openEmptyStore } from "../../testkit/database/open-empty-store.ts";
import { newDatabase } from "../../testkit/database/new-database.ts";
import { losingDriver } from "../../testkit/database/losing-driver.ts";
import { newAccount } from "../../testkit/database/new-account.ts";
import { overviewOfList } from "../../testkit/service/overview-of-list.ts";
import { hostedBody, tokenOf, typedVisa } from "../../testkit/service/open-page.ts";
import {
  bodyWith,
  cardWith,
  hppExpiryMs,
  openTestService,
  processingTimeMs,
  type TestService,
} from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

describe("the figures of the last thirty days", () => {
  const paying = "4242424242424242";
  const declined = ["4000000000000002", "4000000000009995", "4000000000000069"];
  const step = fc.record({
    does: fc.constantFrom("pay", "host", "type", "cancel", "refund", "wait", "count", "fail"),
    which: fc.nat({ max: 7 }),
    number: fc.constantFrom(paying, paying, ...declined),
    amount: fc.integer({ min: 1, max: 100_000 }),
    currency: fc.constantFrom(...currencies),
    waitMs: fc.constantFrom(processingTimeMs, hppExpiryMs, 7 * hourMs, 16 * dayMs, 31 * dayMs),
    limit: fc.integer({ min: 1, max: 5 }),
  });
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  test("are what the lists of payments tell, whatever happens and whenever it is counted", async () => {
    const runs = inject("postgresUrl") === undefined ? 100 : 50;
    const seen = { refunded: 0, unpaid: 0, declined: 0, broken: 0, fallenOut: 0 };
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 40, size: "max" }),
      async (steps) => {
        const { driver, giveBack } = await openEmptyStore();
        let isFailing = false;
        const failing = losingDriver(driver, ({ sql }) => isFailing && addsToTotals(sql));
        const store = await openStore(failing, newAccount());
        const opened = await openTestService({ store });
        const { service, test: scope, time } = opened;
        const payments: Payment[] = [];
        const made = (json: string) => payments.push(JSON.parse(json) as Payment);
        const act = async ({ does, which, number, amount, currency, waitMs, limit }: Step) => {
          const payment = payments[which % payments.length];
          const pages = payments.filter((each) => each.redirect_url !== null);
          const page = pages[which % pages.length];
          switch (does) {
            case "pay": {
              const body = bodyWith({ amount, currency, card: cardWith({ number }) });
              made((await service.createPayment(scope, body)).body);
              break;
            }
            case "host":
              made(
                (await service.createHostedPayment(scope, { ...hostedBody, amount, currency }))
                  .body,
              );
              break;
            case "type":
              if (page) await service.payPage(tokenOf(page), { ...typedVisa, number });
              break;
            case "cancel":
              if (page) await service.cancelPage(tokenOf(page));
              break;
            case "refund":
              if (payment) await service.refundPayment(scope, payment.id).catch(ignoreRefusal);
              break;
            case "wait":
              time.nowMs += waitMs;
              await service.settlePayments();
              break;
            case "fail":
              isFailing = true;
              await store
                .countTotals(scope, Math.floor(time.nowMs / 1000), limit)
                .catch(() => seen.broken++);
              isFailing = false;
              break;
            case "count":
              await store.countTotals(scope, Math.floor(time.nowMs / 1000), limit);
              break;
            default:
              does satisfies never;
          }
        };
        const look = async () => {
          const { figures, all } = await expectTheListsFigures(opened, scope);
          for (const each of figures) {
            seen.refunded += each.refunded;
            seen.unpaid += each.unpaid;
            seen.declined += each.failed - each.unpaid;
          }
          const begins = (time.nowMs - 30 * dayMs) / 1000;
          seen.fallenOut += all.filter(({ created }) => created < begins).length;
        };
        for (const each of steps) {
          await act(each);
          if (each.does === "count" || each.does === "fail") await look();
        }
        await look();
        await giveBack();
      },
    );
    await fc.assert(property, { numRuns: runs });
    // What has been tried tells something.
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
  });
});

function addsToTotals(sql: string): boolean {
  return sql.startsWith("INSERT INTO totals (");
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/** Compares the overview of each currency with the payments that the API lists; gives each one's figures. */
async function expectTheListsFigures({ service, time }: TestService, scope: Scope) {
  const all: Payment[] = [];
  for (let page = { hasMore: true, items: [] as string[] }; page.hasMore;) {
    const last = all.at(-1)?.id;
    page = await service.listPayments(scope, { limit: 100, ...(last && { starting_after: last }) });
    all.push(...page.items.map((json) => JSON.parse(json) as Payment));
  }
  const shown = await service.getOverview(scope);
  expect(shown).toEqual(overviewOfList(all, time.nowMs, shown.currencies[0]));
  const figures: Figures[] = [];
  for (const currency of shown.currencies) {
    const overview = await service.getOverview(scope, currency);
    expect(overview).toEqual(overviewOfList(all, time.nowMs, currency));
    figures.push(overview.totals);
  }
  return { figures, all };
}

/** A service of two accounts, and what its database is asked. */
async function twoAccounts() {
  const first = newAccount();
  const second = newAccount();
  const asked: Query[] = [];
  let lostId: string | undefined;
  const driver = losingDriver(await openDriver(await newDatabase()), (each) => {
    asked.push(each);
    return lostId !== undefined && each.params.includes(lostId);
  });
  const store = await openStore(driver, first);
  onTestFinished(async () => store.close());
  await store.insertAccount(second);
  const scopes = [first, second].flatMap(({ account }): Scope[] =>
    [false, true].map((livemode) => ({ accountId: account.id, livemode })),
  );
  return {
    ...(await openTestService({ store, totalsLagMs: 5_000 })),
    scopes,
    lose: (id: string | undefined) => (lostId = id),
    looks: () => asked.splice(0).filter(({ sql }) => sql.includes("FROM totals_progress")).length,
    /** How many payments of each scope are in its totals, whatever has happened since. */
    counted: async () => {
      const found = scopes.map(async (scope) => {
        const sql =
          "SELECT SUM(payments) AS count FROM totals WHERE account_id = $1 AND livemode = $2";
        const params = [scope.accountId, Number(scope.livemode)];
        const [row] = await driver.read(() => query<{ count: unknown }>(sql, params));
        return Number(row?.count ?? 0);
      });
      return await Promise.all(found);
    },
  };
}

describe("counting", () => {
  test("has all accounts and modes, and leaves what is not old enough", async () => {
    const { service, pay, time, scopes, counted } = await twoAccounts();
    for (const scope of scopes) await pay(scope);
    time.nowMs += 5_000;
    await service.countTotals();
    expect(await counted()).toEqual([0, 0, 0, 0]);
    time.nowMs += 60 * 60_000;
    for (const scope of scopes.slice(2)) await pay(scope);
    await service.countTotals();
    expect(await counted()).toEqual([1, 1, 1, 1]);
    time.nowMs += 60 * 60_000;
    await service.countTotals();
    expect(await counted()).toEqual([1, 1, 2, 2]);
  });

  test("looks at what is at rest less and less often, and again once something was there", async () => {
    const { service, pay, time, scopes, looks } = await twoAccounts();
    const looksIn = async (minutes: number) => {
      looks();
      for (let second = 0; second < minutes * 60; second += 5) {
        time.nowMs += 5_000;
        await service.countTotals();
      }
      return looks() / scopes.length;
    };
    const first = await looksIn(10);
    const later = await looksIn(10);
    expect(first).toBeLessThanOrEqual(8);
    expect(later).toBeLessThanOrEqual(3);
    expect(later).toBeGreaterThanOrEqual(1);
    await pay(scopes[0]!);
    expect(await looksIn(10)).toBeGreaterThan(later);
  });

  test("goes on where it was stopped", async () => {
    const { service, pay, time, scopes, counted } = await twoAccounts();
    for (const scope of scopes) await pay(scope);
    time.nowMs += 60_000;
    await service.countTotals(AbortSignal.abort());
    expect(await counted()).toEqual([0, 0, 0, 0]);
    time.nowMs += 60 * 60_000;
    await service.countTotals();
    expect(await counted()).toEqual([1, 1, 1, 1]);
  });

  test.each([0, 2])("has the other account while one's machine is lost", async (lost) => {
    const { service, pay, time, scopes, counted, lose } = await twoAccounts();
    for (const scope of scopes) await pay(scope);
    time.nowMs += 60_000;
    lose(scopes[lost]?.accountId);
    await service.countTotals();
    lose(undefined);
    expect(await counted()).toEqual(lost === 0 ? [0, 0, 1, 1] : [1, 1, 0, 0]);
    time.nowMs += 60 * 60_000;
    await service.countTotals();
    expect(await counted()).toEqual([1, 1, 1, 1]);
  });
});

describe("an overview of more than is looked at", () => {
  test("tells until when its figures hold", async () => {
    const { service, store, time, pay, test: scope } = await openTestService();
    for (let i = 0; i < 1_001; i++) {
      if (i === 1_000) time.nowMs += 10_000;
      await pay(scope);
    }
    const nowSeconds = time.nowMs / 1000;
    const before = await service.getOverview(scope);
    expect([before.totals.payments, before.until]).toEqual([1_000, nowSeconds - 10]);
    await store.countTotals(scope, nowSeconds, 10);
    const after = await service.getOverview(scope);
    expect([after.totals.payments, after.until]).toEqual([1_001, nowSeconds]);
  });
});
