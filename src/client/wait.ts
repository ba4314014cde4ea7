import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../contract/payment.ts";
import { computeBackoff } from "../runtime/backoff.ts";
import { withTimeout } from "../runtime/timeouts.ts";

const backoff = { minMs: 100, maxMs: 2_000, factor: 1.5 };
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
  for (let attempt = 0; seen.status === "pending"; attempt++) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    const pauseMs = Math.min(computeBackoff(attempt, backoff), leftMs);
    await delay(pauseMs, undefined, { signal }).catch(() => {});
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
