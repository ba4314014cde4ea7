import type { Payment, PaymentJson } from "../../contract/payment.ts";
import { type Range, selectRange } from "../database/listing.ts";
import { maxIdOf, parseCreated } from "../database/ids.ts";
import { type PageRequest, type PaymentFilter, matchesFilter } from "./payment-terms.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Scope } from "../database/scope.ts";
import { batch, readOne, type Driver } from "../database/driver.ts";
import {
  type Change,
  type Progress,
  type RecentRange,
  countPayments,
  paymentsTable,
  selectIdBeforeNewest,
  selectPaymentsByIds,
} from "./search-sql.ts";
import { justAfter } from "./search-keys.ts";

/** The searched part of a list. */
export type Search = PageRequest & { filter: PaymentFilter };
export type FoundPayment = { id: string; json: PaymentJson };

/** How many payments are looked at directly, some 10 µs each. */
export const maxUnindexed = 30_000;
/** They are up to 68 KiB large: 100 are read at first, then as many as had about half a million characters so far. */
const paymentsAtOnce = 100;
const charsAtOnce = 512 * 1024;

/**
 * The records of payments that the index lacks. They are read before the segments, so that none is missed in between.
 */
export type Unindexed = {
  progress: Progress | undefined;
  changes: Change[];
  recent: RecentRange[];
};

/**
 * The first payments of a walk, more than a page, that match a filter and may not be indexed: those that are newer or
 * older than the index, those that appeared late, and those that have changed. Errors: service_unavailable where there
 * are too many to look at.
 */
export async function findUnindexed(
  driver: Driver,
  scope: Scope,
  search: Search,
  { progress, changes, recent }: Unindexed,
): Promise<FoundPayment[]> {
  const { above, below, direction, limit } = search;
  const isForward = direction === "forward";
  const parts = listParts(search, { progress, recent });
  await assertFew(driver, scope, search, { progress, parts, changes });
  const ids = changes.map(({ paymentId }) => paymentId).filter((id) => id > above && id < below);
  let found: FoundPayment[] = [];
  const add = (more: FoundPayment[]) => {
    const unique = new Map([...found, ...more].map((each) => [each.id, each]));
    const inOrder = [...unique.values()].toSorted((a, b) => (a.id < b.id === isForward ? 1 : -1));
    found = inOrder.slice(0, limit + 1);
  };
  for (let at = 0; at < ids.length; at += paymentsAtOnce) {
    const statements = selectPaymentsByIds(scope, ids.slice(at, at + paymentsAtOnce));
    const changed = await driver.read(() => batch(...statements), scope.accountId);
    add(findMatching(changed.flat(), search));
  }
  for (const part of parts) add(await findInPart(driver, scope, { ...search, ...part }));
  return found;
}

/** The first payments of a walk, more than a page, that match a filter: each payment of the range is looked at. */
export async function findInPart(
  driver: Driver,
  scope: Scope,
  { above, below, direction, filter, statuses, limit }: Search,
): Promise<FoundPayment[]> {
  const found: FoundPayment[] = [];
  let range: Range = { above, below, direction, limit: paymentsAtOnce };
  while (found.length <= limit) {
    const statement = selectRange(paymentsTable, scope, range, { status: statuses });
    const payments = await readOne(driver, statement, scope.accountId);
    found.push(...findMatching(payments, { filter, statuses }));
    const last = payments.at(-1);
    if (payments.length < range.limit || last === undefined) break;
    const { id } = JSON.parse(last) as Payment;
    const chars = payments.reduce((sum, payment) => sum + payment.length, 0);
    const atOnce = Math.max(1, Math.floor((charsAtOnce * payments.length) / chars));
    const next = direction === "forward" ? { above, below: id } : { above: id, below };
    range = { ...next, direction, limit: atOnce };
  }
  return found;
}

function findMatching(
  payments: PaymentJson[],
  { filter, statuses }: Pick<Search, "filter" | "statuses">,
): FoundPayment[] {
  return payments.flatMap((json) => {
    const payment = JSON.parse(json) as Payment;
    const isWanted = statuses?.includes(payment.status) ?? true;
    return isWanted && matchesFilter(payment, filter) ? [{ id: payment.id, json }] : [];
  });
}

/** A part of a range, both bounds exclusive. */
type Part = { above: string; below: string };

/** The parts of a range that the index does not cover, or covers incompletely. */
function listParts(
  search: Part,
  { progress, recent }: Pick<Unindexed, "progress" | "recent">,
): Part[] {
  if (!progress) return [{ above: search.above, below: search.below }];
  const incomplete = recent.filter(({ payments, found }) => payments !== found);
  return [
    { above: progress.to, below: search.below },
    { above: search.above, below: justAfter(progress.from) },
    ...incomplete.map(({ after, upTo }) => ({ above: after, below: justAfter(upTo) })),
  ]
    .map((part) => ({
      above: part.above > search.above ? part.above : search.above,
      below: part.below < search.below ? part.below : search.below,
    }))
    .filter((part) => part.above < part.below);
}

/**
 * A search is refused by the range of time that it names, and not by its cursor: either all its pages are answered, or
 * none is. Errors: service_unavailable, with how far back searches are answered.
 */
async function assertFew(
  driver: Driver,
  scope: Scope,
  { since = "", below }: Search,
  {
    progress,
    parts,
    changes,
  }: { progress: Progress | undefined; parts: Part[]; changes: Change[] },
): Promise<void> {
  const count = async (part: Part) => {
    const counted = countPayments(scope, { ...part, limit: maxUnindexed + 1 });
    return await readOne(driver, counted, scope.accountId);
  };
  const older = { above: since, below: justAfter(progress?.from ?? below) };
  let isTooMuch = older.above < older.below && (await count(older)) > maxUnindexed;
  let total = changes.length;
  for (const part of parts) {
    if (isTooMuch) break;
    total += await count(part);
    isTooMuch = total > maxUnindexed;
  }
  if (!isTooMuch) return;
  const newer = await count({ above: progress?.to ?? "", below: maxIdOf("pay_") });
  const isBehind = progress === undefined || newer + changes.length > maxUnindexed;
  const reach = isBehind
    ? await readOne(driver, selectIdBeforeNewest(scope, progress?.to ?? "", maxUnindexed / 2))
    : progress.from;
  throw createUnindexedError(reach ?? "", progress?.from !== "");
}

/** Says how far back searches are answered while payments after an id are in the index, or few enough to look at. */
function createUnindexedError(reach: string, isBeingBuilt: boolean): ServiceError {
  const what = isBeingBuilt
    ? "The search index of this database is still being built"
    : "The search index is behind";
  if (reach === "") {
    return new ServiceError("service_unavailable", `${what}. Ask again in some seconds.`);
  }
  const since = parseCreated(reach) + 1;
  const time = new Date(since * 1000).toISOString();
  return new ServiceError(
    "service_unavailable",
    `${what}, and reaches back to ${time} so far. Ask again later, or search from then on with created[gte]=${since}.`,
  );
}
