import { describe, expect, test } from "vitest";
import { testCards } from "../../../src/contract/card.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Store } from "../../../src/service/service.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import {
  createRecordingNetwork,
  hppExpiryMs,
  openNewStore,
  openPage,
  openTestService,
  processingTimeMs,
  startMs,
  startSeconds,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

/** Of the others, authentication-required leads to the challenge page. */
const declining = testCards.filter(
  ({ outcome }) => outcome !== "succeeded" && outcome !== "authentication_required",
);
const away = new Unavailable("away");
const failing = async (): Promise<never> => {
  throw away;
};

describe("paying on a page", () => {
  test("succeeds with the card and the name that were typed", async () => {
    const opened = await openTestService();
    const { token, created, payment, state } = await openPage(opened, opened.test);
    opened.time.nowMs += 5_000;
    expect(await opened.service.payPage(token, typedVisa)).toEqual({ outcome: "closed" });
    expect(await payment()).toEqual({
      ...created,
      status: "succeeded",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
      customer: { email: "", name: "A. Lovelace" },
      succeeded_at: startSeconds + 5,
    });
    expect(await state()).toBe("paid");
  });

  test("keeps the name of the payment's creation", async () => {
    const opened = await openTestService();
    const customer = { first_name: "Ada" };
    const { token, payment } = await openPage(opened, opened.test, { customer });
    await opened.service.payPage(token, typedVisa);
    expect((await payment()).customer.name).toBe("Ada");
  });

  test("calls the network of the payment's mode with the payment's id", async () => {
    const networks = { test: createRecordingNetwork(), live: createRecordingNetwork() };
    const opened = await openTestService({
      networkOf: ({ livemode }) => networks[livemode ? "live" : "test"].networkOf(),
    });
    const { token, created } = await openPage(opened, opened.live);
    await opened.service.payPage(token, typedVisa);
    expect(networks.test.calls).toEqual([]);
    expect(networks.live.calls).toEqual([
      {
        id: created.id,
        accountId: opened.live.accountId,
        amount: 4999,
        currency: "eur",
        description: null,
        customer: { email: null, name: "A. Lovelace" },
        returnUrl: `${created.redirect_url}/return`,
        reference: null,
        last4: "4242",
        begunAtMs: startMs,
        card: {
          number: "4242424242424242",
          exp_month: 12,
          exp_year: 2030,
          cvc: "987",
          holder_name: "A. Lovelace",
        },
      },
    ]);
  });

  test("an expired page is gone, and no network is called", async () => {
    const network = createRecordingNetwork();
    const opened = await openTestService({ networkOf: network.networkOf });
    const { token } = await openPage(opened, opened.test);
    opened.time.nowMs += hppExpiryMs;
    expect(await opened.service.payPage(token, typedVisa)).toEqual({ outcome: "gone" });
    expect(network.calls).toEqual([]);
  });
});

describe("a card that will be declined", () => {
  test.each(declining)("$name: is processed first, then fails", async ({ number, outcome }) => {
    const opened = await openTestService();
    const { token, created, payment, state } = await openPage(opened, opened.test);
    await opened.service.payPage(token, { ...typedVisa, number });
    expect(await payment()).toMatchObject({
      status: "pending",
      card: { last4: number.slice(-4) },
      decline_code: null,
    });
    expect(await state()).toBe("processing");
    opened.time.nowMs += processingTimeMs - 1;
    expect(await opened.service.settlePayments()).toBe(0);
    opened.time.nowMs += 1;
    await opened.service.settlePayments();
    expect(await payment()).toMatchObject({
      id: created.id,
      status: "failed",
      decline_code: outcome,
      failed_at: startSeconds + 1,
    });
    expect(await opened.service.findPage(token)).toMatchObject({
      state: "declined",
      declineCode: outcome,
    });
  });

  test("succeeds with its card where the network later approves it", async () => {
    const network = createRecordingNetwork().networkOf();
    const networkOf = () => ({
      ...network,
      lookUp: async () => ({ outcome: "approved", reference: "r" }) as const,
    });
    const opened = await openTestService({ networkOf });
    const { token, payment } = await openPage(opened, opened.test);
    await opened.service.payPage(token, { ...typedVisa, number: "4000000000000002" });
    await opened.settle();
    expect(await payment()).toMatchObject({ status: "succeeded", card: { last4: "0002" } });
  });

  test("cannot be replaced with another card meanwhile", async () => {
    const network = createRecordingNetwork();
    const opened = await openTestService({ networkOf: network.networkOf });
    const { token, payment } = await openPage(opened, opened.test);
    await opened.service.payPage(token, { ...typedVisa, number: "4000000000000002" });
    expect(await opened.service.payPage(token, typedVisa)).toEqual({ outcome: "closed" });
    await opened.settle();
    expect(await payment()).toMatchObject({ status: "failed", decline_code: "generic_decline" });
    expect(network.calls).toHaveLength(1);
  });
});

test("a mistake in the form is reported with its field, charges nothing, and leaves the page open", async () => {
  const network = createRecordingNetwork();
  const opened = await openTestService({ networkOf: network.networkOf });
  const { token, created, payment } = await openPage(opened, opened.test);
  const attempt = await opened.service.payPage(token, {
    number: "4242 4242 4242 4241",
    expiry: "10/26",
    cvc: "12",
    name: "Ada",
  });
  expect(attempt).toMatchObject({
    outcome: "mistakes",
    mistakes: {
      number: expect.any(String),
      expiry: expect.any(String),
      cvc: expect.any(String),
    },
    prefill: { expiry: "10/26", name: "Ada" },
    page: { state: "open", token },
  });
  expect(JSON.stringify(attempt)).not.toMatch(/4241|"12"|4242/);
  expect(await payment()).toEqual(created);
  expect(network.calls).toEqual([]);
  await opened.service.payPage(token, typedVisa);
  expect(await payment()).toMatchObject({ status: "succeeded" });
});

describe("when something fails on the way", () => {
  test("a busy network: the page says so, stays open, and can be paid", async () => {
    const fake = fakeNetwork();
    fake.isFull = true;
    const opened = await openTestService({ networkOf: fake.networkOf });
    const { token, created, payment, state } = await openPage(opened, opened.live);
    expect(await opened.service.payPage(token, typedVisa)).toEqual({
      outcome: "busy",
      prefill: { expiry: typedVisa.expiry, name: typedVisa.name },
      page: await opened.service.findPage(token),
    });
    expect(await state()).toBe("open");
    expect(await payment()).toEqual(created);
    expect(fake.calls).toEqual([]);
    fake.isFull = false;
    await opened.service.payPage(token, typedVisa);
    expect(await payment()).toMatchObject({ status: "succeeded" });
  });

  test("an error of the built-in network: the page stays open", async () => {
    const network = { ...createRecordingNetwork().networkOf(), charge: failing };
    const opened = await openTestService({ networkOf: () => network });
    const { token, state } = await openPage(opened, opened.test);
    await expect(opened.service.payPage(token, typedVisa)).rejects.toBe(away);
    expect(await state()).toBe("open");
  });

  test("an error of the store after the charge: the next attempt charges nothing", async () => {
    const { store, working } = await storeFailingAt("chargePage");
    const network = createRecordingNetwork();
    const { networkOf } = network;
    const opened = await openTestService({ store, networkOf });
    const { token, payment } = await openPage(opened, opened.test);
    await expect(opened.service.payPage(token, typedVisa)).rejects.toBe(away);
    const next = await openTestService({ store: working, networkOf });
    await next.service.payPage(token, typedVisa);
    expect(await payment()).toMatchObject({ status: "succeeded" });
    expect(network.calls).toHaveLength(2);
    expect(network.charged.size).toBe(1);
  });
});

/** A store with one failing method, and the same store without the failure. */
async function storeFailingAt(method: keyof Store): Promise<{ store: Store; working: Store }> {
  const working = await openNewStore();
  return { store: { ...working, [method]: failing }, working };
}
