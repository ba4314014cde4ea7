import { expect, test } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import {
  declined,
  openTestService,
  processingTimeMs,
} from "../../testkit/service/open-test-service.ts";

test("payments are behind from when their network is to be asked until it was", async () => {
  const { service, time, test: scope, pay } = await openTestService();
  await pay(scope, declined);
  expect(await service.settlementBacklog()).toMatchObject({ due: 0, oldestAgeMs: 0 });
  time.nowMs += processingTimeMs + 2_000;
  await pay(scope, declined);
  expect(await service.settlementBacklog()).toMatchObject({ due: 1, oldestAgeMs: 2_000 });
  await service.settlePayments();
  expect(await service.settlementBacklog()).toMatchObject({ due: 0, oldestAgeMs: 0 });
});

test("payments whose network does not answer wait longer and longer", async () => {
  const network = createTestNetwork({ processingTimeMs });
  network.lookUp = async () => {
    throw new Unavailable("The network cannot be reached.");
  };
  const { service, time, test: scope, pay } = await openTestService({ networkOf: () => network });
  await pay(scope, declined);
  const dueMs = time.nowMs + processingTimeMs;
  for (const ageMs of [0, 2_000, 4_000, 60_000]) {
    time.nowMs = dueMs + ageMs;
    await expect(service.settlePayments()).rejects.toThrow(Unavailable);
    expect(await service.settlementBacklog()).toMatchObject({ due: 1, oldestAgeMs: ageMs });
  }
});
