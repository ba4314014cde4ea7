import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import type { Range } from "../../domain/list-range.ts";
import { parseCreated } from "../../domain/object-id.ts";
import { matchesFilter, type PaymentFilter } from "../../domain/payment-search.ts";
import { ServiceError } from "../../domain/service-error.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { PaymentJson } from "../../ports/payment-store.ts";
import { batch, readOne, type Driver } from "../driver.ts";
import { selectRange } from "../listing.ts";
import { paymentsTable } from "../sql/payments-sql.ts";
import {
  countPayments,
  selectPaymentsByIds,
  type Change,
  type Progress,
  type RecentRange,
} from "../sql/search-sql.ts";

/** The searched part of a list. */
export type Search = Range & { status: PaymentStatus | undefined; filter: PaymentFilter };
export type FoundPayment = { id: string; json: PaymentJson };

/** How many payments are looked at directly, some 10 µs each. */
const maxUnindexed = 20_000;
const paymentsAtOnce = 250;

/** What is not in the index: it was read before the segments were, so that nothing is missed in between. */
export type Unindexed = {
  progress: Progress | undefined;
  changes: Change[];
  recent: RecentRange[];
};

/**
 * The payments that match a filter and may not be indexed, in the order of the walk: those that are newer or older than
 * the index, those that appeared late, and those that have changed. Errors: service_unavailable where they are too many.
 */
export async function findUnindexed(
  driver: Driver,
  scope: Scope,
  search: Search,
  { progress, changes, recent }: Unindexed,
): Promise<FoundPayment[]> {
  const { above, below, direction, filter, status } = search;
  const isForward = direction === "forward";
  const parts = listParts(search, { progress, recent });
  const count = async (part: Part) => {
    const counted = countPayments(scope, { ...part, limit: maxUnindexed + 1 });
    return await readOne(driver, counted, scope.accountId);
  };
  let total = changes.length;
  for (const part of parts) {
    total += await count(part);
    if (total > maxUnindexed) throw createBehindError(progress, part);
  }
  const found = new Map<string, string>();
  const keep = (payments: string[]) => {
    for (const json of payments) {
      const payment = JSON.parse(json) as Payment;
      const isWanted = status === undefined || payment.status === status;
      if (isWanted && matchesFilter(payment, filter)) found.set(payment.id, json);
    }
    const last = payments.at(-1);
    return last === undefined ? undefined : (JSON.parse(last) as Payment).id;
  };
  for (const part of parts) {
    for (let to = part.below; ;) {
      const range: Range = { ...part, below: to, direction: "forward", limit: paymentsAtOnce };
      const statement = selectRange(paymentsTable, scope, range, { status });
      const payments = await readOne(driver, statement, scope.accountId);
      const last = keep(payments);
      if (payments.length < paymentsAtOnce || last === undefined) break;
      to = last;
    }
  }
  const ids = changes.map(({ paymentId }) => paymentId).filter((id) => id > above && id < below);
  const changed = await driver.read(
    () => batch(...selectPaymentsByIds(scope, ids)),
    scope.accountId,
  );
  keep(changed.flat());
  return [...found]
    .map(([id, json]) => ({ id, json }))
    .toSorted((a, b) => (a.id < b.id === isForward ? 1 : -1));
}

/** A part of a range, both bounds exclusive. */
type Part = { above: string; below: string };

/** The parts of a range that the index does not cover, or covers incompletely. */
function listParts(
  { above, below }: Part,
  { progress, recent }: Pick<Unindexed, "progress" | "recent">,
): Part[] {
  if (!progress) return [{ above, below }];
  const incomplete = recent.filter(({ payments, found }) => payments !== found);
  return [
    { above: progress.to, below },
    { above, below: justAfter(progress.from) },
    ...incomplete.map(({ after, upTo }) => ({ above: after, below: justAfter(upTo) })),
  ]
    .map((part) => ({
      above: part.above > above ? part.above : above,
      below: part.below < below ? part.below : below,
    }))
    .filter((part) => part.above < part.below);
}

/** No id begins with another one. */
function justAfter(id: string): string {
  return id === "" ? "" : `${id}-`;
}

function createBehindError(progress: Progress | undefined, { below }: Part): ServiceError {
  if (!progress || progress.from === "" || below > progress.from) {
    return new ServiceError(
      "service_unavailable",
      "The search index is behind: too many payments are too new for it. Ask again in some seconds.",
    );
  }
  const since = parseCreated(progress.from) + 1;
  const time = new Date(since * 1000).toISOString();
  return new ServiceError(
    "service_unavailable",
    `The search index of this database is still being built, and reaches back to ${time} so far. Ask again later, or search from then on with created[gte]=${since}.`,
  );
}
