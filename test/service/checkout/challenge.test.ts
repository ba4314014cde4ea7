import { describe, expect, test } from "vitest";
import { fakeNetwork, lost, toBankUrl, unreached } from "../../testkit/network/fake-network.ts";
import {
  hppExpiryMs,
  openPage,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const asked = { ...typedVisa, number: "4000002760003184" };
const back = { asks: true };
const hourMs = 60 * 60 * 1_000;

/** Opens a live payment on a page, over a network whose bank asks the customer. */
async function openAtNetwork(fields: object = {}, options: { hppExpiryMs?: number } = {}) {
  const fake = fakeNetwork();
  const outcomes: string[] = [];
  const opened = await openTestService({
    networkOf: fake.networkOf,
    observeChallenge: (outcome) => outcomes.push(outcome),
    ...options,
  });
  const page = await openPage(opened, opened.live, fields);
  const { service } = opened;
  const settleCharges = async () => {
    const settler = service.createChargeSettler({ wake: () => {}, broken: (error) => fail(error) });
    await settler.settle();
    await settler.idle();
  };
  const countCalls = (operation: string) =>
    fake.calls.filter(([called]) => called === operation).length;
  return { ...opened, ...page, fake, outcomes, settleCharges, countCalls };
}

function fail(error: unknown): never {
  throw error;
}

async function openAtBank(fields: object = {}, options: { hppExpiryMs?: number } = {}) {
  const opened = await openAtNetwork(fields, options);
  expect(await opened.service.payPage(opened.token, asked)).toEqual({ outcome: "closed" });
  return opened;
}

describe("a bank that asks the customer", () => {
  test("leaves the payment pending, and its page says where to go on", async () => {
    const opened = await openAtBank();
    const { service, token, payment, created, state, outcomes, live, time } = opened;
    expect(await state()).toBe("at_bank");
    expect(await service.findPage(token)).toMatchObject({ challengeUrl: toBankUrl(created.id) });
    expect(await payment()).toMatchObject({ status: "pending", card: { last4: "3184" } });
    const json = await service.getPayment(live, created.id);
    expect(await service.findChallengeStart(live, json)).toBe(time.nowMs);
    expect(outcomes).toEqual(["begun"]);
  });

  test.each([
    ["approves", true, { status: "succeeded" }, "paid", "approved"],
    [
      "declines",
      false,
      { status: "failed", decline_code: "authentication_required" },
      "declined",
      "declined",
    ],
  ])(
    "and %s: the return asks the network, once",
    async (_, isApproved, becomes, shown, counted) => {
      const { service, token, fake, ...opened } = await openAtBank();
      fake.endChallenge(opened.created.id, isApproved);
      expect(await service.returnFromPage(token, back)).toBe("page");
      expect(await opened.payment()).toMatchObject(becomes);
      expect(await opened.state()).toBe(shown);
      expect(await service.returnFromPage(token, back)).toBe("page");
      expect(opened.countCalls("lookUp")).toBe(1);
      expect(opened.outcomes).toEqual(["begun", counted]);
      const json = await service.getPayment(opened.live, opened.created.id);
      expect(await service.findChallengeStart(opened.live, json)).toBeNull();
    },
  );

  test("decides while nobody returns: the charge is settled when it is due", async () => {
    const { time, fake, created, payment, settleCharges, state } = await openAtBank();
    fake.endChallenge(created.id, true);
    await settleCharges();
    expect(await state()).toBe("at_bank");
    time.nowMs += 60_000;
    await settleCharges();
    expect(await payment()).toMatchObject({ status: "succeeded" });
  });

  test("may begin to ask after a lost answer", async () => {
    const { service, token, time, fake, state, settleCharges } = await openAtNetwork();
    fake.steps.charge.push(lost);
    await service.payPage(token, asked);
    expect(await state()).toBe("processing");
    time.nowMs += 1_000;
    await settleCharges();
    expect(await state()).toBe("at_bank");
  });

  test("is given an hour; then the payment fails, and the charge is canceled", async () => {
    const opened = await openAtBank({}, { hppExpiryMs: 2 * hourMs });
    opened.time.nowMs += hourMs - 1;
    await opened.settleCharges();
    expect(await opened.state()).toBe("at_bank");
    opened.time.nowMs += 1;
    await opened.settleCharges();
    expect(await opened.payment()).toMatchObject({
      status: "failed",
      decline_code: "authentication_required",
    });
    await opened.settleCharges();
    expect(opened.countCalls("cancel")).toBe(1);
    expect(opened.outcomes).toEqual(["begun", "abandoned"]);
  });

  test("approves after the customer was told otherwise: the money is given back", async () => {
    const { service, token, time, fake, created, payment, settleCharges } = await openAtBank();
    fake.steps.cancel.push(unreached);
    await service.cancelPage(token);
    fake.endChallenge(created.id, true);
    expect(fake.listCharged()).toEqual([created.id]);
    time.nowMs += 1_000;
    await settleCharges();
    expect(fake.listCharged()).toEqual([]);
    expect(await payment()).toMatchObject({ decline_code: "customer_canceled" });
  });
});

describe("a customer who comes back", () => {
  test("before the bank has answered waits, and makes the network be asked once a second", async () => {
    const { service, token, time, countCalls } = await openAtBank();
    for (let round = 0; round < 4; round++) {
      const results = await Promise.all(
        [1, 2, 3].map(async () => service.returnFromPage(token, back)),
      );
      for (const result of results) expect(result).toMatchObject({ waiting: { state: "at_bank" } });
      time.nowMs += 500;
    }
    expect(countCalls("lookUp")).toBe(2);
  });

  test("with a request that asks nobody does not make the network be asked", async () => {
    const { service, token, countCalls } = await openAtBank();
    const result = await service.returnFromPage(token, { asks: false });
    expect(result).toMatchObject({ waiting: { state: "at_bank" } });
    expect(countCalls("lookUp")).toBe(0);
  });

  test("before anything was paid finds the page as it was", async () => {
    const { service, token, state, fake } = await openAtNetwork();
    expect(await service.returnFromPage(token, back)).toBe("page");
    expect(await state()).toBe("open");
    expect(fake.calls).toEqual([]);
  });

  test("while the network is unavailable waits, and is asked about as before", async () => {
    const { service, token, fake, time, store, live, created, settleCharges } = await openAtBank();
    const before = await store.findCharge(live, created.id);
    fake.isFull = true;
    expect(await service.returnFromPage(token, back)).toMatchObject({ waiting: {} });
    fake.isFull = false;
    fake.steps.lookUp.push(() => ({ outcome: "unknown", reason: "no answer" }));
    time.nowMs += 1_000;
    expect(await service.returnFromPage(token, back)).toMatchObject({ waiting: {} });
    expect(await store.findCharge(live, created.id)).toEqual(before);
    fake.endChallenge(created.id, true);
    time.nowMs += 60_000;
    await settleCharges();
    expect(await service.returnFromPage(token, back)).toBe("page");
  });

  test("to a payment with a return URL sees its outcome first", async () => {
    const return_url = "https://shop.example/thanks";
    const { service, token, fake, created } = await openAtBank({ return_url });
    fake.endChallenge(created.id, true);
    expect(await service.returnFromPage(token, back)).toBe("page");
    expect(await service.returnFromPage(token, back)).toBe("page");
  });

  test("while another network is attached waits for a service of the first one", async () => {
    const { service, token, store } = await openAtBank();
    const other = fakeNetwork("https://other.test");
    const elsewhere = await openTestService({ store, networkOf: other.networkOf });
    expect(await elsewhere.service.returnFromPage(token, back)).toMatchObject({ waiting: {} });
    expect(other.calls).toEqual([]);
    expect(await service.returnFromPage(token, back)).toMatchObject({ waiting: {} });
  });
});

describe("at the bank", () => {
  test("the customer can cancel, and the charge is canceled", async () => {
    const { service, token, payment, outcomes, countCalls, settleCharges } = await openAtBank();
    expect(await service.cancelPage(token)).toBe("closed");
    expect(await payment()).toMatchObject({ decline_code: "customer_canceled" });
    await settleCharges();
    expect(countCalls("cancel")).toBe(1);
    expect(outcomes).toEqual(["begun", "canceled"]);
  });

  test("a second card is not charged, and leads to the bank as well", async () => {
    const { service, token, state, countCalls } = await openAtBank();
    expect(await service.payPage(token, typedVisa)).toEqual({ outcome: "closed" });
    expect(await state()).toBe("at_bank");
    expect(countCalls("charge")).toBe(1);
  });

  test("the page expires, and the charge is canceled", async () => {
    const opened = await openAtBank();
    opened.time.nowMs += hppExpiryMs;
    expect(await opened.state()).toBe("expired");
    await opened.service.settlePayments();
    expect(await opened.payment()).toMatchObject({ decline_code: "hpp_expired" });
    await opened.settleCharges();
    expect(opened.countCalls("cancel")).toBe(1);
    expect(opened.outcomes).toEqual(["begun", "abandoned"]);
  });
});

describe.each([
  ["test mode", "test"],
  ["live mode without a network", "live"],
] as const)("the simulator in %s", (_, mode) => {
  async function openAtSimulator() {
    const opened = await openTestService();
    const page = await openPage(opened, opened[mode]);
    await opened.service.payPage(page.token, asked);
    return { ...opened, ...page };
  }

  test.each([
    ["approve", true, { status: "succeeded" }],
    ["decline", false, { status: "failed", decline_code: "authentication_required" }],
  ])("asks on a page of the service, whose form decides once: %s", async (__, first, becomes) => {
    const { service, token, payment, created } = await openAtSimulator();
    const challenge = await service.findChallenge(token);
    expect(challenge).toMatchObject({ challengeUrl: `${created.redirect_url}/challenge` });
    expect(await service.returnFromPage(token, back)).toMatchObject({ waiting: {} });
    for (const isApproved of [first, !first]) {
      expect(await service.endChallenge(token, { isApproved })).toBe("closed");
      expect(await payment()).toMatchObject(becomes);
    }
    expect(await service.findChallenge(token)).toBe("closed");
  });

  test("has one decision of two forms that are sent at once", async () => {
    const { service, token, payment } = await openAtSimulator();
    await Promise.all(
      [true, false, true].map(async (isApproved) => service.endChallenge(token, { isApproved })),
    );
    const { status } = await payment();
    expect(["succeeded", "failed"]).toContain(status);
    await service.endChallenge(token, { isApproved: status === "failed" });
    expect(await payment()).toMatchObject({ status });
  });

  test("gives the customer an hour", async () => {
    const { service, token, time, payment, store, created, ...scopes } = await openAtSimulator();
    time.nowMs += hourMs;
    while ((await service.settlePayments()) > 0);
    const ended = { status: "failed", decline_code: "authentication_required" };
    expect(await payment()).toMatchObject(ended);
    expect(await store.findCharge(scopes[mode], created.id)).toMatchObject({
      pendingAction: "none",
    });
    await service.endChallenge(token, { isApproved: true });
    expect(await payment()).toMatchObject(ended);
  });

  test("does not ask where nobody can be asked", async () => {
    const opened = await openTestService();
    const { settle, service } = opened;
    const created = await service.createPayment(opened[mode], directBody);
    expect(JSON.parse(created.body)).toMatchObject({ status: "pending" });
    await settle();
    const { id } = JSON.parse(created.body) as { id: string };
    expect(JSON.parse(await service.getPayment(opened[mode], id))).toMatchObject({
      status: "failed",
      decline_code: "authentication_required",
    });
  });
});

const directBody = {
  amount: 4999,
  currency: "eur",
  card: { number: asked.number, exp_month: 12, exp_year: 2040, cvc: "123" },
} as const;

test("no challenge of a network is decided by a form of the service's own", async () => {
  const { service, token, state, payment } = await openAtBank();
  expect(await service.findChallenge(token)).toBe("closed");
  expect(await service.endChallenge(token, { isApproved: true })).toBe("closed");
  expect(await state()).toBe("at_bank");
  expect(await payment()).toMatchObject({ status: "pending" });
});
