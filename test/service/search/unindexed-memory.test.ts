import { expect, onTestFinished, test } from "vitest";
import { type Driver, queryRows } from "../../../src/service/database/driver.ts";
import { createPaymentStore } from "../../../src/service/payments/payments-store.ts";
import { toPaymentFilter } from "../../../src/service/search/payment-terms.ts";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import { paymentIn } from "../../testkit/database/records.ts";
import {
  countTurns,
  createCountingDriver,
  createRecordingDriver,
} from "../../testkit/database/watched-driver.ts";
import { openTestService, startMs } from "../../testkit/service/open-test-service.ts";
import { writeOf } from "../database/contract/writes.ts";

/** Two replicas over one database: searches of `ours` are remembered from the second one on. */
async function openReplicas() {
  const { driver, store, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const { service, test: scope, time } = await openTestService({ store, searchLagMs: 0 });
  const counting = createCountingDriver(driver);
  const { driver: recording, queries } = createRecordingDriver(counting.driver);
  const ours = createPaymentStore(recording);
  const index = async () => {
    const { indexed, merged } = await service.indexPayments();
    await merged;
    return indexed;
  };
  const create = async (
    by: Pick<typeof ours, "createPayment">,
    text: string,
    atMs: number,
    of = scope,
  ) => {
    const payment = { ...paymentIn("succeeded", atMs), description: text };
    await by.createPayment(() => writeOf(payment, { scope: of, nowMs: atMs }));
    return payment;
  };
  const find = async (search: string, by = ours, of = scope) => {
    const page = { above: "", below: "pay_g", direction: "forward" as const, limit: 100 };
    const filter = toPaymentFilter({ search });
    const { items } = await by.listPayments(of, { ...page, filter });
    return items.length;
  };
  const forgetWriters = async () => driver.write(() => queryRows("DELETE FROM search_writers", []));
  await index();
  time.nowMs = startMs + 1_000;
  await create(ours, "cake", startMs);
  for (let times = 0; times < 3; times++) expect(await find("cake")).toBe(1);
  return {
    driver,
    theirs: createPaymentStore(driver),
    ours,
    scope,
    create,
    find,
    index,
    forgetWriters,
    time,
    counting,
    queries,
  };
}

/** A replica whose writes, once they have begun, go on when the function is called that `stall` returns. */
function createStalled(driver: Driver) {
  let gate = Promise.resolve();
  const write: Driver["write"] = async (work, accountId, shared) => {
    shared?.item();
    await gate;
    return await driver.write(work, accountId, shared);
  };
  return {
    store: createPaymentStore({ ...driver, write }),
    stall: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    goOn: () => {
      gate = Promise.resolve();
    },
  };
}

function listWords(length: number): string {
  return Array.from({ length }, (_, at) => `word${at}`).join(" ");
}

test("what the index lacks is read once, and not by every search", async () => {
  const { ours, create, find, counting } = await openReplicas();
  const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
  await Promise.all(numbers.map(async (at) => create(ours, `tea number${at}`, startMs + at)));
  expect(await find("number7")).toBe(1);
  const before = counting.rows();
  for (let at = 1; at <= 10; at++) expect(await find(`number${at}`)).toBe(1);
  expect(counting.rows() - before).toBeLessThan(10 * 12);
});

test.each([
  ["as much as it may", 1, true],
  ["less where it remembers the payments of another account, too", 2, false],
])("of what it creates a replica keeps %s", async (_, accounts, isKept) => {
  const { ours, scope, create, find, index, queries } = await openReplicas();
  if (accounts > 1) {
    const other = { ...scope, livemode: true };
    await create(ours, "cake", startMs, other);
    await index();
    for (let times = 0; times < 3; times++) await find("cake", ours, other);
  }
  const text = listWords(25_000);
  for (let at = 1; at <= 25; at++) await create(ours, text, startMs + at);
  queries.length = 0;
  expect(await find("cake")).toBe(1);
  const readsAll = queries.some(({ sql }) => sql.startsWith("SELECT id, payment FROM payments"));
  expect(readsAll).toBe(!isKept);
});

test("other requests have their turns while large payments are read", async () => {
  const { theirs, create, find } = await openReplicas();
  const text = listWords(4_000);
  for (let at = 1; at <= 40; at++) await create(theirs, text, startMs + at);
  const turns = countTurns();
  for (let times = 0; times < 3; times++) expect(await find("cake")).toBe(1);
  expect(turns()).toBeGreaterThan(12);
});

test.each(["ours", "theirs"] as const)(
  "finds what has appeared since the last search of %s",
  async (by) => {
    const { create, find, index, ...replicas } = await openReplicas();
    for (let at = 1; at <= 20; at++) {
      await create(replicas[by], "tea", startMs + at);
      expect(await find("tea")).toBe(at);
      if (at % 5 !== 0) continue;
      await index();
      expect(await find("tea")).toBe(at);
    }
  },
);

test.each([true, false])(
  "finds what appears late, after newer ones were found, and were indexed: %s",
  async (isIndexed) => {
    const { driver, ours, theirs, create, find, index } = await openReplicas();
    await create(theirs, "first", startMs + 1); // it is known that this replica writes
    const stalled = createStalled(driver);
    await create(stalled.store, "milk", startMs + 5);
    const commit = stalled.stall();
    const late = create(stalled.store, "tea", startMs + 10);
    for (let at = 20; at < 30; at++) {
      await create(ours, "milk", startMs + at);
      await create(theirs, "milk", startMs + at);
      expect(await find("tea")).toBe(0);
    }
    if (isIndexed) await index();
    expect(await find("milk")).toBe(21);
    commit();
    await late;
    expect(await find("tea")).toBe(1);
    expect(await find("milk")).toBe(21);
  },
);

test("finds what this replica has begun before others that it has found", async () => {
  const { driver, create, find, time, index, forgetWriters } = await openReplicas();
  const stalled = createStalled(driver);
  await forgetWriters();
  const both = stalled.store;
  await create(both, "milk", startMs + 1);
  for (let times = 0; times < 3; times++) expect(await find("milk", both)).toBe(1);
  const commit = stalled.stall();
  const late = create(both, "tea", startMs + 2);
  stalled.goOn();
  await create(both, "milk", startMs + 3);
  expect([await find("milk", both), await find("tea", both)]).toEqual([2, 0]);
  time.nowMs = startMs + 1_000;
  await index();
  expect([await find("milk", both), await find("tea", both)]).toEqual([2, 0]);
  commit();
  await late;
  expect([await find("milk", both), await find("tea", both)]).toEqual([2, 1]);
});

test("finds what another replica has created whose clock is behind", async () => {
  const { driver, ours, create, find } = await openReplicas();
  await create(ours, "milk", startMs + 500);
  expect(await find("milk")).toBe(1);
  await create(createPaymentStore(driver), "tea", startMs - 10_000);
  expect(await find("tea")).toBe(1);
});

test("finds what this replica has created while its clock was behind", async () => {
  const { ours, create, find } = await openReplicas();
  await create(ours, "milk", startMs + 500);
  expect(await find("milk")).toBe(1);
  await create(ours, "tea", startMs - 10_000);
  expect(await find("tea")).toBe(1);
});

test("finds what a program has created that does not announce it, also late", async () => {
  const { driver, theirs, create, find, index, forgetWriters } = await openReplicas();
  const stalled = createStalled(driver);
  const commit = stalled.stall();
  const late = create(stalled.store, "tea", startMs + 5);
  for (let at = 1; at < 9; at++) {
    await create(theirs, "milk", startMs + at);
    await forgetWriters();
    expect(await find("milk")).toBe(at);
    if (at % 4 === 0) await index();
  }
  commit();
  await late;
  await forgetWriters();
  expect(await find("tea")).toBe(1);
});

test("a writer is forgotten a minute after its last payment", async () => {
  const { driver, ours, theirs, create, index, time } = await openReplicas();
  const count = async () =>
    (await driver.read(() => queryRows("SELECT writer FROM search_writers", []))).length;
  await create(ours, "tea", startMs);
  await create(theirs, "tea", startMs);
  await index();
  expect(await count()).toBe(2);
  time.nowMs += 62_000;
  await create(ours, "tea", time.nowMs);
  await index();
  expect(await count()).toBe(1);
});
