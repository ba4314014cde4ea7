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

type PaymentRow = { id: string; payment: string };
/** A range of ids, both bounds exclusive. */
type PaymentRange = { above: string; below: string };
type Walk = { rows: PaymentRow[]; hasMore: boolean };

/** The payments to index next, and the place that the index then has; undefined where there are none. */
export async function findPaymentsToIndex(
  driver: Driver,
  scope: Scope,
  { upTo, settledTo, lateMs, limit }: IndexPart,
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
    walkPayments(driver, scope, range, max, isBackward);
  const newer =
    upTo > progress.to
      ? await walk({ above: progress.to, below: justAfter(upTo) }, limit)
      : { rows: [], hasMore: false };
  const isBusy = newer.rows.length >= manyNew;
  const room = Math.min(limit - newer.rows.length, isBusy ? oldBesideMany : limit);
  // One more than is indexed: the index begins after it.
  const older =
    progress.from === "" || newer.hasMore
      ? undefined
      : await walk({ above: "", below: justAfter(progress.from) }, room + 1, true);
  const first = older?.hasMore ? older.rows.pop() : undefined;
  const from = older ? (first?.id ?? "") : progress.from;
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
  const to = newer.rows.at(-1)?.id ?? progress.to;
  const hasSettled = recent.some((range) => range.upTo <= settledTo);
  const isMoved = from !== progress.from || to !== progress.to;
  if (!isMoved && late.length === 0 && changes.length === 0 && !hasSettled) return undefined;
  return {
    progress,
    moved: { from, to },
    payments: [
      ...[...(older?.rows ?? []), ...late, ...newer.rows].map(({ payment }) => payment),
      ...changed.flat(),
    ],
    changes,
    recent:
      newer.rows.length === 0
        ? ranges
        : [...ranges, { after: progress.to, upTo: to, payments: newer.rows.length }],
    // A range that was not complete is counted once more.
    settledTo: hasSettled && late.length === 0 ? settledTo : undefined,
    hasMore: newer.hasMore || (older?.hasMore === true && !isBusy) || changes.length === maxChanges,
  };
}

/** A bound before the ids that were made in a time before another one. */
function goBack(id: string, ms: number): string {
  return toIdBound("pay_", Math.max(0, parseCreatedMs(id) - ms) / 1000);
}

/** The first payments of a range or, backward, the last ones, in the order of the walk: `max` of them, or fewer. */
export async function walkPayments(
  driver: Driver,
  scope: Scope,
  range: PaymentRange,
  max: number,
  isBackward: boolean,
): Promise<Walk> {
  const rows: PaymentRow[] = [];
  let { above, below } = range;
  for (let chars = 0; rows.length < max && chars < maxChars;) {
    const limit = Math.min(max - rows.length, rowsAtOnce);
    const statement = selectPaymentsToIndex(scope, { above, below, limit, isBackward });
    const next = await readOne(driver, statement, scope.accountId);
    rows.push(...next);
    const last = next.at(-1);
    if (next.length < limit || !last) return { rows, hasMore: false };
    if (isBackward) below = last.id;
    else above = last.id;
    chars += next.reduce((sum, { payment }) => sum + payment.length, 0);
  }
  return { rows, hasMore: true };
}

/** The payments of the ranges in which more have appeared since they were indexed, and how many each has now. */
async function findLate(
  recent: RecentRange[],
  walk: (range: PaymentRange, max: number) => Promise<Walk>,
): Promise<{ rows: PaymentRow[]; ranges: Omit<RecentRange, "found">[] }> {
  const rows: PaymentRow[] = [];
  const ranges: Omit<RecentRange, "found">[] = [];
  for (const { after, upTo, payments, found } of recent) {
    if (payments === found) continue;
    const max = maxLate - rows.length;
    if (max === 0) break;
    const part = await walk({ above: after, below: justAfter(upTo) }, max);
    const last = part.rows.at(-1)?.id;
    rows.push(...part.rows);
    if (!part.hasMore || last === undefined || last === upTo) {
      ranges.push({ after, upTo, payments: part.rows.length });
      continue;
    }
    // The rest is looked for as another range.
    ranges.push({ after, upTo: last, payments: part.rows.length });
    ranges.push({ after: last, upTo, payments: 0 });
    break;
  }
  return { rows, ranges };
}
