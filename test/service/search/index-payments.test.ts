import { expect, onTestFinished, test } from "vitest";
import { maxIdOf } from "../../../src/service/database/ids.ts";
import { queryRows, type Driver } from "../../../src/service/database/driver.ts";
import { createPaymentStore } from "../../../src/service/payments/payments-store.ts";
import { createSearchStore } from "../../../src/service/search/search-store.ts";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import {
  bodyWith,
  declined,
  openPage,
  openTestService,
  startMs,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";
import { paymentIn } from "../../testkit/database/records.ts";
import { writeOf } from "../database/contract/writes.ts";

const minuteMs = 60_000;

async function openIndexed() {
  const { driver, store, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const opened = await openTestService({ store, searchLagMs: 0 });
  const { service, pay, test: scope, time } = opened;
  const count = async (sql: string) => {
    const [row] = await driver.read(() => queryRows<{ count: number }>(sql, []));
    return Number(row?.count);
  };
  return {
    ...opened,
    driver,
    payFor: async (description: string) => pay(scope, bodyWith({ description })),
    find: async (search: string) => (await service.listPayments(scope, { search })).items.length,
    index: async () => {
      const { indexed, merged } = await service.indexPayments();
      await merged;
      return indexed;
    },
    countSegments: async () => count("SELECT COUNT(*) AS count FROM search_segments"),
    countBlocks: async (condition = "1 = 1") =>
      count(`SELECT COUNT(*) AS count FROM search_blocks WHERE ${condition}`),
    waitMs: (ms: number) => {
      time.nowMs += ms;
    },
  };
}

/** Two payments for tea, each in a segment of its own. */
async function openTwoSegments() {
  const opened = await openIndexed();
  await opened.index();
  for (let segments = 0; segments < 2; segments++) {
    await opened.payFor("tea");
    await opened.index();
  }
  return opened;
}

test("says how old the oldest payment is that is not in the index", async () => {
  const { service, payFor, index, waitMs } = await openIndexed();
  await index();
  expect(await service.measureSearchBehind()).toBe(0);
  await payFor("tea");
  waitMs(5_000);
  await payFor("more tea");
  expect(Math.floor(await service.measureSearchBehind())).toBe(5);
  expect(await index()).toBe(2);
  expect(await service.measureSearchBehind()).toBe(0);
});

test("says whether there is anything to index, also what a program of before has left", async () => {
  const { store, driver, payFor, index, waitMs } = await openIndexed();
  const isAny = store.hasIndexesToWrite;
  expect(await isAny()).toBe(false); // an account without payments needs no index
  await payFor("tea");
  expect(await isAny()).toBe(true);
  await index();
  await index();
  waitMs(2 * minuteMs);
  await index(); // nothing appears any more where it has looked
  expect(await isAny()).toBe(false);
  await driver.write(() => queryRows("UPDATE search_progress SET rules = rules - 1", []));
  expect(await isAny()).toBe(true);
});

test("is at rest when nothing is left to index, to merge or to delete", async () => {
  const { service, payFor, index, waitMs } = await openTwoSegments();
  const isAtRest = async () => {
    const pass = await service.indexPayments();
    await pass.merged;
    return pass.isAtRest;
  };
  await payFor("tea");
  expect(await isAtRest()).toBe(false);
  waitMs(2 * minuteMs);
  await index();
  expect(await isAtRest()).toBe(false); // what was merged is not deleted yet
  waitMs(2 * minuteMs);
  await index();
  expect(await isAtRest()).toBe(true);
});

test("a payment that is younger than the lag waits, and is found all the same", async () => {
  const { store, payFor, find } = await openIndexed();
  const { service } = await openTestService({ store, searchLagMs: 1_000 });
  await service.indexPayments();
  await payFor("tea");
  expect((await service.indexPayments()).indexed).toBe(0);
  expect(await find("tea")).toBe(1);
});

test("segments are merged at rest, and those that were merged are deleted a minute later", async () => {
  const { payFor, index, find, countSegments, countBlocks, waitMs } = await openIndexed();
  await index();
  await payFor("tea");
  await index();
  await payFor("tea");
  await index();
  expect(await countSegments()).toBe(2);
  await index(); // nothing is left to index: the two become one
  expect(await countSegments()).toBe(3);
  waitMs(59_000);
  await index();
  expect([await countSegments(), await countBlocks()]).toEqual([3, 3]);
  waitMs(2_000);
  await index();
  expect([await countSegments(), await countBlocks()]).toEqual([1, 1]);
  expect(await find("tea")).toBe(2);
});

test("a payment that appears late is looked for at once among the newest, and further back more rarely", async () => {
  const { store, test: scope, index, time } = await openIndexed();
  const appear = async (lateMs: number) =>
    store.createPayment(() => writeOf(paymentIn("succeeded", time.nowMs - lateMs), { scope }));
  /** Two seconds, in which one payment appears in time, and is indexed. */
  const goOn = async () => {
    await appear(1_000);
    time.nowMs += 2_000;
    return await index();
  };
  /** How often the service looks until it indexes a late payment, with the others of its range. */
  const countLooksFor = async (lateMs: number) => {
    await appear(lateMs);
    for (let looks = 1; looks <= 20; looks++) if ((await goOn()) > 1) return looks;
    return Infinity;
  };
  for (let seconds = 0; seconds < 60; seconds += 2) await goOn();
  expect(await countLooksFor(4_000)).toBe(1);
  for (let part = 0; part < 4; part++) expect(await countLooksFor(10_000)).toBeLessThanOrEqual(4);
  const looks = await countLooksFor(30_000);
  expect(looks).toBeGreaterThan(1);
  expect(looks).toBeLessThanOrEqual(16);
});

test("a merged segment is deleted with all its blocks, and no other one", async () => {
  const { store, test: scope, index, countSegments, countBlocks, waitMs } = await openIndexed();
  await index();
  // The words of each payment are its own: together they take more blocks than are deleted at once.
  const words = Array.from({ length: 80 }, (_, word) => `word${word}`);
  const numbers = Array.from({ length: 1_000 }, (_, number) => number);
  await Promise.all(
    numbers.map(async (number) => {
      const description = words.map((word) => `${word}of${number}`).join(" ");
      const payment = { ...paymentIn("succeeded", startMs), description };
      await store.createPayment(() => writeOf(payment, { scope }));
    }),
  );
  await index();
  const blocks = await countBlocks();
  expect(blocks).toBeGreaterThan(2 * 256);
  await store.createPayment(() => writeOf(paymentIn("succeeded", startMs), { scope }));
  waitMs(1);
  await index();
  await index(); // the two become one
  expect(await countSegments()).toBe(3);
  waitMs(61_000);
  await index();
  expect(await countSegments()).toBe(1);
  expect(await countBlocks()).toBeLessThanOrEqual(blocks + 1);
  expect(await countBlocks()).toBeGreaterThan(blocks - 10);
});

test("segments of payments from before the index are merged at rest, too", async () => {
  const { driver, payFor, index, find, countSegments, waitMs } = await openIndexed();
  await payFor("tea");
  await payFor("tea");
  waitMs(2 * minuteMs);
  await index();
  await driver.write(() => queryRows("UPDATE search_progress SET covered_from = covered_to", []));
  await index(); // all once more, as a second segment
  expect(await countSegments()).toBe(2);
  expect(await index()).toBe(0);
  waitMs(61_000);
  await payFor("milk");
  await index();
  expect(await countSegments()).toBe(2); // one of both, and the new one
  expect([await find("tea"), await find("milk")]).toEqual([2, 1]);
});

test("among more payments of a status than are looked at, one of another status is not found by it", async () => {
  const opened = await openIndexed();
  const { service, store, driver, test: scope, pay, payFor, index, settle } = opened;
  // Each of another millisecond, so that no two have the same key.
  const many = Array.from({ length: 2_001 }, (_, at) => paymentIn("succeeded", startMs - 1 - at));
  await Promise.all(many.map(async (each) => store.createPayment(() => writeOf(each, { scope }))));
  await payFor("tea");
  await pay(scope, { ...declined, description: "cake" });
  const page = await openPage(opened, scope, { description: "milk" });
  await settle();
  await index();
  const find = async (search: string) =>
    (await service.listPayments(scope, { search, status: "succeeded" })).items.length;
  expect([await find("tea"), await find("cake"), await find("milk")]).toEqual([1, 0, 0]);
  await service.payPage(page.token, { ...typedVisa, number: declined.card.number });
  await settle();
  expect(await find("milk")).toBe(0); // its change is not indexed yet
  // A replica that remembers nothing yet looks at the changed payment itself.
  const replica = await openTestService({ store: { ...store, ...createPaymentStore(driver) } });
  const query = { search: "milk", status: "succeeded" } as const;
  expect((await replica.service.listPayments(scope, query)).items).toEqual([]);
});

test.each([
  { meanwhile: "mergeSegments", segments: 4 }, // two that were merged into a third, and that of the batch
  { meanwhile: "indexPayments", segments: 3 }, // that of the other batch
] as const)("a batch is indexed once where $meanwhile comes between", async (each) => {
  const { driver, test: scope, payFor, find, countSegments, time } = await openTwoSegments();
  await payFor("tea");
  time.nowMs += minuteMs;
  const search = createSearchStore(driver);
  const lease = { scope, owner: "this" };
  await search.leaseIndex(lease, time.nowMs, time.nowMs + minuteMs);
  const part = { upTo: maxIdOf("pay_"), settledTo: "", limit: 10, lateMs: undefined };
  const sizes = { minPayments: 0, maxPayments: 10, minSegments: 2 };
  const meanwhile = {
    mergeSegments: async () => search.mergeSegments(lease, sizes, () => time.nowMs),
    indexPayments: async () => search.indexPayments(lease, part),
  };
  /** The batch has been read and is not written yet. */
  const write: Driver["write"] = async (work, ...rest) => {
    await meanwhile[each.meanwhile]();
    return await driver.write(work, ...rest);
  };
  await createSearchStore({ ...driver, write }).indexPayments(lease, part);
  expect(await countSegments()).toBe(each.segments);
  expect(await find("tea")).toBe(3);
});

test("another replica takes over when a lease has ended, and deletes what a merge has left", async () => {
  const { store, driver, payFor, index, find, countBlocks, waitMs } = await openIndexed();
  await index();
  await payFor("tea");
  await index();
  const leftover =
    "INSERT INTO search_blocks (account_id, livemode, segment, list, start, data) SELECT account_id, livemode, 99, -1, 0, data FROM search_blocks";
  await driver.write(() => queryRows(leftover, []));
  const { service, time } = await openTestService({ store, searchLagMs: 0 });
  await payFor("tea");
  expect((await service.indexPayments()).indexed).toBe(0); // the first replica's lease lasts
  time.nowMs += minuteMs;
  waitMs(minuteMs);
  expect((await service.indexPayments()).indexed).toBe(1);
  expect(await countBlocks("segment = 99")).toBe(0);
  expect(await find("tea")).toBe(2);
});

test("a search may read what a merge has replaced for a while from its end, however long it took", async () => {
  const { driver, test: scope, countSegments, time } = await openTwoSegments();
  const search = createSearchStore(driver);
  time.nowMs += minuteMs;
  const lease = { scope, owner: "this" };
  await search.leaseIndex(lease, time.nowMs, time.nowMs + 10 * minuteMs);
  const write: Driver["write"] = async (work, ...rest) => {
    time.nowMs += minuteMs;
    return await driver.write(work, ...rest);
  };
  const sizes = { minPayments: 0, maxPayments: 10, minSegments: 2 };
  await createSearchStore({ ...driver, write }).mergeSegments(lease, sizes, () => time.nowMs);
  await search.purgeRetiredSegments(lease, time.nowMs - 1);
  expect(await countSegments()).toBe(3);
  await search.purgeRetiredSegments(lease, time.nowMs);
  expect(await countSegments()).toBe(1);
});

test("a merge that takes minutes keeps its lease while nothing else is due", async () => {
  const { store, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  let gate = Promise.resolve();
  const merges: boolean[] = [];
  const mergeSegments: typeof store.mergeSegments = async (merged, sizes, ...rest) => {
    await gate;
    const hasMerged = await store.mergeSegments(merged, sizes, ...rest);
    if (sizes.minPayments === 0) merges.push(hasMerged);
    return hasMerged;
  };
  const opened = await openTestService({ store: { ...store, mergeSegments }, searchLagMs: 0 });
  const { service, pay, test: scope, time } = opened;
  const index = async () => (await service.indexPayments()).merged;
  for (let segments = 0; segments < 2; segments++) {
    await pay(scope, bodyWith({ description: "tea" }));
    await index();
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  merges.length = 0;
  const { merged } = await service.indexPayments();
  for (let seconds = 0; seconds < 200; seconds += 20) {
    time.nowMs += 20_000;
    await service.indexPayments();
  }
  await pay(scope, bodyWith({ description: "milk" }));
  await service.indexPayments();
  resolve();
  await merged;
  expect(merges[0]).toBe(true);
});

test("a merge that has lost its lease before its end replaces nothing", async () => {
  const { driver, test: scope, countSegments, time } = await openTwoSegments();
  const search = createSearchStore(driver);
  const [first, second] = [
    { scope, owner: "first" },
    { scope, owner: "second" },
  ];
  time.nowMs += minuteMs;
  const untilMs = time.nowMs + minuteMs;
  expect(await search.leaseIndex(first, time.nowMs, untilMs)).toBe(true);
  let writes = 0;
  /** Another replica leases the index before the third write of the merge, its last. */
  const write: Driver["write"] = async (work, ...rest) => {
    if (++writes === 3) await search.leaseIndex(second, untilMs, untilMs + minuteMs);
    return await driver.write(work, ...rest);
  };
  const sizes = { minPayments: 0, maxPayments: 10, minSegments: 2 };
  await createSearchStore({ ...driver, write }).mergeSegments(first, sizes, () => time.nowMs);
  expect([writes, await countSegments()]).toEqual([3, 2]);
  expect(await search.leaseIndex(first, untilMs, untilMs + minuteMs)).toBe(false);
});
