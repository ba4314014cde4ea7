import { describe, expect, test } from "vitest";
import { Unavailable } from "../../src/runtime/failures.ts";
import { createTestNetwork } from "../../src/service/networks/simulator.ts";
import type { Store } from "../../src/service/service.ts";
import {
  declined,
  openStoreWith,
  openTestService,
  processingTimeMs,
} from "../testkit/service/open-test-service.ts";

describe("a store", () => {
  test("with the current schema is ready", async () => {
    const { service } = await openTestService();
    expect(await service.checkStore()).toBe("ready");
  });

  test("that takes no writes is not ready", async () => {
    const { service } = await openTestService({
      store: await openStoreWith(() => ({ isWritable: async () => false })),
    });
    expect(await service.checkStore()).toBe("store_not_writable");
  });

  test.each<[string, Store["isCurrent"], string]>([
    ["with an older schema", async () => false, "schema_outdated"],
    ["that fails", async () => Promise.reject(new Unavailable("gone")), "store_unreachable"],
    ["that does not answer", async () => new Promise(() => {}), "store_unreachable"],
  ])("%s is not ready", async (_, isCurrent, state) => {
    const { service } = await openTestService({
      store: await openStoreWith(() => ({ isCurrent })),
    });
    expect(await service.checkStore()).toBe(state);
  });
});

describe("the settlement backlog", () => {
  test("counts payments that are due, until they are settled", async () => {
    const { service, time, test: scope, pay } = await openTestService();
    await pay(scope, declined);
    expect(await service.measureSettlementBacklog()).toMatchObject({ due: 0, oldestAgeMs: 0 });
    time.nowMs += processingTimeMs + 2_000;
    await pay(scope, declined);
    expect(await service.measureSettlementBacklog()).toMatchObject({ due: 1, oldestAgeMs: 2_000 });
    await service.settlePayments();
    expect(await service.measureSettlementBacklog()).toMatchObject({ due: 0, oldestAgeMs: 0 });
  });

  test("grows older while the network does not answer", async () => {
    const network = createTestNetwork({ processingTimeMs });
    network.lookUp = async () => Promise.reject(new Unavailable("It cannot be reached."));
    const { service, time, test: scope, pay } = await openTestService({ networkOf: () => network });
    await pay(scope, declined);
    const dueMs = time.nowMs + processingTimeMs;
    for (const ageMs of [0, 2_000, 4_000, 60_000]) {
      time.nowMs = dueMs + ageMs;
      await expect(service.settlePayments()).rejects.toThrow(Unavailable);
      expect(await service.measureSettlementBacklog()).toMatchObject({
        due: 1,
        oldestAgeMs: ageMs,
      });
    }
  });
});
