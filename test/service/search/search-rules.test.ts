import { expect, onTestFinished, test } from "vitest";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { maxIdOf } from "../../../src/service/database/ids.ts";
import { toPaymentFilter } from "../../../src/service/search/payment-terms.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { countChanges, query, queryRows } from "../../../src/service/database/driver.ts";
import { migrate, readMigrations } from "../../../src/service/database/migrate.ts";
import { maxUnindexed } from "../../../src/service/search/find-unindexed.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { insertPaymentsOfBefore, newAccount, paymentIn } from "../../testkit/database/records.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { openTestService } from "../../testkit/service/open-test-service.ts";

// An index that a program with older rules has written, and perhaps still writes: its words are whole, and not folded
// as today, so that what it lacks would be missing from the answers of today.

const nowMs = Date.UTC(2026, 10, 20);
const leaseMs = 30_000;
const rowsAtOnce = 4_000;
const ofScope = "account_id = $1 AND livemode = 0";

/** The program of version 1.0 at an index: it leases it, and moves it on. */
const leaseOfBefore = `UPDATE search_progress SET owner = $2, lease_until_ms = $4
  WHERE ${ofScope} AND (owner = $2 OR lease_until_ms <= $3)`;
const advanceOfBefore = `UPDATE search_progress SET indexed_to = $3, next_segment = next_segment + 1 WHERE ${ofScope} AND owner = $2`;
const progressOfBefore = `SELECT indexed_from AS "from", indexed_to AS "to" FROM search_progress WHERE ${ofScope}`;

/** A database of version 1.0 with payments, all of them in its index, which it has leased. */
async function openBefore(count: number) {
  const account = newAccount();
  const { id: accountId } = account.account;
  const scope = { accountId, livemode: false };
  const driver = await openDriver(await newDatabase());
  await migrate(driver, insertAccount(account), readMigrations().slice(0, 5));
  const payments = Array.from({ length: count }, (_, at) =>
    paymentIn("succeeded", nowMs - 100_000_000 - at * 1_000, {
      customer: { email: "", name: at % 1_000 === 0 ? "O’Brien Weiß" : "Ada" },
    }),
  );
  for (let done = 0; done < count; done += rowsAtOnce) {
    await insertPaymentsOfBefore(driver, scope, payments.slice(done, done + rowsAtOnce));
  }
  const change = async (sql: string, ...params: (string | number)[]) =>
    driver.write(() => query(countChanges(sql, [accountId, ...params])), accountId);
  await change(
    `INSERT INTO search_progress (account_id, livemode, indexed_from, indexed_to, next_segment, owner, lease_until_ms)
     VALUES ($1, 0, '', $2, 2, 'before', $3)`,
    payments[0]?.id ?? "",
    nowMs + leaseMs,
  );
  await change(
    "INSERT INTO search_segments (account_id, livemode, segment, payments, low, high) VALUES ($1, 0, 1, $2, 0, $3)",
    count,
    2 ** 53 - 1,
  );
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const time = { nowMs };
  const { service } = await openTestService({ store, clock: () => time.nowMs });
  return {
    newestFirst: payments.filter((_, at) => at % 1_000 === 0).map(({ id }) => id),
    find: async (search: string, since = "") => {
      const page = {
        above: since,
        below: maxIdOf("pay_"),
        direction: "forward" as const,
        limit: 100,
        since,
      };
      const filter = toPaymentFilter({ search });
      const { items } = await store.listPayments(scope, { ...page, filter });
      return items.map((json) => (JSON.parse(json) as Payment).id);
    },
    index: async () => (await service.indexPayments()).merged,
    waitMs: (ms: number) => (time.nowMs += ms),
    change,
    rows: async (sql: string) => driver.read(() => queryRows(sql, [accountId])),
    behind: async () => store.findOldestUnindexed(),
  };
}

test("an index by older rules is not searched, and begins anew once its lease has ended", async () => {
  const { find, index, waitMs, newestFirst, rows, behind } = await openBefore(3_000);
  expect(newestFirst).toHaveLength(3);
  const searches = ["o'brien", "weiss", "wei"];
  for (const search of searches) expect(await find(search)).toEqual(newestFirst);
  await index();
  expect(await behind()).toBeDefined();
  waitMs(leaseMs + 1);
  await index();
  expect(await behind()).toBeUndefined();
  expect(
    await rows(`SELECT segment FROM search_segments WHERE ${ofScope} AND retired_at_ms IS NULL`),
  ).not.toContainEqual({ segment: 1 });
  for (const search of searches) expect(await find(search)).toEqual(newestFirst);
  waitMs(2 * 60_000);
  await index();
  expect(
    await rows(`SELECT segment FROM search_segments WHERE ${ofScope} AND segment = 1`),
  ).toEqual([]);
});

test("a replica of before that still runs writes nothing into the new index, and takes its own for empty", async () => {
  const { index, change, rows, waitMs } = await openBefore(10);
  // Until a replica of today has begun the index anew, the one of before goes on.
  expect(await change(leaseOfBefore, "before", nowMs, nowMs + leaseMs)).toBe(1);
  expect(await change(advanceOfBefore, "before", "pay_1")).toBe(1);
  await index();
  expect(await change(advanceOfBefore, "before", "pay_2")).toBe(0);
  for (const owner of ["before", "another"]) {
    expect(await change(leaseOfBefore, owner, nowMs + 10 * leaseMs, nowMs + 11 * leaseMs)).toBe(0);
  }
  waitMs(leaseMs + 1);
  await index();
  expect(await rows(progressOfBefore)).toEqual([{ from: "", to: "" }]);
  // Nor where an account that it began an index for is new.
  await change(`DELETE FROM search_progress WHERE ${ofScope}`);
  await change(
    `INSERT INTO search_progress (account_id, livemode, indexed_from, indexed_to, next_segment, owner, lease_until_ms)
     VALUES ($1, 0, 'pay_3', 'pay_3', 9, 'before', $2)`,
    nowMs,
  );
  await index();
  expect(await change(advanceOfBefore, "before", "pay_4")).toBe(0);
});

test("an index by newer rules is neither searched nor written", async () => {
  const { find, index, change, rows, waitMs, newestFirst } = await openBefore(10);
  await index();
  waitMs(leaseMs + 1);
  await index();
  expect(await find("weiss")).toEqual(newestFirst);
  // The terms of the newer rules are others: none of today's is among them.
  await change(`UPDATE search_progress SET rules = rules + 1, owner = '' WHERE ${ofScope}`);
  await change(`DELETE FROM search_blocks WHERE ${ofScope}`);
  const progress = await rows(`SELECT * FROM search_progress WHERE ${ofScope}`);
  expect(await find("weiss")).toEqual(newestFirst);
  waitMs(2 * leaseMs);
  await index();
  expect(await rows(`SELECT * FROM search_progress WHERE ${ofScope}`)).toEqual(progress);
});

test("a search that would read an index by older rules is refused, and says how far back it is answered", async () => {
  const { find, newestFirst } = await openBefore(maxUnindexed + 2_000);
  const refused = await find("weiss").catch((error: Error) => error);
  expect(refused).toMatchObject({ code: "service_unavailable" });
  const [, reach = ""] = /created\[gte\]=(\d+)\.$/.exec(String(refused)) ?? [];
  expect(String(refused)).toContain(new Date(Number(reach) * 1_000).toISOString());
  const since = `pay_${(Number(reach) * 1_000).toString(16).padStart(12, "0").replace(/^.{8}/, "$&-")}`;
  const within = newestFirst.filter((id) => id > since);
  expect(within.length).toBeGreaterThan(0);
  expect(await find("weiss", since)).toEqual(within);
});
