import type { Due, Store } from "../use-cases/ports.ts";

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
  return {
    ...store,
    createPayment: async (make) =>
      store.createPayment(() => {
        const made = make();
        if (made.settlement) note(made.settlement.dueAtMs);
        if (made.page) note(made.page.expiresAtMs);
        return made;
      }),
    closePage: async (write) => {
      if (write.settlement) note(write.settlement.dueAtMs);
      return await store.closePage(write);
    },
    postpone: async (scope, paymentId, dueAtMs) => {
      note(dueAtMs);
      await store.postpone(scope, paymentId, dueAtMs);
    },
    takeDuePayments: noting(async (due) => store.takeDuePayments(due)),
    takeExpiredPages: noting(async (due) => store.takeExpiredPages(due)),
  };
}
