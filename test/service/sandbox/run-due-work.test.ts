import { expect, test } from "vitest";
import { createWorkRunner } from "../../../src/service/sandbox/run-due-work.ts";
import { createSandboxClock } from "../../../src/service/sandbox/sandbox-clock.ts";
import { openTestService } from "../../testkit/service/open-test-service.ts";
import { senderForTest } from "../../testkit/service/sender-for-test.ts";

test("a move of the clock ends while requests keep writing", async () => {
  const clock = createSandboxClock("manual", 0);
  const { service } = await openTestService({ clock: clock.now });
  const settlePayments = async () => {
    runner.wake(); // as a request's write does that comes meanwhile
    return await service.settlePayments();
  };
  const runner = createWorkRunner({
    service: { ...service, settlePayments },
    clock,
    sender: senderForTest(),
    findNextDue: async () => undefined,
    settled: { settled: 0, expired: 0 },
    observe: () => {},
    interruption: new AbortController().signal,
    log: undefined,
  });
  await runner.moveTo((nowMs) => nowMs + 1_000);
  expect(clock.now()).toBe(1_000);
  await runner.end();
});
