import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { nextId } from "../../testkit/payment-in.ts";
import { fakeNetwork, unreached } from "../../testkit/network/fake-network.ts";
import {
  declined,
  openNewStore,
  openTestService,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";
import { parsePayment } from "../../testkit/database/read.ts";

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

  test("refuses a refunded payment, and changes nothing", async () => {
    const { pay, service, time, test: scope } = await openTestService();
    const { id } = await pay(scope);
    const { body } = await service.refundPayment(scope, id);
    time.nowMs += 60_000;
    await expect(service.refundPayment(scope, id)).rejects.toMatchObject({
      name: "ServiceError",
      code: "payment_already_refunded",
    });
    expect(await service.getPayment(scope, id)).toBe(body);
  });

  test("refuses an unknown payment and one of the other mode", async () => {
    const { pay, service, test: scope, live } = await openTestService();
    const { id } = await pay(live);
    for (const wrong of [nextId(startMs), "pay_", id]) {
      const refunding = service.refundPayment(scope, wrong);
      await expect(refunding).rejects.toMatchObject({ code: "resource_missing", param: "id" });
    }
    expect(parsePayment(await service.getPayment(live, id))).toMatchObject({
      status: "succeeded",
    });
  });
});

describe("refunds that race", () => {
  test("in one process: exactly one refunds", async () => {
    const { pay, service, test: scope } = await openTestService();
    const { id } = await pay(scope);
    const refunds = Array.from({ length: 20 }, async () => service.refundPayment(scope, id));
    expect(await countOutcomes(refunds)).toEqual({ refunded: 1, payment_already_refunded: 19 });
  });

  test("in several processes that all read it as succeeded: exactly one refunds", async () => {
    const store = gatedStore(await openNewStore(), 6);
    const first = await openTestService({ store });
    const second = await openTestService({ store });
    const { id } = await first.pay(first.test);
    const refunds = [first, second, first, second, first, second].map(async ({ service }, n) =>
      service.refundPayment(first.test, id, { key: `key ${n}`, fingerprint: "f" }),
    );
    expect(await countOutcomes(refunds)).toEqual({ refunded: 1, payment_already_refunded: 5 });
  });
});

describe("the card network", () => {
  test("is not reported as declining a refund that another replica settles meanwhile", async () => {
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
