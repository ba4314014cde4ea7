import { expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { toPaymentFilter } from "../../../src/service/search/payment-terms.ts";
import { createPaymentStore } from "../../../src/service/payments/payments-store.ts";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import { createCountingDriver } from "../../testkit/database/watched-driver.ts";
import { bodyWith, openTestService } from "../../testkit/service/open-test-service.ts";

const count = 2_000;

/** Payments of one millisecond, as in a sandbox whose clock stands still; one of them has a word of its own. */
async function openSameMs() {
  const { driver, store, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const { service, pay, test: scope, time } = await openTestService({ store, searchLagMs: 0 });
  await service.indexPayments();
  time.nowMs += 1;
  const all: Payment[] = [];
  for (let made = 0; made < count; made++) {
    const description = made === count / 2 ? "batch rare" : "batch";
    all.push(await pay(scope, bodyWith({ description })));
  }
  time.nowMs += 1;
  await (
    await service.indexPayments()
  ).merged;
  const counting = createCountingDriver(driver);
  const counted = createPaymentStore(counting.driver);
  return {
    newestFirst: all
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
    rows: counting.rows,
    find: async (search: string, range = {}) => {
      const page = { above: "", below: "pay_g", direction: "forward" as const, limit: 10 };
      const filter = toPaymentFilter({ search });
      const { items, hasMore } = await counted.listPayments(scope, {
        ...page,
        ...range,
        filter,
      });
      return { ids: items.map((json) => (JSON.parse(json) as Payment).id), hasMore };
    },
  };
}

test("a page of many payments of one millisecond costs no more than looking at each of them once", async () => {
  const { find, rows, newestFirst } = await openSameMs();
  const first = await find("batch");
  expect(first).toEqual({ ids: newestFirst.slice(0, 10), hasMore: true });
  expect(rows()).toBeLessThan(count / 2);
  const before = rows();
  const { ids } = await find("batch", { above: newestFirst[count / 2], direction: "backward" });
  expect(ids).toEqual(newestFirst.slice(count / 2 - 10, count / 2));
  expect(rows() - before).toBeLessThan(count / 2);
  expect((await find("rare")).ids).toHaveLength(1);
});
