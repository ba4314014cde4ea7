import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { fakeNetwork, toBankUrl, unreached } from "../../testkit/network/fake-network.ts";
import {
  openNewStore,
  openPage,
  openStoreWith,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const asked = { ...typedVisa, number: "4000002760003184" };

/** Opens a live payment whose customer is at the bank; `seen` is what was written when the cancel was sent. */
async function openAtBank(options: Parameters<typeof openTestService>[0] = {}) {
  const fake = fakeNetwork();
  const opened = await openTestService({ networkOf: fake.networkOf, ...options });
  const { service, live: scope, store } = opened;
  const page = await openPage(opened, scope);
  const { id } = page.created;
  await service.payPage(page.token, asked);
  const chargeOf = async () => store.findCharge(scope, id);
  const seen: unknown[] = [];
  fake.steps.cancel.push(async (decide) => {
    seen.push({ ...(await page.payment()), ...(await chargeOf()) });
    return decide();
  });
  return { ...opened, ...page, id, fake, scope, chargeOf, seen };
}

describe("a cancel at the bank is written, and then sent at once", () => {
  test.each([
    [
      "by the customer",
      "customer_canceled",
      async ({ service, token }: Awaited<ReturnType<typeof openAtBank>>) =>
        service.cancelPage(token),
    ],
    [
      "by the merchant",
      "canceled",
      async ({ service, scope, id }: Awaited<ReturnType<typeof openAtBank>>) =>
        service.cancelPayment(scope, id),
    ],
  ])("%s: who approves afterwards is not charged", async (_, code, cancel) => {
    const opened = await openAtBank();
    await cancel(opened);
    expect(opened.seen).toEqual([
      expect.objectContaining({ status: "failed", decline_code: code, pendingAction: "cancel" }),
    ]);
    expect(await opened.chargeOf()).toMatchObject({ pendingAction: "none", dueAtMs: null });
    opened.fake.endChallenge(opened.id, true);
    expect(opened.fake.listCharged()).toEqual([]);
    expect(opened.fake.admitted).toEqual([]);
  });

  test("where the bank asks and nobody can be asked", async () => {
    const fake = fakeNetwork();
    const opened = await openTestService({ networkOf: fake.networkOf });
    const { service, live: scope, store } = opened;
    const action = { outcome: "action", reference: "ch_1", retryAfterMs: 1_000 } as const;
    fake.steps.charge.push((decide) => decide({ ...action, url: toBankUrl("1") }));
    const seen: unknown[] = [];
    fake.steps.cancel.push(async (decide) => {
      const { id = "" } = fake.calls[0]?.[1] ?? {};
      seen.push({ ...(JSON.parse(await service.getPayment(scope, id)) as object) });
      return decide();
    });
    const { id } = await opened.pay(scope);
    expect(seen).toEqual([expect.objectContaining({ decline_code: "authentication_required" })]);
    expect(await store.findCharge(scope, id)).toMatchObject({ pendingAction: "none" });
    fake.endChallenge(id, true);
    expect(fake.listCharged()).toEqual([]);
  });

  test("where a customer who comes back has run out of time", async () => {
    const opened = await openAtBank({ hppExpiryMs: 7_200_000 });
    opened.time.nowMs += 3_600_000;
    await opened.service.returnFromPage(opened.token, { asks: true });
    expect(opened.seen).toHaveLength(1);
    expect(await opened.chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test("where the network never received the charge that the job looks up", async () => {
    const fake = fakeNetwork();
    const opened = await openTestService({ networkOf: fake.networkOf });
    fake.steps.charge.push(unreached);
    await opened.pay(opened.live);
    opened.time.nowMs += 1_000;
    await opened.settler.settle();
    await opened.settler.idle();
    expect(fake.calls.map(([what]) => what)).toEqual(["charge", "lookUp", "cancel"]);
  });
});

describe("the job does a cancel", () => {
  test("that was lost on its way, after 1 s", async () => {
    const { service, token, fake, time, chargeOf, settleCharges } = await openAtBank();
    fake.steps.cancel[0] = unreached;
    await service.cancelPage(token);
    expect(await chargeOf()).toMatchObject({ pendingAction: "cancel", attempts: 1 });
    time.nowMs += 1_000;
    await settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test("whose replica has ended, once its lease is over", async () => {
    const store = await openNewStore();
    const { service, token, fake, time, chargeOf } = await openAtBank({
      store,
      timeouts: { networkMs: 0 },
    });
    fake.steps.cancel[0] = async () => new Promise(() => {});
    await service.cancelPage(token);
    expect(await chargeOf()).toMatchObject({ pendingAction: "cancel" });
    const other = await openTestService({ store, networkOf: fake.networkOf });
    other.time.nowMs = time.nowMs + 29_999;
    await other.settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "cancel" });
    other.time.nowMs += 1;
    await other.settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test("whose answer cannot be written, which is no error of the request", async () => {
    let isAway = false;
    const store = await openStoreWith((real) => ({
      updateCharge: async (move) => {
        if (isAway) throw new Unavailable("The database cannot be reached.");
        return await real.updateCharge(move);
      },
    }));
    const { service, token, time, chargeOf, settleCharges } = await openAtBank({ store });
    isAway = true;
    expect(await service.cancelPage(token)).toBe("closed");
    isAway = false;
    time.nowMs += 30_000;
    await settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test.each([
    ["has lost its database once it was written", { away: "findCharge", isFull: false }],
    ["has no slot, and has lost its database", { away: "updateCharge", isFull: true }],
  ] as const)("whose request %s, which is no error of the request", async (_, { away, isFull }) => {
    let isAway = false;
    const store = await openStoreWith((real) => ({
      [away]: async (...values: unknown[]) => {
        if (isAway) throw new Unavailable("The database cannot be reached.");
        return await (real[away] as (...given: unknown[]) => Promise<unknown>)(...values);
      },
    }));
    const { service, scope, id, fake, time, chargeOf, settleCharges } = await openAtBank({ store });
    Object.assign(fake, { isFull });
    isAway = true;
    expect(await service.cancelPayment(scope, id)).toMatchObject({ status: 200 });
    isAway = false;
    fake.isFull = false;
    time.nowMs += 30_000;
    await settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test.each(["isFull", "isFailing"] as const)("at once where the network %s", async (state) => {
    const { service, token, fake, chargeOf, settleCharges } = await openAtBank();
    fake[state] = true;
    expect(await service.cancelPage(token)).toBe("closed");
    expect(fake.calls.map(([what]) => what)).toEqual(["charge"]);
    fake[state] = false;
    await settleCharges();
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
  });

  test("of another network's charge at once", async () => {
    const { service, store, time, token, fake, settleCharges, chargeOf } = await openAtBank();
    const elsewhere = fakeNetwork("https://other.test");
    const there = await openTestService({ store, networkOf: elsewhere.networkOf });
    there.time.nowMs = time.nowMs;
    await there.service.cancelPage(token);
    expect(elsewhere.calls).toEqual([]);
    await settleCharges();
    expect(fake.calls.map(([what]) => what)).toEqual(["charge", "cancel"]);
    expect(await chargeOf()).toMatchObject({ pendingAction: "none" });
    expect(await service.findPage(token)).toMatchObject({ state: "canceled" });
  });
});

test("a page without a charge is canceled without the network", async () => {
  const fake = fakeNetwork();
  const opened = await openTestService({ networkOf: fake.networkOf });
  const { token } = await openPage(opened, opened.live);
  fake.network.admit = async () => Promise.reject(new Error("The network is asked."));
  expect(await opened.service.cancelPage(token)).toBe("closed");
});
