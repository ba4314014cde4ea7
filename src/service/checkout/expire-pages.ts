import { expirePayment } from "../domain/payment-state.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import type { FoundPage } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";

const batchSize = 100;
/** How long pages are left to the process that leased them. */
const leaseMs = 2_000;

/**
 * Ends the payments whose page has expired unpaid; gives how many there were. Safe to run twice, and on several
 * processes at once. A page that is being paid stays its customer's.
 */
export async function expirePages(ports: Ports): Promise<number> {
  const nowMs = ports.clock();
  const untilMs = nowMs + leaseMs;
  const expired = await ports.store.leaseExpiredPages({ nowMs, untilMs, limit: batchSize });
  await Promise.all(expired.map(async (page) => expirePage(ports, page, nowMs)));
  return expired.length;
}

async function expirePage(ports: Ports, { scope, payment }: FoundPage, nowMs: number) {
  const expired = expirePayment(payment, Math.floor(nowMs / 1000));
  if (typeof expired === "string") return; // it has moved on since it was read
  await ports.store.closePage({
    scope,
    payment: expired,
    event: buildEvent(ports),
    charge: undefined,
    // A replica whose clock is behind may take the payment just now: then it is left alone.
    claimableAtMs: ports.clock(),
  });
}
