import { describe, expect, test } from "vitest";
import type { CreatePaymentBody, Payment } from "../../../src/contract/payment.ts";
import { RefundInProgress } from "../../../src/service/payments/refund-payment.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Store } from "../../../src/service/service.ts";
import {
  type TestService,
  bodyWith,
  cardWith,
  declined,
  openNewStore,
  openPage,
  openTestService,
  processingTimeMs,
  startSeconds,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";
import { parsePayment } from "../../testkit/database/records.ts";
import { fakeNetwork, unreached } from "../../testkit/network/fake-network.ts";

describe("refunding a payment", () => {
  test("answers 200 with the refunded payment, and stores it", async () => {
    const { pay, service, time, test: scope } = await openTestService();
    const created = await pay(scope);
    time.nowMs += 5_999;
    const answer = await service.refundPayment(scope, created.id);
    expect(answer).toMatchObject({ status: 200, replayed: false });
    expect(JSON.parse(answer.body)).toEqual({
      ...created,
      status: "refunded",
      refunded_at: startSeconds + 5,
    });
    expect(await service.getPayment(scope, created.id)).toBe(answer.body);
  });

  test("refuses a pending payment and a failed one, and changes nothing", async () => {
    const { pay, service, settle, test: scope } = await openTestService();
    const { id } = await pay(scope, declined);
    for (const status of ["pending", "failed"]) {
      const refusal = { name: "ServiceError", code: "payment_not_refundable" };
      await expect(service.refundPayment(scope, id)).rejects.toMatchObject(refusal);
      expect(parsePayment(await service.getPayment(scope, id))).toMatchObject({
        status,
        refunded_at: null,
      });
      await settle();
    }
  });
});

describe("a caller with a limit", () => {
  const actor = { type: "api_key", id: "key_1", name: "support" } as const;
  const limited = (maxRefund: number) => ({ actor, maxRefund });
  const exceeded = { name: "ServiceError", code: "refund_limit_exceeded" };

  test.each(["test", "live"] as const)("refunds up to it, in %s mode", async (mode) => {
    const opened = await openTestService();
    const { pay, service } = opened;
    const scope = opened[mode];
    const { id, amount } = await pay(scope);
    for (const request of [undefined, { key: "k", fingerprint: "f" }]) {
      const refund = service.refundPayment(scope, id, request, limited(amount - 1));
      await expect(refund).rejects.toMatchObject(exceeded);
      await expect(refund).rejects.toThrow(`at most ${amount - 1} in minor units`);
    }
    expect(parsePayment(await service.getPayment(scope, id))).toMatchObject({
      status: "succeeded",
    });
    expect((await service.listActivity(scope.accountId, { limit: 9 })).items).toEqual([]);
    const { status } = await service.refundPayment(scope, id, undefined, limited(amount));
    expect(status).toBe(200);
  });

  test("is refused above it also what another caller has refunded, and learns of no other account", async () => {
    const { pay, service, test: scope } = await openTestService();
    const { id, amount } = await pay(scope);
    const request = { key: "k", fingerprint: "f" };
    await service.refundPayment(scope, id, request);
    const caller = limited(amount - 1);
    for (const each of [request, undefined]) {
      await expect(service.refundPayment(scope, id, each, caller)).rejects.toMatchObject(exceeded);
    }
    const elsewhere = service.refundPayment({ ...scope, livemode: true }, id, request, caller);
    await expect(elsewhere).rejects.toMatchObject({ code: "resource_missing" });
  });
});

test("refunds that race in several processes that all read it as succeeded: exactly one refunds", async () => {
  const store = gatedStore(await openNewStore(), 6);
  const first = await openTestService({ store });
  const second = await openTestService({ store });
  const { id } = await first.pay(first.test);
  const refunds = [first, second, first, second, first, second].map(async ({ service }, n) =>
    service.refundPayment(first.test, id, { key: `key ${n}`, fingerprint: "f" }),
  );
  expect(await countOutcomes(refunds)).toEqual({ refunded: 1, payment_already_refunded: 5 });
});

test("the card network is not reported as declining a refund that another replica settles meanwhile", async () => {
  const { steps, networkOf } = fakeNetwork();
  const other = await openTestService({ networkOf });
  const { id } = await other.pay(other.live);
  steps.refund.push(unreached);
  let reads = 0;
  const findPayment: Store["findPayment"] = async (...calls) => {
    const found = await other.store.findPayment(...calls);
    reads += 1;
    other.time.nowMs += 1_000;
    if (reads === 2) await other.settleCharges(); // after the request has called the network without an answer
    return found;
  };
  const store = { ...other.store, findPayment };
  const { service, live } = await openTestService({ store, networkOf });
  expect(await service.refundPayment(live, id)).toMatchObject({ status: 200 });
});

const withCard = (number: string) => bodyWith({ card: cardWith({ number }) });
const refundDeclined = withCard("4000000000005126");
const refundSlow = withCard("4000000000007726");
const request = { key: "refund-1", fingerprint: "f" };
/** Each request waits for no refund. */
const impatient = { keyMs: 0, refundMs: 0 };

/** A payment of a card, in test mode and in live mode on the simulator, made directly or on a page. */
const ways: [string, (opened: TestService, body: CreatePaymentBody) => Promise<[Scope, string]>][] =
  [
    ["in test mode", async ({ pay, test: scope }, body) => [scope, (await pay(scope, body)).id]],
    ["in live mode", async ({ pay, live }, body) => [live, (await pay(live, body)).id]],
    [
      "on a page",
      async (opened, { card: { number } }) => {
        const { token, created } = await openPage(opened, opened.test);
        await opened.service.payPage(token, { ...typedVisa, number });
        return [opened.test, created.id];
      },
    ],
  ];

describe.each(ways)("a payment %s", (_, make) => {
  test("with refund-declined stays succeeded", async () => {
    const opened = await openTestService();
    const [scope, id] = await make(opened, refundDeclined);
    const paid = await opened.service.getPayment(scope, id);
    for (const each of [undefined, request, request]) {
      const refund = opened.service.refundPayment(scope, id, each);
      await expect(refund).rejects.toMatchObject({ code: "refund_declined" });
    }
    expect(await opened.service.getPayment(scope, id)).toBe(paid);
  });

  test("with refund-slow is refunded after the processing time, also if nobody asks again", async () => {
    const opened = await openTestService({ timeouts: impatient });
    const { service, time } = opened;
    const [scope, id] = await make(opened, refundSlow);
    await expect(service.refundPayment(scope, id, request)).rejects.toThrow(RefundInProgress);
    expect(await service.isRefundInProgress(scope, id)).toBe(true);
    time.nowMs += processingTimeMs - 1;
    expect(await service.settlePayments()).toBe(0);
    await expect(service.refundPayment(scope, id)).rejects.toThrow(RefundInProgress);
    time.nowMs += 1;
    expect(await service.settlePayments()).toBe(1);
    const refunded = await service.getPayment(scope, id);
    expect(parsePayment(refunded)).toMatchObject({ status: "refunded" });
    expect(await service.refundPayment(scope, id, request)).toMatchObject({ body: refunded });
    const again = service.refundPayment(scope, id);
    await expect(again).rejects.toMatchObject({ code: "payment_already_refunded" });
    expect(
      (await service.listEvents(scope, { payment: id, type: "payment.refunded" })).items,
    ).toHaveLength(1);
  });
});

describe("a slow refund", () => {
  test("is made once by two processes, and answers both when it is done", async () => {
    const store = await openNewStore();
    const [first, second] = [await openTestService({ store }), await openTestService({ store })];
    const { id } = await first.pay(first.test, refundSlow);
    const refunds = [first, second, first, second].map(async ({ service }, n) =>
      service.refundPayment(first.test, id, n < 2 ? undefined : { ...request, key: `key ${n}` }),
    );
    await expect
      .poll(async () => (await store.findCharge(first.test, id))?.reference)
      .toBe("refund_under_way");
    for (const { time } of [first, second]) time.nowMs += processingTimeMs;
    expect(await countOutcomes(refunds)).toEqual({ refunded: 4 });
    const events = await first.service.listEvents(first.test, { payment: id });
    expect(events.items).toHaveLength(2);
  });

  test("goes on in another process if one ends before it knows how long the refund takes", async () => {
    const store = await openNewStore();
    const ended = await openTestService({
      store: { ...store, updateCharge: async () => Promise.reject(new Error("killed")) },
      timeouts: impatient,
    });
    const { id } = await ended.pay(ended.test, refundSlow);
    await expect(ended.service.refundPayment(ended.test, id)).rejects.toThrow("killed");
    const { service, time } = await openTestService({ store });
    for (const ms of [30_000, processingTimeMs]) {
      time.nowMs += ms;
      expect(await service.settlePayments()).toBe(1);
    }
    expect(parsePayment(await service.getPayment(ended.test, id)).status).toBe("refunded");
  });
});

/** A store whose transitions wait until `count` of them have been requested. */
function gatedStore(store: Store, count: number): Store {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  return {
    ...store,
    transition: async (write) => {
      calls += 1;
      if (calls === count) resolve();
      await all;
      return await store.transition(write);
    },
  };
}

/** Counts refunds by their outcome. */
async function countOutcomes(refunds: Promise<{ body: string }>[]): Promise<object> {
  const outcomes = await Promise.all(
    refunds.map(async (refund) =>
      refund.then(
        ({ body }) => (JSON.parse(body) as Payment).status,
        ({ code }) => String(code),
      ),
    ),
  );
  const counts = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...counts].map(([outcome, all]) => [outcome, all.length]));
}
