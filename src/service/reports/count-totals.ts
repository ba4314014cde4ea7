import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";

/** A write is there some 20 s after its id was made, or never; the rest allows for replicas whose clocks differ. */
const defaultLagMs = 60_000;
/** Few enough for one write that other writers do not wait long. */
const batchSize = 1_000;
/** The rest after a batch, as a multiple of the time it took: a quarter of a processor is used at most. */
const restFactor = 3;
/** How long an account and mode in which nothing was found is left out, twice as long each time. */
const backoff = { minMs: 15_000, maxMs: 5 * 60_000 };

/** Counts the totals of every account and mode; those in which nothing happens are looked at less and less often. */
export function createTotalsCounter({ store, clock, totalsLagMs = defaultLagMs }: Ports) {
  const idle = new Map<string, { untilMs: number; pauses: number }>();

  async function count(scope: Scope, signal?: AbortSignal): Promise<void> {
    const key = `${scope.accountId} ${scope.livemode}`;
    const last = idle.get(key);
    if (last && clock() < last.untilMs) return;
    let hasCounted = false;
    for (;;) {
      if (signal?.aborted) return;
      const beganMs = performance.now();
      const before = Math.floor((clock() - totalsLagMs) / 1000);
      if (!(await store.countTotals(scope, before, batchSize))) break;
      hasCounted = true;
      const restMs = restFactor * (performance.now() - beganMs);
      await delay(restMs, undefined, signal && { signal }).catch(() => {});
    }
    const pauses = hasCounted || !last ? 0 : last.pauses;
    idle.set(key, { untilMs: clock() + computeBackoff(pauses, backoff), pauses: pauses + 1 });
  }

  /** Counts all that has happened, or until it is aborted; it begins at a random account, because replicas do so, too. */
  return async (signal?: AbortSignal): Promise<void> => {
    const accounts = await store.listAccounts();
    const first = Math.floor(Math.random() * accounts.length);
    for (const { id: accountId } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
      for (const livemode of [false, true]) await count({ accountId, livemode }, signal);
    }
  };
}
