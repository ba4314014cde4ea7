import { type Clock, type Ids, parseCreated, toIdBound } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import { toScopeKey } from "./announce-writer.ts";
import type { DueIndex, IndexLease } from "./search-index-sql.ts";
import type { SearchStore } from "./search-store.ts";

/** Most payments appear within this time after their ids are made; those that appear later are noticed. */
const defaultLagMs = 500;
/** A write commits within 20 s of its id, or never; the rest allows for replicas whose clocks differ. */
const settledAfterMs = 60_000;
/** Few enough for a write that others wait for. */
const batchSize = 8_192;
/** How many batches of one account and mode are indexed before the others have their turn. */
const maxBatches = 16;
const batchesAhead = 8;
const leaseMs = 30_000;
const lookForLateEveryMs = 2_000;
/** How far back payments that appeared late are looked for each time. */
const newestMs = 4_000;
/** How many times it takes until all of the last minute is looked through. */
const looksUntilAll = 16;
/** Longer than any search takes, which may still read a retired segment, by the clock of any replica. */
const retiredForMs = 60_000;
/** Merges of many segments take long, and do not hold up the others. */
const largeSegment = 256 * 1024;
/** Segments of a size wait for each other; without load they wait for one. */
const [minSegmentsUnderLoad, minSegmentsAtRest] = [8, 2];
/** A merge takes time and space in proportion to its size. */
const maxSegment = 16 * 1024 * 1024;

/** The service, as the indexing of payments takes it. */
export type SearchService = {
  store: SearchStore;
  clock: Clock;
  ids: Ids;
  /** How old payments are when they are added to the search index, in milliseconds; 500 by default. */
  searchLagMs?: number | undefined;
  /** The owner of the first leases: that of a process which has ended, and whose place this one takes. */
  firstOwner?: string;
};

/** Writes the search index behind the payments (search: as fast at ten million as at ten thousand). */
export function createPaymentIndexer(service: SearchService) {
  const { store, clock, ids, searchLagMs = defaultLagMs, firstOwner = ids.unique() } = service;
  const held = new Map<string, DueIndex>();
  const late = new Map<string, { nextMs: number; times: number }>();
  const mergers = [
    createMerger({ maxPayments: largeSegment }),
    createMerger({ minPayments: largeSegment, isPaced: true }, { purges: true }),
  ];

  /** Leases an index, or leases it for longer; undefined where another replica has it. */
  async function lease(
    { scope, owner, untilMs }: DueIndex,
    signal: AbortSignal | undefined,
  ): Promise<IndexLease | undefined> {
    const key = toScopeKey(scope);
    const nowMs = clock();
    const last = held.get(key);
    if (untilMs > nowMs && owner !== (last?.owner ?? firstOwner)) return undefined;
    // An ended lease may have been another replica's meanwhile: merges that were begun during it are void.
    const isSame = last !== undefined && nowMs < last.untilMs;
    const ownOwner = last === undefined ? firstOwner : isSame ? last.owner : ids.unique();
    const next = { scope, owner: ownOwner, untilMs: nowMs + leaseMs };
    if (!(await store.leaseIndex(next, nowMs, next.untilMs))) {
      held.set(key, { ...next, untilMs: 0 });
      return undefined;
    }
    if (!isSame) await store.purgeUnfinishedSegments(next, signal);
    if (signal?.aborted) return undefined;
    held.set(key, next);
    return next;
  }

  /** Leases for longer what is being merged: that may take minutes, in which nothing else is due. */
  async function keepLeases(signal: AbortSignal | undefined): Promise<void> {
    for (const merger of mergers) {
      const merged = merger.merged();
      const last = merged && held.get(toScopeKey(merged.scope));
      if (last && clock() < last.untilMs) await lease(last, signal);
    }
  }

  /**
   * How far back payments are looked for that appeared late; undefined where that is not due. Under load it is a count
   * of a minute's payments: the newest are counted each time, twice as many every second time, four times as many every
   * fourth time, …
   */
  function takeLateMs(scope: Scope, nowMs: number): number | undefined {
    const key = toScopeKey(scope);
    const { nextMs, times } = late.get(key) ?? { nextMs: 0, times: 0 };
    if (nowMs < nextMs) return undefined;
    late.set(key, { nextMs: nowMs + lookForLateEveryMs, times: (times + 1) % looksUntilAll });
    return times === 0 ? Infinity : newestMs * (times & -times);
  }

  /** Indexes some of what is due in one account and mode; returns how many payments, and whether some are left. */
  async function indexOne(due: DueIndex, signal: AbortSignal | undefined) {
    let sum = 0;
    for (let batches = 1, current = due; ; batches++) {
      const leased = await lease(current, signal);
      if (!leased) return { indexed: sum, hasMore: false };
      const nowMs = clock();
      const { indexed, hasMore } = await store.indexPayments(leased, {
        upTo: toBound(nowMs - searchLagMs + 1),
        settledTo: toBound(nowMs - settledAfterMs),
        lateMs: takeLateMs(leased.scope, nowMs),
        limit: batchSize,
      });
      sum += indexed;
      for (const merger of mergers) merger.add(leased);
      if (!hasMore || batches === maxBatches) return { indexed: sum, hasMore };
      // Payments go on being indexed beside merges, but not many segments ahead of them.
      const merging = mergers.map((merger) => merger.run(minSegmentsUnderLoad, signal));
      // A merge that fails is tried again in the next pass, which reports it.
      for (const each of merging) each.catch(() => {});
      if (batches % batchesAhead === 0) await merging[0];
      current = held.get(toScopeKey(due.scope)) ?? due;
    }
  }

  /** Merges segments of some sizes, one merge after the other; `purges`: and deletes what was merged a while ago. */
  function createMerger(
    sizes: { minPayments?: number; maxPayments?: number; isPaced?: boolean },
    { purges = false } = {},
  ) {
    /** The indexes that have been written since they were last looked at under load, and at rest. */
    const due = { underLoad: new Map<string, IndexLease>(), atRest: new Map<string, IndexLease>() };
    let running: Promise<void> | undefined;
    let merged: IndexLease | undefined;
    async function mergeAll(minSegments: number, signal: AbortSignal | undefined): Promise<void> {
      const all = { minPayments: 0, maxPayments: maxSegment, minSegments, ...sizes };
      const looked = minSegments === minSegmentsAtRest ? due.atRest : due.underLoad;
      for (const [key, leased] of looked) {
        if (signal?.aborted) return;
        looked.delete(key);
        merged = leased;
        for (let goesOn = true; goesOn;) {
          // First, since it makes space.
          if (purges) await store.purgeRetiredSegments(leased, clock() - retiredForMs, signal);
          goesOn = await store.mergeSegments(leased, all, clock, signal);
        }
      }
    }
    return {
      add: (leased: IndexLease) => {
        for (const each of Object.values(due)) each.set(toScopeKey(leased.scope), leased);
      },
      /** Begins to merge, unless it is under way. */
      run: (minSegments: number, signal: AbortSignal | undefined): Promise<void> =>
        (running ??= mergeAll(minSegments, signal).finally(() => {
          running = undefined;
          merged = undefined;
        })),
      /** The index whose segments are being merged. */
      merged: () => merged,
    };
  }

  /**
   * Indexes some of what is due, and begins to merge; returns how many payments were indexed, whether some are left, and
   * whether nothing is due or being merged.
   */
  return async (signal?: AbortSignal) => {
    await keepLeases(signal);
    const nowMs = clock();
    const from = toBound(nowMs - settledAfterMs);
    let indexed = 0;
    let hasMore = false;
    const all = await store.findIndexesToWrite(from, nowMs);
    for (const due of all) {
      const one = await indexOne(due, signal);
      indexed += one.indexed;
      hasMore ||= one.hasMore;
    }
    const minSegments = indexed === 0 ? minSegmentsAtRest : minSegmentsUnderLoad;
    const merged = Promise.all(mergers.map((each) => each.run(minSegments, signal)));
    const isAtRest = all.length === 0 && mergers.every((each) => each.merged() === undefined);
    return { indexed, hasMore, isAtRest, merged };
  };
}

/** The age of the oldest payment that is not in the search index, in seconds. */
export async function measureSearchBehind({
  store,
  clock,
}: Pick<SearchService, "store" | "clock">): Promise<number> {
  const oldest = await store.findOldestUnindexed();
  return oldest === undefined ? 0 : Math.max(0, clock() / 1000 - parseCreated(oldest));
}

function toBound(ms: number): string {
  return toIdBound("pay_", ms / 1000);
}
