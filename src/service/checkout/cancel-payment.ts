import type { Activity, Actor } from "../../contract/administration.ts";
import { ServiceError } from "../../contract/error.ts";
import { buildAuditEntries } from "../accounts/accounts-service.ts";
import type { Scope } from "../database/scope.ts";
import type { ChangeOutcome, IdempotencyRecord } from "../idempotency/idempotency-store.ts";
import {
  type IdempotentRequest,
  type Response,
  runIdempotently,
} from "../idempotency/run-idempotently.ts";
import { cancelAtNetwork, computeLeaseEnd } from "../payments/ask-network.ts";
import { getPayment } from "../payments/get-payment.ts";
import { isCancelable } from "../payments/hosted-page-state.ts";
import type { ExpiredPage, FoundPage } from "../payments/payments-sql.ts";
import {
  type CancelReason,
  type FailedPayment,
  cancel,
  expirePayment,
} from "../payments/payment-state.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";
import { type CheckoutService, getStateOfPage, lookUpPage } from "./find-page.ts";

/**
 * Cancels the payment of an open page for the merchant. Answers 200 with the payment: `failed`, `canceled`.
 * Errors: resource_missing, payment_not_cancelable, idempotency_key_reused, idempotency_key_in_use,
 * service_unavailable.
 */
export async function cancelPayment(
  service: CheckoutService,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    await getPayment(service, scope, id);
    const found = await service.store.findPageOfPayment(scope, id);
    if (!found) throw notCancelableError();
    const event = { ...scope, action: "payment.canceled", subject: { id, name: null } } as const;
    const written = await cancelFoundPage(service, found, "canceled", {
      toRecord: (payment) => toRecord({ status: 200, body: JSON.stringify(payment) }),
      activity: buildAuditEntries(service, actor, event),
    });
    if (written.outcome === "conflict") throw notCancelableError();
    return written;
  });
}

/** Whether a payment has a page that is open, or whose charge can be given up. */
export async function canCancelPayment(
  service: CheckoutService,
  scope: Scope,
  id: string,
): Promise<boolean> {
  const found = await service.store.findPageOfPayment(scope, id);
  return isCancelable(getStateOfPage(found, service.clock()));
}

function notCancelableError(): ServiceError {
  return new ServiceError(
    "payment_not_cancelable",
    "Only a pending payment whose page is open can be canceled. This one has no page, has ended, or its customer has just sent a card. Retrieve it to see its status.",
  );
}

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
async function cancelFoundPage(
  service: CheckoutService,
  found: FoundPage,
  reason: CancelReason,
  requested?: Requested,
): Promise<ChangeOutcome> {
  const { scope, page } = found;
  const nowMs = service.clock();
  if (!isCancelable(getStateOfPage(found, nowMs))) return { outcome: "conflict" };
  const payment = cancel(found.payment, reason, Math.floor(nowMs / 1000));
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
