import { expect, test } from "vitest";
import { declined, openTestService, processingTimeMs } from "./open-test-service.ts";

test("payments are behind from when their network is to be asked until it was", async () => {
  const { service, time, test: scope, pay } = await openTestService();
  await pay(scope, declined);
  expect(await service.settlementBacklog()).toEqual({ due: 0, oldestAgeMs: 0 });
  time.nowMs += processingTimeMs + 2_000;
  await pay(scope, declined);
  expect(await service.settlementBacklog()).toEqual({ due: 1, oldestAgeMs: 2_000 });
  await service.settlePayments();
  expect(await service.settlementBacklog()).toEqual({ due: 0, oldestAgeMs: 0 });
});
