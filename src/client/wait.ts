import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../contract/payment.ts";
import { computeBackoff } from "../runtime/backoff.ts";
import { withTimeout } from "../runtime/timeouts.ts";
import type { CallOptions } from "./request.ts";

const backoff = { minMs: 100, maxMs: 2_000, factor: 1.5 };
/** The last response may take a little longer than the time to wait. */
const graceMs = 1_000;

/**
 * Reads a payment, less and less often, until it is no longer pending or the time is over; returns it as it was read
 * last. `signal` ends a pause: the next read then throws.
 */
export async function waitUntilSettled(
  payment: Payment,
  retrieve: (id: string, options: CallOptions) => Promise<Payment>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Payment> {
  const deadlineMs = performance.now() + timeoutMs;
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  let latest = payment;
  try {
    for (let attempt = 0; latest.status === "pending"; attempt++) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) break;
      const pauseMs = Math.min(computeBackoff(attempt, backoff), leftMs);
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      const read = await withTimeout(
        retrieve(payment.id, { signal: ended }),
        deadlineMs - performance.now() + graceMs,
        () => undefined,
      );
      if (!read) break;
      latest = read;
    }
    return latest;
  } finally {
    over.abort(); // the last request may still be under way, and would be retried
  }
}
