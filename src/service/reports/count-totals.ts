import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/backoff.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * What is written is there some 20 s after its id was made, or never; what is older is complete. The rest is for
 * clocks of replicas that differ.
 */
const usualLagMs = 60_000;
/** So few that nobody who writes meanwhile waits for long. */
const countedAtOnce = 1_000;
/** While there is more, it rests so many times as long as it has worked: it takes a quarter of a processor at most. */
const restsFor = 3;
/** How long an account and mode is left alone in which nothing was found, twice as long each time. */
const backoff = { minMs: 15_000, maxMs: 5 * 60_000 };

/**
 * Keeps the totals of every account and mode. Where there was nothing to count it looks again later and later, so
 * that accounts at rest cost next to nothing.
 */
export function createTotalsCounter({ store, clock, totalsLagMs = usualLagMs }: Ports) {
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
      if (!(await store.countTotals(scope, before, countedAtOnce))) break;
      hasCounted = true;
      const restMs = restsFor * (performance.now() - beganMs);
      await delay(restMs, undefined, signal && { signal }).catch(() => {});
    }
    const pauses = hasCounted || !last ? 0 : last.pauses;
    idle.set(key, { untilMs: clock() + computeBackoff(pauses, backoff), pauses: pauses + 1 });
  }

  /** Counts all that has happened, or until it is stopped; it begins at any account, as others may do so, too. */
  return async (signal?: AbortSignal): Promise<void> => {
    const accounts = await store.listAccounts();
    const first = Math.floor(Math.random() * accounts.length);
    for (const { id: accountId } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
      for (const livemode of [false, true]) await count({ accountId, livemode }, signal);
    }
  };
}
