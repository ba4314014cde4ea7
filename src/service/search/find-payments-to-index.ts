import { parseCreatedMs, toIdBound } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import { type IndexPart, selectPaymentsToIndex } from "./search-index-sql.ts";
import { batch, readOne, type Driver } from "../database/driver.ts";
import {
  selectChanges,
  selectNewestAndOldestRecent,
  selectPaymentsByIds,
  selectProgress,
  type RecentRange,
} from "./search-sql.ts";
import { justAfter } from "./search-keys.ts";

const maxChanges = 1_000;
const maxLate = 16_384;
/** A step with so many new payments takes few old ones, so that creates keep their rate. */
const manyNew = 500;
const oldBesideMany = 512;
/** A payment may be 68 KiB large: few are read at once, and no more follow where they have so many characters. */
const rowsAtOnce = 512;
const maxChars = 8 * 1024 * 1024;

/** A range of ids, both bounds exclusive. */
type PaymentRange = { above: string; below: string };
/** The ids of the payments of a walk. */
type Walk = { ids: string[]; hasMore: boolean };

/**
 * Gives the payments to index next to `take`, which need not keep them, and returns the place that the index then has;
 * undefined where there are none.
 */
export async function findPaymentsToIndex(
  driver: Driver,
  scope: Scope,
  { upTo, settledTo, lateMs, limit }: IndexPart,
  take: (payment: string) => void,
) {
  const { accountId } = scope;
  const [progress, changes] = await driver.read(
    () => batch(selectProgress(scope), selectChanges(scope, maxChanges)),
    accountId,
  );
  if (!progress) return undefined;
  const recent =
    lateMs === undefined
      ? []
      : await readOne(
          driver,
          selectNewestAndOldestRecent(scope, {
            after: goBack(progress.to, lateMs),
            upTo: settledTo,
          }),
          accountId,
        );
  const walk = async (range: PaymentRange, max: number, isBackward = false) =>
    walkPayments(driver, scope, { ...range, isBackward }, max, take);
  const newer =
    upTo > progress.to
      ? await walk({ above: progress.to, below: justAfter(upTo) }, limit)
      : { ids: [], hasMore: false };
  const isBusy = newer.ids.length >= manyNew;
  const room = Math.min(limit - newer.ids.length, isBusy ? oldBesideMany : limit);
  const older =
    progress.from === "" || newer.hasMore
      ? undefined
      : await walk({ above: "", below: justAfter(progress.from) }, room, true);
  // The index begins after the one that comes before.
  const first = older?.hasMore ? await findIdBefore(driver, scope, older.ids.at(-1)) : undefined;
  const from = older ? (first ?? "") : progress.from;
  const { late, ranges } = await findLate(recent, walk);
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
  for (const payment of changed.flat()) take(payment);
  const to = newer.ids.at(-1) ?? progress.to;
  const hasSettled = recent.some((range) => range.upTo <= settledTo);
  const isMoved = from !== progress.from || to !== progress.to;
  if (!isMoved && late === 0 && changes.length === 0 && !hasSettled) return undefined;
  return {
    progress,
    moved: { from, to },
    changes,
    recent:
      newer.ids.length === 0
        ? ranges
        : [...ranges, { after: progress.to, upTo: to, payments: newer.ids.length }],
    // A range that was not complete is counted once more.
    settledTo: hasSettled && late === 0 ? settledTo : undefined,
    hasMore: newer.hasMore || (older?.hasMore === true && !isBusy) || changes.length === maxChanges,
  };
}

/** A bound before the ids that were made in a time before another one. */
function goBack(id: string, ms: number): string {
  return toIdBound("pay_", Math.max(0, parseCreatedMs(id) - ms) / 1000);
}

/** Takes the first payments of a range or, backward, the last ones, in the order of the walk: `max` of them, or fewer. */
async function walkPayments(
  driver: Driver,
  scope: Scope,
  { above, below, isBackward }: PaymentRange & { isBackward: boolean },
  max: number,
  take: (payment: string) => void,
): Promise<Walk> {
  const ids: string[] = [];
  const range = { above, below };
  for (let chars = 0; ids.length < max && chars < maxChars;) {
    const limit = Math.min(max - ids.length, rowsAtOnce);
    const statement = selectPaymentsToIndex(scope, { ...range, limit, isBackward });
    const next = await readOne(driver, statement, scope.accountId);
    for (const { id, payment } of next) {
      ids.push(id);
      take(payment);
      chars += payment.length;
    }
    const last = ids.at(-1);
    if (next.length < limit || last === undefined) return { ids, hasMore: false };
    if (isBackward) range.below = last;
    else range.above = last;
  }
  return { ids, hasMore: true };
}

async function findIdBefore(driver: Driver, scope: Scope, id = ""): Promise<string | undefined> {
  const before = { above: "", below: id, limit: 1, isBackward: true };
  const [row] = await readOne(driver, selectPaymentsToIndex(scope, before), scope.accountId);
  return row?.id;
}

/** Takes the payments of the ranges in which more have appeared since they were indexed: how many each has now. */
async function findLate(
  recent: RecentRange[],
  walk: (range: PaymentRange, max: number) => Promise<Walk>,
): Promise<{ late: number; ranges: Omit<RecentRange, "found">[] }> {
  let late = 0;
  const ranges: Omit<RecentRange, "found">[] = [];
  for (const { after, upTo, payments, found } of recent) {
    if (payments === found) continue;
    const max = maxLate - late;
    if (max === 0) break;
    const part = await walk({ above: after, below: justAfter(upTo) }, max);
    const last = part.ids.at(-1);
    late += part.ids.length;
    if (!part.hasMore || last === undefined || last === upTo) {
      ranges.push({ after, upTo, payments: part.ids.length });
      continue;
    }
    // The rest is looked for as another range.
    ranges.push({ after, upTo: last, payments: part.ids.length });
    ranges.push({ after: last, upTo, payments: 0 });
    break;
  }
  return { late, ranges };
}
