import type { Payment } from "../../contract/payment.ts";
import { maxIdOf } from "../domain/object-id.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { SearchStore } from "../ports/search-store.ts";
import { batch, commit, query, readOne, writeOne, type Driver } from "./driver.ts";
import { buildSegment } from "./search/build-segment.ts";
import { mergePostings } from "./search/merge-segments.ts";
import {
  advanceIndex,
  deleteBlocks,
  deleteChanges,
  deleteRecent,
  deleteSegment,
  hasSegment,
  insertBlocks,
  insertProgress,
  insertRecent,
  insertSegment,
  leaseIndex,
  lockIndex,
  retireSegments,
  selectAccountsWithoutIndex,
  selectChanges,
  selectNextWithBlocks,
  selectOldestUnindexed,
  selectPaymentsByIds,
  selectPaymentsToIndex,
  selectProgress,
  selectRecent,
  selectIndexesToWrite,
  selectSegments,
  selectUnusedSegments,
  type RecentRange,
  type Segment,
} from "./sql/search-sql.ts";

const maxChanges = 1_000;
const maxLate = 16_384;
/** Of a segment that is deleted, few enough that other writers do not wait long. */
const blocksAtOnce = 256;

type Part = Parameters<SearchStore["indexPayments"]>[1];
type PaymentRow = { id: string; payment: string };

export function createSearchStore(driver: Driver): SearchStore {
  return {
    findIndexesToWrite: async (from) => {
      for (const accountId of await readOne(driver, selectAccountsWithoutIndex())) {
        for (const livemode of [false, true]) {
          await writeOne(driver, insertProgress({ accountId, livemode }, from), accountId);
        }
      }
      return await readOne(driver, selectIndexesToWrite());
    },
    leaseIndex: ({ scope, owner }, nowMs, untilMs) =>
      writeOne(driver, leaseIndex(scope, { owner, nowMs, untilMs }), scope.accountId),
    indexPayments: async (lease, part) => {
      const next = await findNext(driver, lease.scope, part);
      if (!next) return 0;
      const { progress, moved, payments, changes, recent, settledTo } = next;
      const { scope, owner } = lease;
      const parsed = payments.map((payment) => JSON.parse(payment) as Payment);
      const { segment, blocks } = buildSegment(progress.nextSegment, parsed);
      await driver.write(function* () {
        if (!(yield* query(advanceIndex(scope, owner, progress, moved)))) return;
        yield* commit<unknown[]>(
          ...(payments.length > 0 ? [insertSegment(scope, segment)] : []),
          ...insertBlocks(scope, segment.segment, blocks),
          ...recent.map((range) => insertRecent(scope, range)),
          ...deleteChanges(scope, changes),
          ...(settledTo === undefined ? [] : [deleteRecent(scope, settledTo)]),
        );
      }, scope.accountId);
      return payments.length;
    },
    mergeSegments: async ({ scope, owner }, sizes, nowMs, signal) => {
      const { accountId } = scope;
      const segments = await readOne(driver, selectSegments(scope), accountId);
      const merged = findMergeable(segments, sizes);
      if (!merged) return false;
      const progress = await readOne(driver, selectProgress(scope), accountId);
      if (!progress) return false;
      const taken = await writeOne(
        driver,
        advanceIndex(scope, owner, progress, progress),
        accountId,
      );
      if (!taken) return false;
      const { nextSegment: segment } = progress;
      const inputs = merged.map((each) => each.segment);
      await mergePostings(driver, scope, inputs, async (blocks) => {
        signal?.throwIfAborted();
        await driver.write(
          () => commit<unknown[]>(...insertBlocks(scope, segment, blocks)),
          accountId,
        );
      });
      await driver.write(function* () {
        if (!(yield* query(lockIndex(scope, owner)))) return;
        yield* commit<unknown[]>(
          insertSegment(scope, { segment, ...measure(merged) }),
          ...retireSegments(scope, inputs, nowMs),
        );
      }, accountId);
      return true;
    },
    purgeUnfinishedSegments: async ({ scope }) => {
      for (let after = 0; ;) {
        const next = await readOne(driver, selectNextWithBlocks(scope, after), scope.accountId);
        if (next === undefined) return;
        if (!(await readOne(driver, hasSegment(scope, next), scope.accountId))) {
          await purgeBlocks(driver, scope, next);
        }
        after = next;
      }
    },
    purgeRetiredSegments: async ({ scope }, beforeMs) => {
      const statement = selectUnusedSegments(scope, beforeMs);
      for (const segment of await readOne(driver, statement, scope.accountId)) {
        await purgeBlocks(driver, scope, segment);
        await writeOne(driver, deleteSegment(scope, segment), scope.accountId);
      }
    },
    findOldestUnindexed: () => readOne(driver, selectOldestUnindexed()),
  };
}

/** What is indexed next, and the place that the index then has; undefined where there is nothing. */
async function findNext(driver: Driver, scope: Scope, { upTo, settledTo, limit }: Part) {
  const { accountId } = scope;
  const [progress, changes, recent] = await driver.read(
    () =>
      batch(
        selectProgress(scope),
        selectChanges(scope, maxChanges),
        selectRecent(scope, { above: "", below: maxIdOf("pay_") }),
      ),
    accountId,
  );
  if (!progress) return undefined;
  const walk = async (above: string, last: string, max: number, isBackward = false) => {
    const part = { above, upTo: last, limit: max, isBackward };
    return await readOne(driver, selectPaymentsToIndex(scope, part), accountId);
  };
  const newer = upTo > progress.to ? await walk(progress.to, upTo, limit) : [];
  const room = limit - newer.length;
  const isComplete = progress.from === "";
  // One more than is indexed: the index begins after it.
  const older = isComplete || room === 0 ? [] : await walk("", progress.from, room + 1, true);
  const from = room === 0 ? progress.from : (older[room]?.id ?? "");
  const { rows: late, ranges } = await findLate(recent, walk);
  const changed = await driver.read(
    () =>
      batch(
        ...selectPaymentsByIds(
          scope,
          changes.map(({ paymentId }) => paymentId),
        ),
      ),
    accountId,
  );
  const to = newer.at(-1)?.id ?? progress.to;
  const hasSettled = recent.some((range) => range.upTo <= settledTo);
  const isMoved = from !== progress.from || to !== progress.to;
  if (!isMoved && late.length === 0 && changes.length === 0 && !hasSettled) return undefined;
  return {
    progress,
    moved: { from, to },
    payments: [
      ...[...older.slice(0, room), ...late, ...newer].map(({ payment }) => payment),
      ...changed.flat(),
    ],
    changes,
    recent:
      newer.length === 0
        ? ranges
        : [...ranges, { after: progress.to, upTo: to, payments: newer.length }],
    // A range that was not complete is counted once more.
    settledTo: hasSettled && late.length === 0 ? settledTo : undefined,
  };
}

/** The payments of a range in which more have appeared since it was indexed, and how many it has now. */
async function findLate(
  recent: RecentRange[],
  walk: (above: string, last: string, max: number) => Promise<PaymentRow[]>,
): Promise<{ rows: PaymentRow[]; ranges: Omit<RecentRange, "found">[] }> {
  const late = recent.find(({ payments, found }) => payments !== found);
  if (!late) return { rows: [], ranges: [] };
  const { after, upTo } = late;
  const rows = await walk(after, upTo, maxLate);
  const last = rows.at(-1)?.id;
  if (rows.length < maxLate || last === undefined) {
    return { rows, ranges: [{ after, upTo, payments: rows.length }] };
  }
  // The rest is looked for as another range.
  return {
    rows,
    ranges: [
      { after, upTo: last, payments: rows.length },
      { after: last, upTo, payments: 0 },
    ],
  };
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

/** Each class is four times as large as the one before; all small segments are of the first. */
function toSizeClass(payments: number): number {
  return Math.max(0, Math.floor(Math.log2(payments / 256) / 2));
}

function measure(segments: Segment[]): Omit<Segment, "segment"> {
  return {
    payments: segments.reduce((sum, { payments }) => sum + payments, 0),
    low: Math.min(...segments.map(({ low }) => low)),
    high: Math.max(...segments.map(({ high }) => high)),
  };
}

async function purgeBlocks(driver: Driver, scope: Scope, segment: number): Promise<void> {
  for (;;) {
    const deletion = deleteBlocks(scope, segment, blocksAtOnce);
    if ((await writeOne(driver, deletion, scope.accountId)) < blocksAtOnce) return;
  }
}
