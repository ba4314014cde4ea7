import type { WorkDone } from "../../contract/sandbox.ts";
import type { Store } from "../ports/ports.ts";

/** Methods of a store that change nothing which could come due. */
const isRead = /^(?:find|list|lease|measure|count|is|search|index|merge|record|purge)/;

/** The changes that the service makes by itself, apart from webhooks and purges. */
export type Settled = Pick<WorkDone, "settled" | "expired">;

/** The same store, which counts what settles and expires, and calls `onWrite` after each write. */
export function watchStore(store: Store, done: Settled, onWrite: () => void): Store {
  const entries = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
  const watched = Object.fromEntries(
    entries.map(([name, method]) => [
      name,
      isRead.test(name)
        ? method
        : async (...args: unknown[]) => {
            try {
              return await method(...args);
            } finally {
              onWrite();
            }
          },
    ]),
  ) as Store;
  return {
    ...watched,
    updateCharge: async (move) => {
      const outcome = await watched.updateCharge(move);
      if (outcome !== "conflict" && move.payment) done.settled++;
      return outcome;
    },
    closePage: async (write) => {
      const written = await watched.closePage(write);
      const { payment } = write;
      const hasExpired = payment.status === "failed" && payment.decline_code === "hpp_expired";
      if (written.outcome === "written" && hasExpired) done.expired++;
      return written;
    },
  };
}
