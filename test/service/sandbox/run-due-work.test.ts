import { expect, test } from "vitest";
import { createLateDeliveries } from "../../../src/service/sandbox/held-deliveries.ts";
import { createWorkRunner } from "../../../src/service/sandbox/run-due-work.ts";
import { createSandboxClock } from "../../../src/service/sandbox/sandbox-clock.ts";
import { ids } from "../../../src/service/database/ids.ts";
import { openTestService } from "../../testkit/service/open-test-service.ts";
import { senderForTest } from "../../testkit/service/webhooks.ts";

/** A runner by a clock that stands still; `onPass` is called in each pass, as a request's write comes meanwhile. */
async function openRunner(onPass: (wake: () => void) => void) {
  const clock = createSandboxClock("manual", 0);
  const { service } = await openTestService({ clock: clock.now });
  const settlePayments = async () => {
    onPass(runner.wake);
    return await service.settlePayments();
  };
  const runner = createWorkRunner({
    service: { ...service, settlePayments },
    clock,
    sender: senderForTest(),
    findNextDue: async () => undefined,
    settled: { settled: 0, expired: 0 },
    late: createLateDeliveries(ids, async () => {}),
    observe: () => {},
    interruption: new AbortController().signal,
    log: undefined,
  });
  return { runner, clock };
}

test("a move of the clock ends while requests keep writing", async () => {
  const { runner, clock } = await openRunner((wake) => wake());
  await runner.moveTo((nowMs) => nowMs + 1_000);
  expect(clock.now()).toBe(1_000);
  await runner.end();
});

test("what is written during a pass is done by another one, though the clock stands still", async () => {
  let passes = 0;
  const { runner } = await openRunner((wake) => {
    passes++;
    if (passes === 1) wake();
  });
  await expect.poll(() => passes).toBe(2);
  await runner.end();
});
