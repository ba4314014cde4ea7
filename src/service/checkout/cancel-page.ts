import type { Activity } from "../../contract/administration.ts";
import type { ChangeOutcome, IdempotencyRecord } from "../idempotency/idempotency-store.ts";
import { cancelAtNetwork, computeLeaseEnd } from "../payments/ask-network.ts";
import { isCancelable } from "../payments/hosted-page-state.ts";
import type { ExpiredPage, FoundPage } from "../payments/hosted-pages-sql.ts";
import {
  type CancelReason,
  type FailedPayment,
  cancelPayment,
  expirePayment,
} from "../payments/payment-state.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";
import { type CheckoutService, getStateOfPage, lookUpPage } from "./find-page.ts";

/** Cancels a payment for its customer. A payment in progress comes first, and the page shows its outcome. */
export async function cancelPage(
  service: CheckoutService,
  token: string,
): Promise<"closed" | "gone"> {
  const found = await lookUpPage(service, token);
  const state = getStateOfPage(found, service.clock());
  if (!found || state === "gone" || state === "expired") return "gone";
  await cancelFoundPage(service, found, "customer_canceled");
  return "closed";
}

/** What the merchant's request adds to a cancellation. */
type Requested = {
  toRecord: (payment: FailedPayment) => IdempotencyRecord | undefined;
  activity: readonly Activity[];
};

/**
 * Cancels the payment of a page for its customer or for the merchant; `conflict` where the page cannot be canceled. If
 * the network was asked about its card, the reason is written, and the network is then called at once, so that nobody
 * who goes on at the bank is charged. A network that fails is left to the job, for which nobody waits.
 */
export async function cancelFoundPage(
  service: CheckoutService,
  found: FoundPage,
  reason: CancelReason,
  requested?: Requested,
): Promise<ChangeOutcome> {
  const { scope, page } = found;
  const nowMs = service.clock();
  if (!isCancelable(getStateOfPage(found, nowMs))) return { outcome: "conflict" };
  const payment = cancelPayment(found.payment, reason, Math.floor(nowMs / 1000));
  if (typeof payment === "string") return { outcome: "conflict" };
  const network = service.networkOf(scope);
  const isAsked = payment.card !== null && !network.isLocal && !network.isFailing();
  const written = await service.store.closePage({
    scope,
    payment,
    event: buildEvent(service),
    claimableAtMs: nowMs,
    ...(isAsked && { cancelDueAtMs: computeLeaseEnd(nowMs) }),
    idempotency: requested?.toRecord(payment),
    activity: requested?.activity ?? [],
  });
  if (written.outcome === "written" && page.challengedAtMs !== null) {
    service.observeChallenge?.("canceled");
  }
  if (written.outcome === "written" && isAsked) {
    await cancelAtNetwork(service, network, { scope, payment });
  }
  return written;
}

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
