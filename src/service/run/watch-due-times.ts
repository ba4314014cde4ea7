import type { Due, Store, StoredCharge } from "../use-cases/ports.ts";

/** The same store; `note` is told when what it writes comes due, in Unix milliseconds. */
export function watchDueTimes(store: Store, note: (atMs: number) => void): Store {
  /** Where what was taken is not done by then, it is due again. */
  const noting =
    <T>(take: (due: Due) => Promise<T[]>) =>
    async (due: Due): Promise<T[]> => {
      const taken = await take(due);
      if (taken.length > 0) note(due.untilMs);
      return taken;
    };
  const noteCharge = (charge: Partial<StoredCharge> | undefined) => {
    if (typeof charge?.dueAtMs === "number") note(charge.dueAtMs);
  };
  return {
    ...store,
    createPayment: async (make) =>
      store.createPayment(() => {
        const made = make();
        if (made.settlement) note(made.settlement.dueAtMs);
        if (made.page) note(made.page.expiresAtMs);
        noteCharge(made.charge);
        return made;
      }),
    closePage: async (write) => {
      if (write.settlement) note(write.settlement.dueAtMs);
      return await store.closePage(write);
    },
    chargePage: async (write) => {
      noteCharge(write.charge);
      return await store.chargePage(write);
    },
    wantRefund: async (write) => {
      note(write.dueAtMs);
      return await store.wantRefund(write);
    },
    moveCharge: async (move) => {
      noteCharge(move.charge);
      return await store.moveCharge(move);
    },
    postpone: async (scope, paymentId, dueAtMs) => {
      note(dueAtMs);
      await store.postpone(scope, paymentId, dueAtMs);
    },
    takeDueCharges: noting(async (due) => store.takeDueCharges(due)),
    takeDuePayments: noting(async (due) => store.takeDuePayments(due)),
    takeExpiredPages: noting(async (due) => store.takeExpiredPages(due)),
  };
}
