import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { testNetwork } from "../../../src/service/network/simulator.ts";
import { Unavailable } from "../../../src/contract/failures.ts";
import type { CardNetwork } from "../../../src/service/use-cases/ports.ts";
import { nextId } from "../domain/payment-in.ts";
import { declined, openTestService, startMs, startSeconds } from "./open-test-service.ts";
import { parsedPayment } from "../store/contract/read.ts";

describe("refunding a payment", () => {
  test("answers 200 with the refunded payment, and keeps it so", async () => {
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
      expect(parsedPayment(await service.getPayment(scope, id))).toMatchObject({
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
    expect(parsedPayment(await service.getPayment(live, id))).toMatchObject({
      status: "succeeded",
    });
  });
});

describe("refunds that race", () => {
  test("in one process: exactly one refunds", async () => {
    const { pay, service, test: scope } = await openTestService();
    const { id } = await pay(scope);
    const refunds = Array.from({ length: 20 }, async () => service.refundPayment(scope, id));
    expect(await outcomesOf(refunds)).toEqual({ refunded: 1, payment_already_refunded: 19 });
  });

  test("in several processes, all of which saw it succeeded: exactly one refunds", async () => {
    const gate = gatedNetwork(6);
    const first = await openTestService({ networkOf: () => gate });
    const second = await openTestService({ networkOf: () => gate, store: first.store });
    const { id } = await first.pay(first.test);
    const refunds = [first, second, first, second, first, second].map(async ({ service }, n) =>
      service.refundPayment(first.test, id, { key: `key ${n}`, fingerprint: "f" }),
    );
    expect(await outcomesOf(refunds)).toEqual({ refunded: 1, payment_already_refunded: 5 });
  });
});

describe("the card network", () => {
  test("is asked to give back the whole amount", async () => {
    const asked: object[] = [];
    const network: CardNetwork = {
      ...testNetwork({ processingTimeMs: 0 }),
      refund: async (request) => void asked.push(request),
    };
    const { pay, service, test: scope } = await openTestService({ networkOf: () => network });
    const { id } = await pay(scope);
    await service.refundPayment(scope, id);
    expect(asked).toEqual([{ paymentId: id, amount: 4999, currency: "eur" }]);
  });

  test("that cannot be reached leaves the payment as it was", async () => {
    const reachable = testNetwork({ processingTimeMs: 0 });
    const network: CardNetwork = {
      ...reachable,
      refund: async () => {
        throw new Unavailable("The network cannot be reached.");
      },
    };
    const { pay, service, test: scope } = await openTestService({ networkOf: () => network });
    const { id } = await pay(scope);
    const request = { key: "k", fingerprint: "f" };
    await expect(service.refundPayment(scope, id, request)).rejects.toThrow(Unavailable);
    expect(parsedPayment(await service.getPayment(scope, id))).toMatchObject({
      status: "succeeded",
    });
    Object.assign(network, reachable);
    const retried = await service.refundPayment(scope, id, request);
    expect(retried).toMatchObject({ status: 200, replayed: false });
  });
});

/** A network that answers a refund only once as many as `count` have been asked for. */
function gatedNetwork(count: number): CardNetwork {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  return {
    ...testNetwork({ processingTimeMs: 0 }),
    refund: async () => {
      asked += 1;
      if (asked === count) resolve();
      await all;
    },
  };
}

/** How many refunds ended in each way. */
async function outcomesOf(refunds: Promise<{ body: string }>[]): Promise<object> {
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
