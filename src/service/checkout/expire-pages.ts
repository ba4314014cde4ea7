import type { CheckoutService } from "./find-page.ts";
import { expirePayment } from "../payments/payment-state.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import type { ExpiredPage } from "../payments/hosted-pages-sql.ts";

const batchSize = 100;
const leaseMs = 2_000;

/**
 * Fails the payments whose page has expired unpaid; returns how many. Safe to run on several replicas at once. A page
 * that a customer has claimed does not expire.
 */
export async function expirePages(service: CheckoutService): Promise<number> {
  const nowMs = service.clock();
  const untilMs = nowMs + leaseMs;
  const expired = await service.store.leaseExpiredPages({ nowMs, untilMs, limit: batchSize });
  await Promise.all(expired.map(async (page) => expirePage(service, page, nowMs)));
  return expired.length;
}

async function expirePage(
  service: CheckoutService,
  { scope, payment }: ExpiredPage,
  nowMs: number,
) {
  const expired = expirePayment(payment, Math.floor(nowMs / 1000));
  if (typeof expired === "string") return; // it has changed since it was read
  // The card was sent to the bank: its customer may be there.
  const charge = payment.card && (await service.store.findCharge(scope, payment.id));
  const written = await service.store.closePage({
    scope,
    payment: expired,
    event: buildEvent(service),
    // A replica whose clock is behind may just have claimed the page for a customer, who then comes first.
    claimableAtMs: service.clock(),
  });
  if (written.outcome === "written" && charge && charge.challengedAtMs !== null) {
    service.observeChallenge?.("abandoned");
  }
}
