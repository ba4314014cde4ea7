import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../contract/payment.ts";

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/**
 * Asks again, less and less often, until a payment is no longer pending or the time is over; gives
 * the payment as it was seen last.
 */
export async function waitUntilSettled(
  payment: Payment,
  retrieve: (id: string) => Promise<Payment>,
  timeoutMs: number,
): Promise<Payment> {
  const deadlineMs = performance.now() + timeoutMs;
  let seen = payment;
  for (let pauseMs = firstPauseMs; seen.status === "pending"; pauseMs *= 1.5) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    await delay(Math.min(pauseMs, longestPauseMs, leftMs));
    seen = await retrieve(payment.id);
  }
  return seen;
}
