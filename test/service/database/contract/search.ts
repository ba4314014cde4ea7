import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import { maxIdOf, toIdBound } from "../../../../src/service/database/ids.ts";
import { toPaymentFilter } from "../../../../src/service/search/payment-terms.ts";
import type { Store } from "../../../../src/service/service.ts";
import type { IndexLease } from "../../../../src/service/search/search-index-sql.ts";
import { card, newAccount, paymentIn } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { atMs, storedCharge, writeOf } from "./writes.ts";

const clock = () => atMs;

const minuteMs = 60_000;
const everything = { upTo: maxIdOf("pay_"), settledTo: "", lateMs: Infinity, limit: 100 };
const anySize = { minPayments: 0, maxPayments: 1_000, minSegments: 2 };

const named = (name: string) => ({ customer: { email: "", name } });

async function indexAll(store: Store, lease: IndexLease): Promise<void> {
  while ((await store.indexPayments(lease, everything)).indexed > 0);
}

/** The search index: what it covers, who writes it, and what is looked at directly. */
export function searchContract(stores: OpenStores): void {
  /** A store with an account, whose index begins at a time. */
  async function openIndexed({ fromMs = atMs - minuteMs } = {}) {
    const store = await (await stores()).open();
    const account = newAccount();
    await store.insertAccount(account);
    const scope = { accountId: account.account.id, livemode: false };
    const from = toIdBound("pay_", fromMs / 1000);
    const lease: IndexLease = { scope, owner: "one" };
    const create = async (description: string, nowMs = atMs, fields = {}): Promise<Payment> => {
      const payment = { ...paymentIn("succeeded", nowMs), ...fields, description };
      await store.createPayment(() => writeOf(payment, { scope, nowMs }));
      return payment;
    };
    const find = async (search: string, range = {}) => {
      const page = { above: "", below: maxIdOf("pay_"), direction: "forward" as const, limit: 10 };
      const filter = toPaymentFilter({ search });
      const { items } = await store.listPayments(scope, {
        ...page,
        ...range,
        filter,
      });
      return items.map((json) => (JSON.parse(json) as Payment).description);
    };
    const begin = async (): Promise<void> => {
      await store.findIndexesToWrite(from, atMs);
      expect(await store.leaseIndex(lease, atMs, atMs + minuteMs)).toBe(true);
    };
    const findDue = async () =>
      (await store.findIndexesToWrite(from, atMs)).filter(
        ({ scope: { accountId, livemode } }) => accountId === scope.accountId && !livemode,
      );
    return { store, scope, lease, create, find, begin, findDue };
  }

  describe("the search index", () => {
    test("finds by many words, one of which stands for several values", async () => {
      const { store, lease, create, find, begin } = await openIndexed();
      await begin();
      const other = { card: { ...card, last4: "1111" } };
      await create("first milk with tea");
      await create("second milk with tea 4242", atMs + 1, other);
      await create("third milk with tea", atMs + 2);
      for (let more = 0; more < 5; more++) await create("milk", atMs + 3, other);
      await indexAll(store, lease);
      expect(await find("tea 4242 milk")).toEqual([
        "third milk with tea",
        "second milk with tea 4242",
        "first milk with tea",
      ]);
    });

    test("finds by a beginning that is longer than what is indexed of one", async () => {
      const { store, lease, create, find, begin } = await openIndexed();
      await begin();
      const long = "abcdefghij".repeat(7);
      await create("a longer name", atMs, named(`${long}klm`));
      await create("also as a part", atMs + 1, named(`${long.slice(0, 64)} ${long}klm`));
      await create("a sign where it is cut", atMs + 2, named(`${"x".repeat(63)}-yz`));
      await create("a shorter name", atMs + 3, named(long.slice(0, 64)));
      for (const isIndexed of [false, true]) {
        if (isIndexed) await indexAll(store, lease);
        expect(await find(`${long}k`)).toEqual(["also as a part", "a longer name"]);
        expect(await find(long.slice(0, 65))).toEqual(["also as a part", "a longer name"]);
        expect(await find(`${"x".repeat(63)}-y`)).toEqual(["a sign where it is cut"]);
        expect(await find(`${"x".repeat(63)}-z`)).toEqual([]);
      }
    });

    test("finds payments that are indexed, and those that are not, in one order", async () => {
      const { store, lease, create, find, begin } = await openIndexed();
      await create("old tea", atMs - 2 * minuteMs);
      await begin();
      await create("tea 1");
      await create("coffee");
      await indexAll(store, lease);
      await create("tea 2");
      expect(await find("tea")).toEqual(["tea 2", "tea 1", "old tea"]);
      expect(await find("tea 1")).toEqual(["tea 1"]);
      expect(await find("tea", { direction: "backward", limit: 2 })).toEqual(["tea 1", "old tea"]);
      await indexAll(store, lease);
      expect(await find("tea")).toEqual(["tea 2", "tea 1", "old tea"]);
      expect(await store.findOldestUnindexed()).toBeUndefined();
    });

    test("finds a payment that appears in a part which is already indexed", async () => {
      const { store, lease, create, find, begin, findDue } = await openIndexed();
      await begin();
      await create("tea 1", atMs);
      await create("tea 3", atMs + 2);
      await indexAll(store, lease);
      await create("late tea", atMs + 1);
      expect(await find("tea")).toEqual(["tea 3", "late tea", "tea 1"]);
      expect((await store.indexPayments(lease, everything)).indexed).toBe(3);
      expect((await store.indexPayments(lease, everything)).indexed).toBe(0);
      expect(await find("tea")).toEqual(["tea 3", "late tea", "tea 1"]);
      expect(await find("late")).toEqual(["late tea"]);
      await create("later tea", atMs + 1);
      // Ranges that are settled are looked through once more, however far back the look goes.
      const settled = { ...everything, settledTo: maxIdOf("pay_"), lateMs: 0 };
      expect((await store.indexPayments(lease, settled)).indexed).toBe(4);
      expect(await find("later")).toEqual(["later tea"]);
      await store.indexPayments(lease, settled);
      expect(await findDue()).toEqual([]);
    });

    test("indexes few old payments while many new ones come", async () => {
      const { store, lease, create, begin } = await openIndexed({ fromMs: atMs });
      const createMany = async (count: number, fromMs: number) => {
        for (let first = 0; first < count; first += 100) {
          const numbers = Array.from({ length: 100 }, (_, at) => first + at);
          await Promise.all(numbers.map(async (number) => create("tea", fromMs + number)));
        }
      };
      await createMany(1_600, atMs - 2_000);
      await createMany(500, atMs + 1);
      await begin();
      const part = { ...everything, limit: 5_000 };
      const many = { indexed: 500 + 512, hasMore: false };
      expect(await store.indexPayments(lease, part)).toEqual(many);
      await createMany(500, atMs + 1_000);
      expect(await store.indexPayments(lease, part)).toEqual(many);
      await createMany(400, atMs + 2_000);
      const rest = { indexed: 400 + 1_600 - 2 * 512, hasMore: false };
      expect(await store.indexPayments(lease, part)).toEqual(rest);
    });

    test("indexes large payments in smaller steps, new ones and old ones", async () => {
      const { store, lease, create, find, begin } = await openIndexed({ fromMs: atMs });
      const large = { customer: { email: "", name: "x".repeat(20_000) } };
      for (let first = 0; first < 600; first += 100) {
        const numbers = Array.from({ length: 100 }, (_, at) => first + at);
        await Promise.all(
          numbers.flatMap((number) => [
            create(`old ${number}`, atMs - 700 + number, large),
            create(`new ${number}`, atMs + 1 + number, large),
          ]),
        );
      }
      await begin();
      const part = { ...everything, limit: 1_000 };
      const steps = [];
      for (let hasMore = true; hasMore;) {
        const step = await store.indexPayments(lease, part);
        steps.push(step.indexed);
        ({ hasMore } = step);
      }
      expect(steps.reduce((sum, indexed) => sum + indexed)).toBe(1_200);
      expect(steps).toEqual([512, 600, 88]);
      for (const number of [0, 87, 88, 511, 512, 599]) {
        expect(await find(`old ${number}`)).toEqual([`old ${number}`]);
        expect(await find(`new ${number}`)).toEqual([`new ${number}`]);
      }
    });

    test("finds what appears late in a range that is read in several steps, and ends where one of them does", async () => {
      const { store, lease, create, find, begin } = await openIndexed();
      const large = { customer: { email: "", name: "x".repeat(20_000) } };
      await begin();
      for (let first = 0; first < 511; first += 73) {
        const numbers = Array.from({ length: 73 }, (_, at) => first + at);
        await Promise.all(
          numbers.map(async (number) => create(`tea ${number}`, atMs + 2 * number, large)),
        );
      }
      const part = { ...everything, limit: 1_000 };
      expect((await store.indexPayments(lease, part)).indexed).toBe(511);
      await create("late tea", atMs + 1);
      expect((await store.indexPayments(lease, part)).indexed).toBe(512);
      await create("later tea", atMs + 1);
      expect(await find("later")).toEqual(["later tea"]);
      expect((await store.indexPayments(lease, part)).indexed).toBe(512);
      expect(await find("later")).toEqual(["later tea"]);
      expect(await find("510")).toEqual(["tea 510"]);
    });

    test("finds a payment by what it got after it was indexed", async () => {
      const { store, scope, lease, find, begin } = await openIndexed();
      await begin();
      const pending = { ...paymentIn("pending", atMs), description: "by page" };
      await store.createPayment(() =>
        writeOf(pending, {
          scope,
          page: { token: "t", returnUrl: null, expiresAtMs: atMs + minuteMs },
        }),
      );
      await indexAll(store, lease);
      const paidWith = { ...card, last4: "1881", country: "DE" };
      const payment = { ...pending, status: "pending" as const, card: paidWith };
      const charge = storedCharge();
      const claim = { nowMs: atMs, untilMs: atMs + 1 };
      expect(await store.chargePage({ scope, payment: payment as never, claim, charge })).toBe(
        true,
      );
      expect(await find("1881")).toEqual(["by page"]);
      expect((await store.indexPayments(lease, everything)).indexed).toBe(1);
      expect(await find("1881")).toEqual(["by page"]);
      expect((await store.indexPayments(lease, everything)).indexed).toBe(0);
    });

    test("tells payments apart that were created in the same millisecond, and whose ids end alike", async () => {
      const { store, scope, lease, find, begin } = await openIndexed();
      await begin();
      const { id } = paymentIn("succeeded", atMs);
      for (const part of ["1", "2", "3"]) {
        // Only the digits before the last three differ.
        const payment = { ...paymentIn("succeeded", atMs), id: `${id.slice(0, -4)}${part}abc` };
        await store.createPayment(() =>
          writeOf({ ...payment, description: `tea ${part}` }, { scope }),
        );
      }
      await indexAll(store, lease);
      expect(await find("tea")).toEqual(["tea 3", "tea 2", "tea 1"]);
      expect(await find("2")).toEqual(["tea 2"]);
      expect(await find("tea", { limit: 2, direction: "backward" })).toEqual(["tea 2", "tea 1"]);
      const last = `${id.slice(0, -4)}3abc`;
      expect(await find("tea", { below: last })).toEqual(["tea 2", "tea 1"]);
    });

    test("is written by one replica, until its lease ends", async () => {
      const { store, scope, lease, create, begin } = await openIndexed();
      await begin();
      const other = { scope, owner: "two" };
      expect(await store.leaseIndex(other, atMs + 1, atMs + minuteMs)).toBe(false);
      await create("tea");
      await store.indexPayments(other, everything);
      expect(await store.hasIndexesToWrite()).toBe(true);
      expect(await store.findOldestUnindexed()).toBeDefined();
      expect(await store.leaseIndex(other, atMs + minuteMs, atMs + 2 * minuteMs)).toBe(true);
      await store.indexPayments(lease, everything);
      expect(await store.findOldestUnindexed()).toBeDefined();
      await store.indexPayments(other, everything);
      expect(await store.findOldestUnindexed()).toBeUndefined();
    });

    test("finds the same after its segments were merged, and what was merged is deleted", async () => {
      const { store, lease, create, find, begin, findDue } = await openIndexed();
      await begin();
      for (let at = 1; at <= 200; at++) {
        await create(`tea ${at}`);
        if (at % 50 === 0) await indexAll(store, lease);
      }
      const before = await find("tea", { limit: 200 });
      expect(before).toHaveLength(200);
      expect(await store.mergeSegments(lease, { ...anySize, minSegments: 5 }, clock)).toBe(false);
      expect(await store.mergeSegments(lease, anySize, clock)).toBe(true);
      expect(await store.mergeSegments(lease, anySize, clock)).toBe(false);
      expect(await find("tea", { limit: 200 })).toEqual(before);
      expect(await find("17")).toEqual(["tea 17"]);
      await store.purgeRetiredSegments(lease, atMs + 1);
      await store.indexPayments(lease, { ...everything, settledTo: maxIdOf("pay_") });
      expect(await findDue()).toEqual([]);
      expect(await find("tea", { limit: 200 })).toEqual(before);
    });

    test("keeps the order of a word that has several blocks in each merged segment", async () => {
      const { store, lease, create, find, begin } = await openIndexed();
      await begin();
      // So far apart that about 450 of them fill a block.
      const numbers = Array.from({ length: 1_000 }, (_, number) => number);
      await Promise.all(
        numbers.map(async (number) => create(`tea ${number}`, atMs + number * minuteMs)),
      );
      while ((await store.indexPayments(lease, { ...everything, limit: 500 })).indexed > 0);
      expect(await store.mergeSegments(lease, { ...anySize, isPaced: true }, clock)).toBe(true);
      const newestFirst = numbers.toReversed().map((number) => `tea ${number}`);
      expect(await find("tea", { limit: 1_000 })).toEqual(newestFirst);
    });

    test("is not changed by a merge whose lease has ended, and what that left is deleted", async () => {
      const { store, scope, lease, create, find, begin } = await openIndexed();
      await begin();
      for (const part of [1, 2]) {
        await create(`tea ${part}`);
        await indexAll(store, lease);
      }
      const gone = new AbortController();
      gone.abort();
      await expect(store.mergeSegments(lease, anySize, clock, gone.signal)).rejects.toThrow(
        "aborted",
      );
      const other = { scope, owner: "two" };
      await store.leaseIndex(other, atMs + minuteMs, atMs + 2 * minuteMs);
      await store.purgeUnfinishedSegments(other);
      expect(await store.mergeSegments(lease, anySize, clock)).toBe(false);
      expect(await find("tea")).toEqual(["tea 2", "tea 1"]);
      expect(await store.mergeSegments(other, anySize, clock)).toBe(true);
      expect(await find("tea")).toEqual(["tea 2", "tea 1"]);
    });
  });
}
