import type { EventTimes } from "../webhooks/webhooks-store.ts";
import type { Due } from "../database/lease-due.ts";
import type { StoredCharge } from "../payments/payment-types.ts";
import type { Store } from "../service.ts";

/** Called with the Unix time in milliseconds at which written work comes due. */
export type DueTimes = {
  onPaymentDue: (atMs: number) => void;
  onDeliveryDue: (atMs: number) => void;
};

/**
 * The same store, which reports the due times of the work that it writes. Deliveries are reported after the
 * write, because they may be due at once.
 */
export function watchDueTimes(store: Store, { onPaymentDue, onDeliveryDue }: DueTimes): Store {
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
      let event: EventTimes | undefined;
      const written = await store.createPayment(() => {
        const made = make();
        if (made.page) onPaymentDue(made.page.expiresAtMs);
        reportCharge(made.charge);
        ({ event } = made);
        return made;
      }, accountId);
      reportEvent(event);
      return written;
    },
    transition: async (write) => {
      const written = await store.transition(write);
      reportEvent(write.event);
      return written;
    },
    closePage: async (write) => {
      const written = await store.closePage(write);
      reportEvent(write.event);
      if (write.payment.card) onPaymentDue(write.cancelDueAtMs ?? 0);
      return written;
    },
    chargePage: async (write) => {
      reportCharge(write.charge);
      const isWritten = await store.chargePage(write);
      reportEvent(write.event);
      return isWritten;
    },
    requestRefund: async (write) => {
      onPaymentDue(write.dueAtMs);
      return await store.requestRefund(write);
    },
    updateCharge: async (move) => {
      reportCharge(move.charge);
      const written = await store.updateCharge(move);
      reportEvent(move.payment?.event);
      return written;
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
    endDelivery: async (end) => {
      const hasEnded = await store.endDelivery(end);
      if (end.dueAtMs !== null) onDeliveryDue(end.dueAtMs);
      return hasEnded;
    },
    leaseDueCharges: watchLease(async (due) => store.leaseDueCharges(due)),
    leaseExpiredPages: watchLease(async (due) => store.leaseExpiredPages(due)),
  };
}
