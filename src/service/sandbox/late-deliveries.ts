import type { LeasedDelivery } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ids, Store } from "../ports/ports.ts";

type Postpone = (
  scope: Scope,
  delivery: Pick<LeasedDelivery, "id" | "attempts">,
  untilMs: number,
) => Promise<void>;

const prefixLength = "del_".length;
const uuidLength = 36;
/** Later than any time to which the clock is moved. */
const neverMs = Number.MAX_SAFE_INTEGER;

/**
 * Deliveries that are queued while the clock is moved are no part of the move: it would not end while requests cause
 * more of them. They are held back until `release`. A delivery's id begins with the digits of its event, and each id is
 * greater than those before it.
 */
export function createLateDeliveries(ids: Ids, postpone: Postpone) {
  let newest = "";
  let last: string | undefined;
  const held: { scope: Scope; delivery: LeasedDelivery }[] = [];

  function noting(make: () => string): () => string {
    return () => {
      const id = make();
      newest = id.slice(prefixLength);
      return id;
    };
  }

  return {
    /** The same ids, whose newest one is known here. */
    ids: {
      ...ids,
      payment: noting(ids.payment),
      event: noting(ids.event),
      delivery: noting(ids.delivery),
    },
    watchStore: (store: Store): Store => ({
      ...store,
      leaseDeliveries: async (scope, endpointId, due) => {
        const leased = await store.leaseDeliveries(scope, endpointId, due);
        const limit = last;
        if (limit === undefined) return leased;
        const isLate = ({ id }: LeasedDelivery) =>
          id.slice(prefixLength, prefixLength + uuidLength) > limit;
        for (const delivery of leased.filter(isLate)) {
          held.push({ scope, delivery });
          await postpone(scope, delivery, neverMs);
        }
        return leased.filter((delivery) => !isLate(delivery));
      },
    }),
    /** Holds back what is queued from now on. */
    holdNewer: (): void => {
      last = newest;
    },
    /** What was held back is due at a time, and nothing is held back any more. */
    release: async (nowMs: number): Promise<void> => {
      last = undefined;
      for (const { scope, delivery } of held.splice(0)) await postpone(scope, delivery, nowMs);
    },
  };
}

export type LateDeliveries = ReturnType<typeof createLateDeliveries>;
