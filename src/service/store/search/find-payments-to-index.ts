import { maxIdOf } from "../../domain/object-id.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { SearchStore } from "../../ports/search-store.ts";
import { batch, readOne, type Driver } from "../driver.ts";
import { selectPaymentsToIndex } from "../sql/search-index-sql.ts";
import {
  selectChanges,
  selectPaymentsByIds,
  selectProgress,
  selectRecent,
  type RecentRange,
} from "../sql/search-sql.ts";

const maxChanges = 1_000;
const maxLate = 16_384;

type Part = Parameters<SearchStore["indexPayments"]>[1];
type PaymentRow = { id: string; payment: string };

/** The payments to index next, and the place that the index then has; undefined where there are none. */
export async function findPaymentsToIndex(
  driver: Driver,
  scope: Scope,
  { upTo, settledTo, limit, countsLate }: Part,
) {
  const { accountId } = scope;
  const [progress, changes] = await driver.read(
    () => batch(selectProgress(scope), selectChanges(scope, maxChanges)),
    accountId,
  );
  if (!progress) return undefined;
  const counted = selectRecent(scope, { above: "", below: maxIdOf("pay_") });
  const recent = countsLate ? await readOne(driver, counted, accountId) : [];
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
