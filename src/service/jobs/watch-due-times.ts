import type { EventTimes } from "../ports/event-store.ts";
import type { Due, StoredCharge } from "../ports/payment-store.ts";
import type { Store } from "../ports/ports.ts";

/** Told when what is written comes due, in Unix milliseconds. */
export type DueTimes = {
  /** What becomes of a payment. */
  note: (atMs: number) => void;
  /** What is to be delivered. */
  noteDelivery: (atMs: number) => void;
};

/** The same store; what it writes is told, and deliveries, which may be due at once, when they are there. */
export function watchDueTimes(store: Store, { note, noteDelivery }: DueTimes): Store {
  /** Where what was taken is not done by then, it is due again. */
  const noting =
    <D extends Due, T>(take: (due: D) => Promise<T[]>) =>
    async (due: D): Promise<T[]> => {
      const taken = await take(due);
      if (taken.length > 0) note(due.untilMs);
      return taken;
    };
  const noteCharge = (charge: Partial<StoredCharge> | undefined) => {
    if (typeof charge?.dueAtMs === "number") note(charge.dueAtMs);
  };
  const noteEvent = (event: EventTimes | undefined) => {
    if (event) noteDelivery(event.dueAtMs);
  };
  return {
    ...store,
    createPayment: async (make, accountId) => {
      let event: EventTimes | undefined;
      const written = await store.createPayment(() => {
        const made = make();
        if (made.page) note(made.page.expiresAtMs);
        noteCharge(made.charge);
        ({ event } = made);
        return made;
      }, accountId);
      noteEvent(event);
      return written;
    },
    transition: async (write) => {
      const written = await store.transition(write);
      noteEvent(write.event);
      return written;
    },
    closePage: async (write) => {
      noteCharge(write.charge);
      const written = await store.closePage(write);
      noteEvent(write.event);
      return written;
    },
    chargePage: async (write) => {
      noteCharge(write.charge);
      return await store.chargePage(write);
    },
    requestRefund: async (write) => {
      note(write.dueAtMs);
      return await store.requestRefund(write);
    },
    updateCharge: async (move) => {
      noteCharge(move.charge);
      const written = await store.updateCharge(move);
      noteEvent(move.payment?.event);
      return written;
    },
    queueDeliveries: async (write) => {
      const written = await store.queueDeliveries(write);
      for (const { dueAtMs } of write.deliveries) if (dueAtMs !== null) noteDelivery(dueAtMs);
      return written;
    },
    endDelivery: async (end) => {
      const hasEnded = await store.endDelivery(end);
      if (end.dueAtMs !== null) noteDelivery(end.dueAtMs);
      return hasEnded;
    },
    leaseDueCharges: noting(async (due) => store.leaseDueCharges(due)),
    leaseExpiredPages: noting(async (due) => store.leaseExpiredPages(due)),
  };
}
