import { describe, expect, inject, test } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { LocalNetwork } from "../../../src/service/networks/card-network.ts";
import type { Store } from "../../../src/service/service.ts";
import {
  bodyWith,
  declined,
  openNewStore,
  openTestService,
  processingTimeMs,
  type TestService,
} from "../../testkit/service/open-test-service.ts";
import { parsePayment } from "../../testkit/database/records.ts";

const request = { key: "5f0c2a1e", fingerprint: "of this request" };
const another = { key: "5f0c2a1e", fingerprint: "of another request" };
const dayMs = 24 * 60 * 60 * 1000;

async function countPayments({ service, test: scope, live }: TestService): Promise<number> {
  const pages = [await service.listPayments(scope, {}), await service.listPayments(live, {})];
  return pages.flatMap(({ items }) => items).length;
}

describe("a write with an idempotency key that was used before", () => {
  test("with the same request replays the same bytes, and writes nothing", async () => {
    const opened = await openTestService();
    const { service, time, test: scope } = opened;
    const first = await service.createPayment(scope, bodyWith(), request);
    time.nowMs += 5_000;
    const second = await service.createPayment(scope, bodyWith(), request);
    expect(first.replayed).toBe(false);
    expect(second).toEqual({ ...first, replayed: true });
    expect(await countPayments(opened)).toBe(1);
  });

  test("replays its first response, also when the payment has changed since", async () => {
    const { service, pay, settle, test: scope } = await openTestService();
    const { id } = await pay(scope, declined, request);
    await settle();
    expect(parsePayment(await service.getPayment(scope, id))).toMatchObject({ status: "failed" });
    expect(await pay(scope, declined, request)).toMatchObject({ id, status: "pending" });
  });

  test("replays a refund", async () => {
    const { service, pay, test: scope } = await openTestService();
    const { id } = await pay(scope);
    const first = await service.refundPayment(scope, id, request);
    expect(await service.refundPayment(scope, id, request)).toEqual({ ...first, replayed: true });
  });

  test("with another request is refused, and writes nothing", async () => {
    const opened = await openTestService();
    const { service, pay, test: scope } = opened;
    const { id } = await pay(scope, bodyWith(), request);
    const refusal = { name: "ServiceError", code: "idempotency_key_reused" };
    const creating = service.createPayment(scope, bodyWith({ amount: 1 }), another);
    await expect(creating).rejects.toMatchObject(refusal);
    await expect(service.refundPayment(scope, id, another)).rejects.toMatchObject(refusal);
    expect(await countPayments(opened)).toBe(1);
    expect(parsePayment(await service.getPayment(scope, id))).toMatchObject({
      status: "succeeded",
    });
  });

  test("in the other mode, or of another account, is processed", async () => {
    const { service, test: scope, live } = await openTestService();
    const elsewhere = { ...scope, accountId: "acct_2" };
    for (const each of [scope, live, elsewhere]) {
      const answer = await service.createPayment(each, bodyWith(), request);
      expect(answer.replayed).toBe(false);
    }
  });

  test("is stored for 24 hours from its first use, not from its last", async () => {
    const { service, time, test: scope } = await openTestService();
    await service.createPayment(scope, bodyWith(), request);
    time.nowMs += dayMs - 1;
    const answer = await service.createPayment(scope, bodyWith(), request);
    expect(answer.replayed).toBe(true);
    time.nowMs += 1;
    const later = await service.createPayment(scope, bodyWith(), another);
    expect(later.replayed).toBe(false);
    const replay = await service.createPayment(scope, bodyWith(), another);
    expect(replay).toEqual({ ...later, replayed: true });
  });

  test("is purged after 24 hours, not before", async () => {
    const { service, time, test: scope } = await openTestService();
    await service.createPayment(scope, bodyWith(), request);
    time.nowMs += dayMs - 1;
    expect(await service.purgeIdempotencyRecords()).toBe(0);
    time.nowMs += 1;
    expect(await service.purgeIdempotencyRecords()).toBe(1);
    expect(await service.purgeIdempotencyRecords()).toBe(0);
  });

  test("is purged with any number of others", async () => {
    const { service, time, test: scope } = await openTestService();
    const keys = Array.from({ length: 1_001 }, (_, at) => `order-${at}`);
    await Promise.all(
      keys.map(async (key) => service.createPayment(scope, bodyWith(), { ...request, key })),
    );
    time.nowMs += dayMs;
    expect(await service.purgeIdempotencyRecords()).toBe(1_001);
  });
});

test("a create asks a remote database for its key by its write alone, which finds a used one", async () => {
  const store = await openNewStore();
  let lookUps = 0;
  const counting: Store = {
    ...store,
    findStoredResponse: async (...args) => {
      lookUps++;
      return await store.findStoredResponse(...args);
    },
  };
  const { service, test: scope } = await openTestService({ store: counting });
  const first = await service.createPayment(scope, bodyWith(), request);
  expect([first.replayed, lookUps]).toEqual([false, inject("postgresUrl") === undefined ? 1 : 0]);
  expect(await service.createPayment(scope, bodyWith(), request)).toEqual({
    ...first,
    replayed: true,
  });
});

test("a write without an idempotency key is done each time", async () => {
  const opened = await openTestService();
  await opened.pay(opened.test);
  await opened.pay(opened.test);
  expect(await countPayments(opened)).toBe(2);
});

describe("an answer that is not a success", () => {
  test("is not stored: the same refund is done once the payment has succeeded", async () => {
    const network: LocalNetwork = {
      ...createTestNetwork({ processingTimeMs }),
      lookUp: async () => ({ outcome: "approved", reference: "r" }),
    };
    const opened = await openTestService({ networkOf: () => network });
    const { service, settle, pay, test: scope } = opened;
    const { id } = await pay(scope, declined);
    const refused = service.refundPayment(scope, id, request);
    await expect(refused).rejects.toMatchObject({ code: "payment_not_refundable" });
    await settle();
    const refunded = await service.refundPayment(scope, id, request);
    expect(refunded).toMatchObject({ status: 200, replayed: false });
  });

  test("is not stored: a write that the store has refused is done by its retry", async () => {
    const store = await openNewStore();
    let failures = 1;
    const failing: Store = {
      ...store,
      createPayment: async (write) => {
        failures -= 1;
        if (failures >= 0) throw new Unavailable("The disk is full.");
        return await store.createPayment(write);
      },
    };
    const opened = await openTestService({ store: failing });
    const { service, test: scope } = opened;
    await expect(service.createPayment(scope, bodyWith(), request)).rejects.toThrow(Unavailable);
    const retried = await service.createPayment(scope, bodyWith(), request);
    expect(retried).toMatchObject({ status: 201, replayed: false });
    expect(await countPayments(opened)).toBe(1);
  });
});

test("a consumed key is consumed by the first caller, in one account and mode, for a day", async () => {
  const { service, time, test: scope, live } = await openTestService();
  const uses = await Promise.all(
    [1, 2, 3].map(async () => service.consumeIdempotencyKey(scope, request)),
  );
  expect(uses.filter(Boolean)).toHaveLength(1);
  expect(await service.consumeIdempotencyKey(scope, request)).toBe(false);
  expect(await service.consumeIdempotencyKey(live, request)).toBe(true);
  const reused = { code: "idempotency_key_reused" };
  await expect(service.consumeIdempotencyKey(scope, another)).rejects.toMatchObject(reused);
  time.nowMs += dayMs;
  expect(await service.consumeIdempotencyKey(scope, request)).toBe(true);
});
