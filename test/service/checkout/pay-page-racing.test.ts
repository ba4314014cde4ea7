import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { openFile } from "../../testkit/database/open-file.ts";
import { countingNetwork, openPage, typedVisa } from "../../testkit/service/open-page.ts";
import { hppExpiryMs, openTestService } from "../../testkit/service/open-test-service.ts";

const claimMs = 30_000;
const never = new Promise<void>(() => {});
const rounds = 25;

/** Two services over one database file, as two processes are, and the network that both ask. */
async function twoServices() {
  const { file, store } = await openFile();
  const network = countingNetwork();
  const { networkOf } = network;
  const first = await openTestService({ store, networkOf });
  const second = await openTestService({ store: (await openFile({ file })).store, networkOf });
  const untilAsked = async (times = 1) =>
    expect.poll(() => network.asked.length).toBeGreaterThanOrEqual(times);
  return { first, second, network, untilAsked };
}

/** A payment that one service has asked the network about, and will never hear of. */
async function crashed() {
  const services = await twoServices();
  const { first, second, network, untilAsked } = services;
  const page = await openPage(first, first.test);
  network.gate = never;
  void first.service.payPage(page.token, typedVisa);
  await untilAsked();
  network.gate = Promise.resolve();
  return { ...services, page, other: second };
}

/** How a payment ended, and how often the network was asked to charge it. */
function endOf(payment: Payment, asked: { id: string }[]): string {
  const times = asked.filter(({ id }) => id === payment.id).length;
  return `${payment.decline_code ?? payment.status}, asked ${times}`;
}

describe("at the same moment", () => {
  test("two payers ask the network once", async () => {
    const { first, second, network } = await twoServices();
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(first, first.test);
      const attempts = [first, second, first, second].map(async ({ service }) =>
        service.payPage(page.token, typedVisa),
      );
      const outcomes = await Promise.all(attempts);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill("closed"));
      expect(endOf(await page.payment(), network.asked)).toBe("succeeded, asked 1");
    }
    expect(network.asked).toHaveLength(rounds);
  });

  test("paying and canceling end it in one way", async () => {
    const { first, second, network } = await twoServices();
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(first, first.test);
      const [payer, other] = round % 2 === 0 ? [first, second] : [second, first];
      await Promise.all([
        payer.service.payPage(page.token, typedVisa),
        other.service.cancelPage(page.token),
      ]);
      const ends = ["succeeded, asked 1", "customer_canceled, asked 0"];
      expect(ends).toContain(endOf(await page.payment(), network.asked));
    }
  });

  test("paying, canceling and the end of its life end it in one way", async () => {
    const { first, second, network } = await twoServices();
    for (let round = 0; round < rounds; round++) {
      const page = await openPage(first, first.test);
      first.time.nowMs += hppExpiryMs - 1;
      second.time.nowMs = first.time.nowMs + 1; // for one there is still time, for the other there is none
      const work = [
        async () => first.service.payPage(page.token, typedVisa),
        async () => second.service.settlePayments(),
        async () => first.service.cancelPage(page.token),
        async () => second.service.settlePayments(),
      ];
      await Promise.all(Array.from(work, async (_, i) => work[(i + round) % work.length]?.()));
      const ends = ["succeeded, asked 1", "customer_canceled, asked 0", "hpp_expired, asked 0"];
      expect(ends).toContain(endOf(await page.payment(), network.asked));
    }
  });
});

describe("while a card is at the network", () => {
  test("no other request pays, cancels or ends the page, and then it is paid", async () => {
    const { first, second, network, untilAsked } = await twoServices();
    const answer = Promise.withResolvers<void>();
    network.gate = answer.promise;
    const page = await openPage(first, first.test);
    const paying = first.service.payPage(page.token, typedVisa);
    await untilAsked();
    expect(await second.service.payPage(page.token, typedVisa)).toEqual({ outcome: "closed" });
    expect(await second.service.cancelPage(page.token)).toBe("closed");
    expect((await second.service.findPage(page.token)).state).toBe("processing");
    expect(await second.service.settlePayments()).toBe(0);
    expect(await page.payment()).toEqual(page.created);
    answer.resolve();
    await paying;
    expect(endOf(await page.payment(), network.asked)).toBe("succeeded, asked 1");
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
  });

  test("the end of its life waits for the answer", async () => {
    const { first, second, network, untilAsked } = await twoServices();
    const answer = Promise.withResolvers<void>();
    network.gate = answer.promise;
    const page = await openPage(first, first.test);
    first.time.nowMs += hppExpiryMs - 1;
    const paying = first.service.payPage(page.token, typedVisa);
    await untilAsked();
    second.time.nowMs = first.time.nowMs + 1_000;
    expect(await second.service.settlePayments()).toBe(0);
    expect((await second.service.findPage(page.token)).state).toBe("processing");
    answer.resolve();
    await paying;
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
    expect(await second.service.settlePayments()).toBe(0);
  });
});

describe("a page that one process is ending", () => {
  test("is paid by a customer whose process still gives it time", async () => {
    const { first, second, network, untilAsked } = await twoServices();
    const answer = Promise.withResolvers<void>();
    network.gate = answer.promise;
    const page = await openPage(first, first.test);
    first.time.nowMs += hppExpiryMs - 1;
    second.time.nowMs = first.time.nowMs + 1;
    const { store, service } = second;
    const paying: Promise<unknown>[] = [];
    const late = await openTestService({
      networkOf: network.networkOf,
      clock: () => second.time.nowMs,
      store: {
        ...store,
        closePage: async (write) => {
          paying.push(first.service.payPage(page.token, typedVisa)); // between taking and closing
          await untilAsked();
          return await store.closePage(write);
        },
      },
    });
    expect(await late.service.settlePayments()).toBe(1);
    expect(await page.payment()).toMatchObject({ status: "pending" });
    expect((await service.findPage(page.token)).state).toBe("processing");
    answer.resolve();
    await Promise.all(paying);
    expect(endOf(await page.payment(), network.asked)).toBe("succeeded, asked 1");
  });
});

describe("when the process that charges ends before it writes the outcome", () => {
  test("the page waits until the claim has run out, then a second try charges once", async () => {
    const { page, other, network } = await crashed();
    other.time.nowMs += claimMs - 1;
    expect(await other.service.payPage(page.token, typedVisa)).toEqual({ outcome: "closed" });
    expect(await page.payment()).toMatchObject({ status: "pending", card: null });
    other.time.nowMs += 1;
    await other.service.payPage(page.token, typedVisa);
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
    expect(network.asked).toHaveLength(2);
    expect([...network.charged.keys()]).toEqual([page.created.id]);
  });

  test("an answer that comes after all changes nothing more", async () => {
    const { first, second, network, untilAsked } = await twoServices();
    const late = Promise.withResolvers<void>();
    network.gate = late.promise;
    const page = await openPage(first, first.test);
    const paying = first.service.payPage(page.token, typedVisa);
    await untilAsked();
    network.gate = Promise.resolve();
    second.time.nowMs += claimMs;
    await second.service.payPage(page.token, typedVisa);
    const paid = await page.payment();
    first.time.nowMs += 2 * claimMs;
    late.resolve();
    expect(await paying).toEqual({ outcome: "closed" });
    expect(await page.payment()).toEqual(paid);
  });

  test("an answer that comes late, but before anybody else, still counts", async () => {
    const { first, network, untilAsked } = await twoServices();
    const late = Promise.withResolvers<void>();
    network.gate = late.promise;
    const page = await openPage(first, first.test);
    const paying = first.service.payPage(page.token, typedVisa);
    await untilAsked();
    first.time.nowMs += claimMs + 1;
    late.resolve();
    await paying;
    expect(await page.payment()).toMatchObject({ status: "succeeded" });
  });
});
