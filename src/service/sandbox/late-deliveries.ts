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

/**
 * Deliveries that are queued during a step of a move of the clock are no part of the step: it would not end while
 * requests cause more of them. They are held back until `release`. A delivery's id begins with the digits of its event,
 * and each id is greater than those before it; what is queued again for an old event is part of the step.
 */
export function createLateDeliveries(ids: Ids, postpone: Postpone) {
  let newest = "";
  /** The last one of the step, and the time to which later ones are postponed. */
  let limit: { id: string; untilMs: number } | undefined;
  const held = new Map<string, { scope: Scope; delivery: LeasedDelivery }>();
  let last: Promise<unknown> = Promise.resolve();

  /** A release waits for what is being held back, and the other way round. */
  function runAlone<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  }

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
        if (limit === undefined) return leased;
        return await runAlone(async () => {
          const step = limit;
          if (step === undefined) return leased;
          const isLate = ({ id }: LeasedDelivery) =>
            id.slice(prefixLength, prefixLength + uuidLength) > step.id;
          for (const delivery of leased.filter(isLate)) {
            held.set(delivery.id, { scope, delivery });
            await postpone(scope, delivery, step.untilMs);
          }
          return leased.filter((delivery) => !isLate(delivery));
        });
      },
    }),
    /** Holds back the deliveries that are queued from now on, until a time that is after the move. */
    holdNewer: (untilMs: number): void => {
      limit = { id: newest, untilMs };
    },
    /** Makes the deliveries that were held back due at a time, and holds back none any more. */
    release: async (nowMs: number): Promise<void> =>
      runAlone(async () => {
        limit = undefined;
        for (const [id, { scope, delivery }] of held) {
          await postpone(scope, delivery, nowMs);
          held.delete(id);
        }
      }),
  };
}

export type LateDeliveries = ReturnType<typeof createLateDeliveries>;
