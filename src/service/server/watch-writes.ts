import type { Due } from "../database/due-work.ts";
import { parseCreatedMs } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { NewPayment } from "../payments/write-payments.ts";
import type { StoredCharge } from "../payments/charges-sql.ts";
import type { Store } from "../service.ts";
import type { EventTimes } from "../webhooks/events-sql.ts";

/** Told what a store writes. */
export type WriteObserver = {
  /** A payment has entered a status, or was made in it. A replay is not reported. */
  onStatus?: (scope: Scope, payment: Payment) => void;
  /** Called with the Unix time in milliseconds at which written work comes due. */
  onPaymentDue?: (atMs: number) => void;
  onDeliveryDue?: (atMs: number) => void;
  /** Called with the time of a new payment's id. */
  onCreated?: (atMs: number) => void;
};

/**
 * The same store, which reports the payments that it writes, and the due times of its work. Deliveries are reported
 * after the write, because they may be due at once.
 */
export function watchWrites(
  store: Store,
  {
    onStatus = ignore,
    onPaymentDue = ignore,
    onDeliveryDue = ignore,
    onCreated = ignore,
  }: WriteObserver,
): Store {
  /** Leased work that is not finished when the lease ends is due again. */
  const watchLease =
    <D extends Due, T>(lease: (due: D) => Promise<T[]>) =>
    async (due: D): Promise<T[]> => {
      const leased = await lease(due);
      if (leased.length > 0) onPaymentDue(due.untilMs);
      return leased;
    };
  const reportCharge = (charge: Partial<StoredCharge> | undefined) => {
    if (typeof charge?.dueAtMs === "number") onPaymentDue(charge.dueAtMs);
  };
  const reportEvent = (event: EventTimes | undefined) => {
    if (event) onDeliveryDue(event.dueAtMs);
  };
  return {
    ...store,
    createPayment: async (make, accountId) => {
      let made: NewPayment | undefined;
      const written = await store.createPayment(() => {
        const write = make();
        made = write;
        if (write.page) onPaymentDue(write.page.expiresAtMs);
        reportCharge(write.charge);
        return write;
      }, accountId);
      if (!made) return written;
      if (written.outcome !== "written") return written;
      reportEvent(made.event);
      onStatus(made.scope, made.payment);
      onCreated(parseCreatedMs(made.payment.id));
      return written;
    },
    transition: async (write) => {
      const written = await store.transition(write);
      reportEvent(write.event);
      if (written.outcome === "written") onStatus(write.scope, write.payment);
      return written;
    },
    closePage: async (write) => {
      const written = await store.closePage(write);
      reportEvent(write.event);
      if (write.payment.card) onPaymentDue(write.cancelDueAtMs ?? 0);
      if (written.outcome === "written") onStatus(write.scope, write.payment);
      return written;
    },
    chargePage: async (write) => {
      reportCharge(write.charge);
      const isWritten = await store.chargePage(write);
      reportEvent(write.event);
      const hasMoved = write.payment.status !== "pending"; // else only its card was added
      if (isWritten && hasMoved) onStatus(write.scope, write.payment);
      return isWritten;
    },
    requestRefund: async (write) => {
      onPaymentDue(write.dueAtMs);
      return await store.requestRefund(write);
    },
    updateCharge: async (move) => {
      reportCharge(move.charge);
      const outcome = await store.updateCharge(move);
      reportEvent(move.payment?.event);
      if (outcome !== "conflict" && move.payment) onStatus(move.scope, move.payment.next);
      return outcome;
    },
    queueDeliveries: async (write) => {
      const written = await store.queueDeliveries(write);
      for (const { dueAtMs } of write.deliveries) if (dueAtMs !== null) onDeliveryDue(dueAtMs);
      return written;
    },
    requeueEvents: async (write) => {
      const outcome = await store.requeueEvents(write);
      if (outcome.queued > 0) onDeliveryDue(write.nowMs);
      return outcome;
    },
    writeAttempts: async (ends) => {
      const ended = await store.writeAttempts(ends);
      for (const { dueAtMs } of ends.results) if (dueAtMs !== null) onDeliveryDue(dueAtMs);
      return ended;
    },
    leaseDueCharges: watchLease(async (due) => store.leaseDueCharges(due)),
    leaseExpiredPages: watchLease(async (due) => store.leaseExpiredPages(due)),
  };
}

function ignore(): void {}
