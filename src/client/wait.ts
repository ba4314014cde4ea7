import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../contract/payment.ts";
import { withTimeout } from "../runtime/timeouts.ts";

const firstPauseMs = 100;
const longestPauseMs = 2_000;
/** The last answer may take a little longer than the time to wait. */
const graceMs = 1_000;

/**
 * Asks again, less and less often, until a payment is no longer pending or the time is over; gives
 * the payment as it was seen last. `signal` ends a pause: the next asking then says so.
 */
export async function waitUntilSettled(
  payment: Payment,
  retrieve: (id: string) => Promise<Payment>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Payment> {
  const deadlineMs = performance.now() + timeoutMs;
  let seen = payment;
  for (let pauseMs = firstPauseMs; seen.status === "pending"; pauseMs *= 1.5) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(pauseMs, longestPauseMs, leftMs), undefined, { signal }).catch(() => {});
    const asked = await withTimeout(
      retrieve(payment.id),
      deadlineMs - performance.now() + graceMs,
      () => undefined,
    );
    if (!asked) break;
    seen = asked;
  }
  return seen;
}
