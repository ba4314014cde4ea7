import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../contract/payment.ts";

const firstPauseMs = 100;
const longestPauseMs = 2_000;
/** The last answer may take a little longer than the time to wait. */
const graceMs = 1_000;
/** Node's timers end at once when asked for more. */
export const longestTimerMs = 2 ** 31 - 1;

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
    const asked = await within(retrieve(payment.id), deadlineMs - performance.now() + graceMs);
    if (!asked) break;
    seen = asked;
  }
  return seen;
}

/** What a promise gives, or undefined where that takes longer. */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const timer = new AbortController();
  const limitMs = Math.min(Math.max(0, timeoutMs), longestTimerMs);
  const timedOut = delay(limitMs, undefined, timer);
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    timer.abort();
    timedOut.catch(() => {});
    promise.catch(() => {}); // whoever stopped waiting does not want to know any more
  }
}
