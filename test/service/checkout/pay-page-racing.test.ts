import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { fakeNetwork, late } from "../../testkit/network/fake-network.ts";
import { openFile } from "../../testkit/database/open-database.ts";
import {
  hppExpiryMs,
  openPage,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const rounds = 25;

/** Opens two services on one database file, as two processes would, with one network that moves money. */
async function openTwoServices() {
  const { file, store } = await openFile();
  const network = fakeNetwork();
  const { networkOf } = network;
  const first = await openTestService({ store, networkOf });
  const second = await openTestService({ store: (await openFile({ file })).store, networkOf });
  const waitUntilCalled = async (times = 1) =>
    expect.poll(() => network.calls.length).toBeGreaterThanOrEqual(times);
  return { first, second, network, waitUntilCalled };
}

type Calls = ReturnType<typeof fakeNetwork>["calls"];

/** Describes a payment's outcome and the number of its charges. */
function describeEnd(payment: Payment, calls: Calls): string {
  const count = calls.filter(([, { id }]) => id === payment.id).length;
  return `${payment.decline_code ?? payment.status}, charges: ${count}`;
}

describe("at the same moment", () => {
  test("two payers call the network once", async () => {
    const { first, second, network } = await openTwoServices();
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(first, first.live);
      const attempts = [first, second, first, second].map(async ({ service }) =>
        service.payPage(page.token, typedVisa),
      );
      const outcomes = await Promise.all(attempts);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill("closed"));
      expect(describeEnd(await page.payment(), network.calls)).toBe("succeeded, charges: 1");
    }
    expect(network.calls).toHaveLength(rounds);
  });

  test("paying, canceling and expiring have one outcome", async () => {
    const { first, second, network } = await openTwoServices();
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(first, first.live);
      first.time.nowMs += hppExpiryMs - 1;
      second.time.nowMs = first.time.nowMs + 1; // the page has expired for the second service only
      const work = [
        async () => first.service.payPage(page.token, typedVisa),
        async () => second.service.settlePayments(),
        async () => first.service.cancelPage(page.token),
        async () => second.service.settlePayments(),
      ];
      await Promise.all(Array.from(work, async (_, i) => work[(i + round) % work.length]?.()));
      const ends = [
        "succeeded, charges: 1",
        "customer_canceled, charges: 0",
        "hpp_expired, charges: 0",
      ];
      expect(ends).toContain(describeEnd(await page.payment(), network.calls));
    }
  });
});

describe("while a card is at the network", () => {
  test("no other request pays, cancels or expires the page, and then it is paid", async () => {
    const { first, second, network, waitUntilCalled } = await openTwoServices();
    const answer = Promise.withResolvers<void>();
    network.steps.charge.push(late(answer.promise));
    const page = await openPage(first, first.live);
    const paying = first.service.payPage(page.token, typedVisa);
    await waitUntilCalled();
    expect(await second.service.payPage(page.token, typedVisa)).toEqual({ outcome: "closed" });
    expect(await second.service.cancelPage(page.token)).toBe("closed");
    expect((await second.service.findPage(page.token)).state).toBe("processing");
    expect(await second.service.settlePayments()).toBe(0);
    expect(await page.payment()).toMatchObject({ status: "pending" });
    answer.resolve();
    await paying;
    expect(describeEnd(await page.payment(), network.calls)).toBe("succeeded, charges: 1");
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
  });

  test("its expiry waits for the answer", async () => {
    const { first, second, network, waitUntilCalled } = await openTwoServices();
    const answer = Promise.withResolvers<void>();
    network.steps.charge.push(late(answer.promise));
    const page = await openPage(first, first.live);
    first.time.nowMs += hppExpiryMs - 1;
    const paying = first.service.payPage(page.token, typedVisa);
    await waitUntilCalled();
    second.time.nowMs = first.time.nowMs + 1_000;
    expect(await second.service.settlePayments()).toBe(0);
    expect((await second.service.findPage(page.token)).state).toBe("processing");
    answer.resolve();
    await paying;
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
    expect(await second.service.settlePayments()).toBe(0);
  });
});

test("a page that one replica is expiring is paid by a customer whose replica has a clock that is behind", async () => {
  const { first, second, network, waitUntilCalled } = await openTwoServices();
  const answer = Promise.withResolvers<void>();
  network.steps.charge.push(late(answer.promise));
  const page = await openPage(first, first.live);
  first.time.nowMs += hppExpiryMs - 1;
  second.time.nowMs = first.time.nowMs + 1;
  const { store, service } = second;
  const paying: Promise<unknown>[] = [];
  const behind = await openTestService({
    networkOf: network.networkOf,
    clock: () => second.time.nowMs,
    store: {
      ...store,
      closePage: async (write) => {
        paying.push(first.service.payPage(page.token, typedVisa)); // between lease and closing
        await waitUntilCalled();
        return await store.closePage(write);
      },
    },
  });
  expect(await behind.service.settlePayments()).toBe(1);
  expect(await page.payment()).toMatchObject({ status: "pending" });
  expect((await service.findPage(page.token)).state).toBe("processing");
  answer.resolve();
  await Promise.all(paying);
  expect(describeEnd(await page.payment(), network.calls)).toBe("succeeded, charges: 1");
});
