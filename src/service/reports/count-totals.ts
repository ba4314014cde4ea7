import { setTimeout as delay } from "node:timers/promises";
import type { AccountStore } from "../accounts/accounts-store.ts";
import type { Clock } from "../database/ids.ts";
import type { TotalsStore } from "./totals-store.ts";
import { computeBackoff } from "../../runtime/time.ts";
import type { Scope } from "../database/scope.ts";

/** The service, as use cases of reports take it. */
export type ReportsService = {
  store: TotalsStore & Pick<AccountStore, "listAccounts">;
  clock: Clock;
  /** How old payments and events are when they are added to the totals; 60 s by default. */
  totalsLagMs?: number | undefined;
};

/** A write commits within 20 s of its id, or never; the rest allows for replicas whose clocks differ. */
const defaultLagMs = 60_000;
/** Few enough for one write that other writers do not wait long. */
const batchSize = 1_000;
/** The pause after a batch, as a multiple of its duration: counting uses a quarter of a processor at most. */
const pauseFactor = 3;
/** For how long an account and mode with nothing to count is skipped; the time doubles. */
const backoff = { minMs: 15_000, maxMs: 5 * 60_000 };

/** Counts the totals of every account and mode; idle ones are visited less and less often. */
export function createTotalsCounter({ store, clock, totalsLagMs = defaultLagMs }: ReportsService) {
  const idle = new Map<string, { untilMs: number; pauses: number }>();

  async function count(scope: Scope, signal?: AbortSignal): Promise<void> {
    const key = `${scope.accountId} ${scope.livemode}`;
    const last = idle.get(key);
    if (last && clock() < last.untilMs) return;
    let hasCounted = false;
    for (;;) {
      if (signal?.aborted) return;
      const startMs = performance.now();
      const before = Math.floor((clock() - totalsLagMs) / 1000);
      const hasMore =
        (await store.countTotals(scope, before, batchSize)) ||
        (await store.fillDeclineCodes(scope, batchSize));
      if (!hasMore) break;
      hasCounted = true;
      const pauseMs = pauseFactor * (performance.now() - startMs);
      await delay(pauseMs, undefined, signal && { signal }).catch(() => {});
    }
    const pauses = hasCounted || !last ? 0 : last.pauses;
    idle.set(key, { untilMs: clock() + computeBackoff(pauses, backoff), pauses: pauses + 1 });
  }

  // Every replica counts: a random first account spreads them.
  return async (signal?: AbortSignal): Promise<void> => {
    const accounts = await store.listAccounts();
    const first = Math.floor(Math.random() * accounts.length);
    for (const { id: accountId } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
      for (const livemode of [false, true]) await count({ accountId, livemode }, signal);
    }
  };
}
