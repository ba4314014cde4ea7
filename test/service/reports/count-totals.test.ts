import * as fc from "fast-check";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { currencies } from "../../../src/contract/money.ts";
import { ServiceError } from "../../../src/contract/error.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { queryRows, type Driver, type Query } from "../../../src/service/database/driver.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import {
  createLosingDriver,
  createRecordingDriver,
} from "../../testkit/database/watched-driver.ts";
import { newAccount } from "../../testkit/database/records.ts";
import { newDatabase, openEmptyStore } from "../../testkit/database/open-database.ts";
import {
  type TestService,
  bodyWith,
  cardWith,
  hostedBody,
  hppExpiryMs,
  openStoreWith,
  openTestService,
  processingTimeMs,
  tokenOf,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";
import {
  computeOverviewOfList,
  computeReportOfList,
} from "../../testkit/service/totals-of-list.ts";

const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

describe("the figures of the overview and of reports", () => {
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
    byOlderProgram: fc.boolean(),
  });
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
  const steps = fc.array(step, { maxLength: 40, size: "max" });
  const stepWith = (fields: Partial<Step>): Step => ({
    does: "pay",
    which: 0,
    number: paying,
    amount: 100,
    currency: "eur",
    waitMs: 7 * hourMs,
    limit: 5,
    byOlderProgram: false,
    ...fields,
  });
  /** Leaves a payment of each kind, whatever is drawn besides. */
  const everyKind = [
    stepWith({}),
    stepWith({ does: "wait", waitMs: 31 * dayMs }),
    stepWith({}),
    stepWith({ does: "refund", which: 1 }),
    stepWith({ number: declined[0] ?? "" }),
    stepWith({ does: "host" }),
    stepWith({ does: "wait" }),
    stepWith({ does: "fail" }),
    stepWith({ number: declined[1] ?? "", byOlderProgram: true }),
    stepWith({ does: "host" }),
    stepWith({ does: "wait", waitMs: processingTimeMs, byOlderProgram: true }),
    stepWith({ does: "count" }),
    stepWith({ does: "cancel", which: 1, byOlderProgram: true }),
    stepWith({ does: "fail" }),
    stepWith({ does: "count" }),
  ];

  test("equal those of the lists of payments, after any sequence of steps", async () => {
    // PAYMENTS_MODEL_RUNS=1000 runs more sequences. A failure prints its seed and path for fc.assert.
    const defaultRuns = inject("postgresUrl") === undefined ? 30 : 10;
    const numRuns = Number(process.env["PAYMENTS_MODEL_RUNS"] ?? defaultRuns);
    const seen = { refunded: 0, unpaid: 0, declined: 0, unfilled: 0, broken: 0, tooOld: 0 };
    const property = fc.asyncProperty(steps, async (all) => {
      const { driver, giveBack } = await openEmptyStore();
      let isFailing = false;
      const isLost = ({ sql }: Query) =>
        isFailing && (sql.startsWith("INSERT INTO totals (") || sql.includes("SET decline_code ="));
      const store = await openStore(createLosingDriver(driver, isLost), newAccount());
      const opened = await openTestService({ store });
      const { service, test: scope, time } = opened;
      const payments: Payment[] = [];
      const created = ({ body }: { body: string }) => payments.push(JSON.parse(body) as Payment);
      const act = async ({ does, which, number, amount, currency, waitMs, limit }: Step) => {
        const payment = payments[which % payments.length];
        const pages = payments.filter((each) => each.redirect_url !== null);
        const page = pages[which % pages.length];
        const count = async () =>
          (await store.countTotals(scope, Math.floor(time.nowMs / 1000), limit)) ||
          (await store.fillDeclineCodes(scope, limit));
        switch (does) {
          case "pay": {
            const body = bodyWith({ amount, currency, card: cardWith({ number }) });
            return created(await service.createPayment(scope, body));
          }
          case "host": {
            const body = { ...hostedBody, amount, currency };
            return created(await service.createHostedPayment(scope, body));
          }
          case "type":
            return page && service.payPage(tokenOf(page), { ...typedVisa, number });
          case "cancel":
            return page && service.cancelPage(tokenOf(page));
          case "refund":
            return payment && service.refundPayment(scope, payment.id).catch(ignoreRefusal);
          case "wait":
            time.nowMs += waitMs;
            return service.settlePayments();
          case "fail":
            isFailing = true;
            await count().catch(() => seen.broken++);
            isFailing = false;
            return undefined;
          case "count":
            return count();
          default:
            return does satisfies never;
        }
      };
      const check = async () => {
        const list = await expectFiguresOfList(opened, scope);
        const begins = (time.nowMs - 30 * dayMs) / 1000;
        const recent = list.filter((payment) => payment.created >= begins);
        const failed = recent.filter(({ status }) => status === "failed");
        seen.tooOld += list.length - recent.length;
        seen.refunded += recent.filter(({ status }) => status === "refunded").length;
        seen.unpaid += failed.filter(isUnpaid).length;
        seen.declined += failed.filter((payment) => !isUnpaid(payment)).length;
      };
      for (const each of all) {
        const before = await readDeclineCodes(driver);
        await act(each);
        const codes = await readDeclineCodes(driver);
        const failed = [...codes.keys()].filter((id) => !before.has(id));
        expect(failed.map((id) => codes.get(id))).not.toContain(null);
        if (each.byOlderProgram) await forgetDeclineCodes(driver, failed);
        seen.unfilled += each.byOlderProgram ? failed.length : 0;
        if (each.does === "count" || each.does === "fail") await check();
      }
      await check();
      time.nowMs += hourMs;
      while (await store.countTotals(scope, Math.floor(time.nowMs / 1000), 5));
      while (await store.fillDeclineCodes(scope, 5));
      await check();
      expect(await readDeclineCodes(driver)).toEqual(
        new Map(
          (await listAll(opened, scope)).flatMap(({ id, decline_code: code }) =>
            code ? [[id, code]] : [],
          ),
        ),
      );
      await giveBack();
    });
    await fc.assert(property, { numRuns, examples: [[everyKind]] });
    // Each kind of payment was there.
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
  });
});

function isUnpaid({ decline_code: code }: Payment): boolean {
  return code === "hpp_expired" || code === "customer_canceled";
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

/** The failed payments of a database, with what stands in the column of their decline codes. */
async function readDeclineCodes(driver: Driver): Promise<Map<string, string | null>> {
  const sql = "SELECT id, decline_code AS code FROM payments WHERE status = 'failed'";
  const rows = await driver.read(() => queryRows<{ id: string; code: string | null }>(sql, []));
  return new Map(rows.map(({ id, code }) => [id, code]));
}

/** Leaves payments as a program from before the column writes them. */
async function forgetDeclineCodes(driver: Driver, paymentIds: string[]): Promise<void> {
  for (const id of paymentIds) {
    const sql = "UPDATE payments SET decline_code = NULL WHERE id = $1";
    await driver.write(() => queryRows(sql, [id]));
  }
}

async function listAll({ service }: TestService, scope: Scope): Promise<Payment[]> {
  const all: Payment[] = [];
  for (let page = { hasMore: true, items: [] as string[] }; page.hasMore;) {
    const last = all.at(-1)?.id;
    page = await service.listPayments(scope, { limit: 100, ...(last && { starting_after: last }) });
    all.push(...page.items.map((json) => JSON.parse(json) as Payment));
  }
  return all;
}

/** Compares the overview of each currency with the payments that the API lists; returns the payments. */
async function expectFiguresOfList(opened: TestService, scope: Scope) {
  const { service, time } = opened;
  const all = await listAll(opened, scope);
  const overview = await service.getOverview(scope);
  expect(overview).toEqual(computeOverviewOfList(all, time.nowMs, overview.currencies[0]));
  for (const currency of overview.currencies)
    expect(await service.getOverview(scope, currency)).toEqual(
      computeOverviewOfList(all, time.nowMs, currency),
    );
  await expectReportsOfList(opened, scope, all);
  return all;
}

/** Compares reports with the payments that the API lists: of the last days, and of months that begin within one. */
async function expectReportsOfList({ service, time }: TestService, scope: Scope, all: Payment[]) {
  const dateOf = (ms: number) => new Date(time.nowMs + ms).toISOString().slice(0, 10);
  for (const [by, days] of [
    ["day", 390],
    ["month", 3_000],
  ] as const) {
    const range = { from: dateOf(-days * dayMs), to: dateOf(dayMs), by };
    const expected = computeReportOfList(all, { ...range, livemode: scope.livemode });
    expect(await service.getReport(scope, range)).toEqual(expected);
  }
  const today = { from: dateOf(0), to: dateOf(dayMs), by: "day", currency: "usd" } as const;
  const inUsd = all.filter(({ currency }) => currency === "usd");
  const { currency: _, ...range } = today;
  const expected = computeReportOfList(inUsd, { ...range, livemode: scope.livemode });
  expect(await service.getReport(scope, today)).toEqual(expected);
}

/** A service with two accounts, which records the queries of its database. */
async function openTwoAccounts() {
  const accounts = [newAccount(), newAccount()] as const;
  const { driver, queries } = createRecordingDriver(await openDriver(await newDatabase()));
  const store = await openStore(driver, accounts[0]);
  onTestFinished(async () => store.close());
  await store.insertAccount(accounts[1]);
  const scopes = accounts.flatMap(({ account }): Scope[] =>
    [false, true].map((livemode) => ({ accountId: account.id, livemode })),
  );
  const opened = await openTestService({ store, totalsLagMs: 5_000 });
  const { service, pay, time } = opened;
  return {
    ...opened,
    scopes,
    payIn: async (all: Scope[]) => {
      for (const scope of all) await pay(scope);
    },
    countAfter: async (ms: number) => {
      time.nowMs += ms;
      await service.countTotals();
    },
    countVisits: () => queries.splice(0).filter(({ sql }) => sql.includes("next_rows")).length,
    /** How many payments of each scope are in its totals. */
    readTotals: async () => {
      const counts = scopes.map(async (scope) => {
        const sql =
          "SELECT SUM(payments) AS count FROM totals WHERE account_id = $1 AND livemode = $2";
        const params = [scope.accountId, Number(scope.livemode)];
        const [row] = await driver.read(() => queryRows<{ count: unknown }>(sql, params));
        return Number(row?.count ?? 0);
      });
      return await Promise.all(counts);
    },
  };
}

describe("counting", () => {
  test("covers all accounts and modes, and leaves out payments that are too recent", async () => {
    const { payIn, scopes, countAfter, readTotals } = await openTwoAccounts();
    await payIn(scopes);
    await countAfter(5_000);
    expect(await readTotals()).toEqual([0, 0, 0, 0]);
    await countAfter(hourMs - 5_000);
    await payIn(scopes.slice(2));
    await countAfter(1_000);
    expect(await readTotals()).toEqual([1, 1, 1, 1]);
    await countAfter(hourMs);
    expect(await readTotals()).toEqual([1, 1, 2, 2]);
  });

  test("visits an idle scope less and less often, until it has a payment", async () => {
    const { payIn, scopes, countAfter, countVisits } = await openTwoAccounts();
    const measureVisits = async (minutes: number) => {
      countVisits();
      for (let second = 0; second < minutes * 60; second += 5) await countAfter(5_000);
      return countVisits() / scopes.length;
    };
    expect(await measureVisits(10)).toBeLessThanOrEqual(8);
    const later = await measureVisits(10);
    expect(later).toBeLessThanOrEqual(3);
    expect(later).toBeGreaterThanOrEqual(1);
    await payIn(scopes.slice(0, 1));
    expect(await measureVisits(10)).toBeGreaterThan(later);
  });

  test("continues after an abort", async () => {
    const { service, payIn, time, scopes, countAfter, readTotals } = await openTwoAccounts();
    await payIn(scopes);
    time.nowMs += 60_000;
    await service.countTotals(AbortSignal.abort());
    expect(await readTotals()).toEqual([0, 0, 0, 0]);
    await countAfter(hourMs);
    expect(await readTotals()).toEqual([1, 1, 1, 1]);
  });
});

test("an overview of more payments than are read says up to when its figures count", async () => {
  const limit = 10;
  const store = await openStoreWith((real) => ({
    findTotals: async (scope, firstDay) => real.findTotals(scope, firstDay, limit),
  }));
  const { service, time, pay, test: scope } = await openTestService({ store });
  for (let i = 0; i <= limit; i++) {
    if (i === limit) time.nowMs += 10_000;
    await pay(scope);
  }
  const nowSeconds = time.nowMs / 1000;
  const before = await service.getOverview(scope);
  expect([before.totals.payments, before.until]).toEqual([limit, nowSeconds - 10]);
  await store.countTotals(scope, nowSeconds, 10);
  const after = await service.getOverview(scope);
  expect([after.totals.payments, after.until]).toEqual([limit + 1, nowSeconds]);
});
