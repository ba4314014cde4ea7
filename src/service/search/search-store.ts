import { setTimeout as delay } from "node:timers/promises";
import type { Payment } from "../../contract/payment.ts";
import { type Driver, commit, query, readOne, writeOne } from "../database/driver.ts";
import { type NextAccounts, findOfNextAccounts } from "../database/due-work.ts";
import type { Scope } from "../database/scope.ts";
import { findPaymentsToIndex } from "./find-payments-to-index.ts";
import { createSegmentBuilder, mergePostings } from "./merge-segments.ts";
import { termRules } from "./payment-terms.ts";
import { rareTerms } from "./posting-blocks.ts";
import {
  type DueIndex,
  type IndexLease,
  type IndexPart,
  advanceIndex,
  deleteAllRecent,
  deleteChanges,
  deleteRecent,
  deleteWriters,
  hasPayments,
  insertProgress,
  insertRecent,
  leaseIndex,
  lockIndex,
  renewProgress,
  selectIndexes,
  selectOldestUnindexed,
  takeSegment,
} from "./search-index-sql.ts";
import { hashBits } from "./search-keys.ts";
import {
  type BlockPlace,
  type Segment,
  deleteBlocks,
  deleteSegment,
  hasSegment,
  insertBlocks,
  insertSegment,
  retireAllSegments,
  retireSegments,
  selectNextWithBlocks,
  selectPlaceAfter,
  selectRetiredSegments,
  selectSegments,
} from "./search-sql.ts";

/** Of a segment that is deleted, few enough that other writers do not wait long. */
const blocksAtOnce = 256;

/** The places before the first list of a segment, and after the last one. */
const beforeLists: BlockPlace = { list: rareTerms - 1, start: 0 };

const afterLists: BlockPlace = { list: 2 ** hashBits, start: 0 };

export function createSearchStore(driver: Driver) {
  return {
    /**
     * The indexes that something has to be written to. Accounts without an index get one, which begins at the payment id
     * `from`; an index by older rules begins anew there.
     */
    findIndexesToWrite: async (from: string, nowMs: number): Promise<DueIndex[]> => {
      const all = await findOfAllAccounts(driver, async (ids) => {
        const indexes = await readOne(driver, selectIndexes(ids));
        const known = new Set(indexes.map(({ scope }) => scope.accountId));
        const others = ids.filter((id) => !known.has(id));
        for (const accountId of others) {
          for (const livemode of [false, true]) {
            await writeOne(driver, insertProgress({ accountId, livemode }, from), accountId);
          }
        }
        const outdated = indexes.filter(({ rules }) => rules < termRules);
        for (const { scope } of outdated) await beginAnew(driver, scope, from, nowMs);
        const isChanged = others.length + outdated.length > 0;
        return isChanged ? await readOne(driver, selectIndexes(ids)) : indexes;
      });
      return all.filter(({ rules, isDue }) => isDue && rules === termRules);
    },
    /** Whether there are any such indexes, or payments of an account without one. */
    hasIndexesToWrite: async (): Promise<boolean> => {
      const isAny = await findOfAllAccounts(driver, async (ids) => {
        const indexes = await readOne(driver, selectIndexes(ids));
        if (indexes.some(({ rules, isDue }) => rules < termRules || (rules === termRules && isDue)))
          return [true];
        const known = new Set(indexes.map(({ scope }) => scope.accountId));
        const others = ids.filter((id) => !known.has(id));
        return others.length === 0 ? [] : [await readOne(driver, hasPayments(others))];
      });
      return isAny.includes(true);
    },
    /** Leases an index until `untilMs`; false where another replica's lease lasts. */
    leaseIndex: ({ scope, owner }: IndexLease, nowMs: number, untilMs: number): Promise<boolean> =>
      writeOne(driver, leaseIndex(scope, { owner, nowMs, untilMs }), scope.accountId),
    /**
     * Indexes new payments, and what has changed or appeared late since it was indexed; then, where the new ones are
     * fewer than the limit, payments from before the index; few of them where many are new. Large payments are fewer in a
     * step. Returns how many payments it indexed, and whether the next step may follow at once.
     */
    indexPayments: async (
      lease: IndexLease,
      part: IndexPart,
    ): Promise<{ indexed: number; hasMore: boolean }> => {
      const builder = createSegmentBuilder();
      const take = (payment: string) => builder.add(JSON.parse(payment) as Payment);
      const next = await findPaymentsToIndex(driver, lease.scope, part, take);
      if (!next) return { indexed: 0, hasMore: false };
      const { progress, moved, changes, recent, settledTo } = next;
      const { scope, owner } = lease;
      const { payments: count, blocks, ...keys } = builder.build();
      await driver.write(function* () {
        const segment = yield* query(advanceIndex(scope, owner, progress, moved));
        if (segment === undefined) return;
        yield* commit<unknown[]>(
          ...(count > 0 ? [insertSegment(scope, { segment, payments: count, ...keys })] : []),
          ...insertBlocks(scope, segment, blocks),
          ...recent.map((range) => insertRecent(scope, range)),
          ...deleteChanges(scope, changes),
          ...(settledTo === undefined
            ? []
            : [deleteRecent(scope, settledTo), deleteWriters(scope, settledTo)]),
        );
      }, scope.accountId);
      return { indexed: count, hasMore: next.hasMore };
    },
    /**
     * Merges segments of a similar size, if there are `minSegments`, into one of `minPayments` to `maxPayments`; returns
     * whether there were any. The merged ones are retired at the time of the clock when the merge ends. `isPaced`: it
     * takes twice as long, and leaves half of the time to other writers.
     */
    mergeSegments: async (
      { scope, owner }: IndexLease,
      sizes: { minPayments: number; maxPayments: number; minSegments: number; isPaced?: boolean },
      clock: () => number,
      signal?: AbortSignal,
    ): Promise<boolean> => {
      const { accountId } = scope;
      const segments = await readOne(driver, selectSegments(scope), accountId);
      const merged = findMergeable(segments, sizes);
      if (!merged) return false;
      const segment = await writeOne(driver, takeSegment(scope, owner), accountId);
      if (segment === undefined) return false;
      // In the order of time, so that lists mostly follow each other.
      const inputs = merged.toSorted((a, b) => a.low - b.low).map((each) => each.segment);
      let beganMs = performance.now();
      await mergePostings(driver, scope, inputs, async (blocks) => {
        signal?.throwIfAborted();
        await driver.write(
          () => commit<unknown[]>(...insertBlocks(scope, segment, blocks)),
          accountId,
        );
        // Other writers have as much time as the merge.
        if (sizes.isPaced) await delay(performance.now() - beganMs, undefined, { signal });
        beganMs = performance.now();
      });
      await driver.write(function* () {
        if (!(yield* query(lockIndex(scope, owner)))) return;
        yield* commit<unknown[]>(
          insertSegment(scope, { segment, ...measure(merged) }),
          // A merge may take minutes: searches read what they have replaced for a while from now on.
          ...retireSegments(scope, inputs, clock()),
        );
      }, accountId);
      return true;
    },
    /** Deletes what is left of merges that were not finished. */
    purgeUnfinishedSegments: async ({ scope }: IndexLease, signal?: AbortSignal): Promise<void> => {
      for (let after = 0; ;) {
        const next = await readOne(driver, selectNextWithBlocks(scope, after), scope.accountId);
        if (next === undefined) return;
        if (!(await readOne(driver, hasSegment(scope, next), scope.accountId))) {
          await purgeBlocks(driver, scope, next, signal);
          if (signal?.aborted) return;
        }
        after = next;
      }
    },
    /** Deletes segments that were retired before a time. */
    purgeRetiredSegments: async (
      { scope }: IndexLease,
      beforeMs: number,
      signal?: AbortSignal,
    ): Promise<void> => {
      const statement = selectRetiredSegments(scope, beforeMs);
      for (const segment of await readOne(driver, statement, scope.accountId)) {
        await purgeBlocks(driver, scope, segment, signal);
        if (signal?.aborted) return;
        await writeOne(driver, deleteSegment(scope, segment), scope.accountId);
      }
    },
    /** The id of the oldest payment that is not indexed. */
    findOldestUnindexed: async (): Promise<string | undefined> => {
      const oldest = await findOfAllAccounts(driver, async (ids) => [
        await readOne(driver, selectOldestUnindexed(ids)),
      ]);
      return oldest.filter((id) => id !== undefined).toSorted()[0];
    },
  };
}

/** Begins an index by older rules anew. Its segments are retired, since a search by their program may still read them. */
async function beginAnew(driver: Driver, scope: Scope, from: string, nowMs: number): Promise<void> {
  await driver.write(function* () {
    if (!(yield* query(renewProgress(scope, from)))) return;
    yield* commit(retireAllSegments(scope, nowMs), deleteAllRecent(scope));
  }, scope.accountId);
}

/** Searches all accounts, some accounts at a time. */
async function findOfAllAccounts<T>(
  driver: Driver,
  find: (accountIds: readonly string[]) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const { found, next }: NextAccounts<T> = await findOfNextAccounts(driver, after, find);
    all.push(...found);
    after = next;
  }
  return all;
}

/** The smallest segments of one size, if there are enough of them. */
function findMergeable(
  segments: Segment[],
  { minPayments, maxPayments, minSegments }: Parameters<SearchStore["mergeSegments"]>[1],
): Segment[] | undefined {
  const bySize = Map.groupBy(segments, ({ payments }) => toSizeClass(payments));
  for (const [, similar] of [...bySize].toSorted(([a], [b]) => a - b)) {
    const merged = similar.toSorted((a, b) => a.payments - b.payments);
    while (measure(merged).payments > maxPayments) merged.pop();
    if (merged.length >= minSegments && measure(merged).payments >= minPayments) return merged;
  }
  return undefined;
}

/** Each class is eight times as large as the one before; all small segments are of the first. */
function toSizeClass(payments: number): number {
  return Math.max(0, Math.floor(Math.log2(payments / 256) / 3));
}

function measure(segments: Segment[]): Omit<Segment, "segment"> {
  return {
    payments: segments.reduce((sum, { payments }) => sum + payments, 0),
    low: Math.min(...segments.map(({ low }) => low)),
    high: Math.max(...segments.map(({ high }) => high)),
  };
}

/**
 * Deletes blocks some at a time, until it is aborted; each time from where the last ones ended, since PostgreSQL keeps
 * deleted rows for a while.
 */
async function purgeBlocks(
  driver: Driver,
  scope: Scope,
  segment: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let after: BlockPlace | undefined = beforeLists; after !== undefined;) {
    if (signal?.aborted) return;
    const next: BlockPlace | undefined = await readOne(
      driver,
      selectPlaceAfter(scope, { segment, ...after }, blocksAtOnce),
      scope.accountId,
    );
    const range = { after, upTo: next ?? afterLists };
    await writeOne(driver, deleteBlocks(scope, segment, range), scope.accountId);
    after = next;
  }
}

export type SearchStore = ReturnType<typeof createSearchStore>;
