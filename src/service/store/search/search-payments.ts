import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import { maxPageBytes, type Listed } from "../../domain/list-range.ts";
import { listFilterTerms, matchesFilter } from "../../domain/payment-search.ts";
import { ServiceError } from "../../domain/service-error.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { PaymentJson } from "../../ports/payment-store.ts";
import { batch, readOne, type Driver } from "../driver.ts";
import { selectRange } from "../listing.ts";
import { paymentsTable } from "../sql/payments-sql.ts";
import {
  countPayments,
  selectChanges,
  selectPaymentsWithKeys,
  selectProgress,
  selectRecent,
  selectSegments,
} from "../sql/search-sql.ts";
import { findInPart, findUnindexed, type FoundPayment, type Search } from "./find-unindexed.ts";
import { hashTerm, isSameMs, toIdRange, toKeyRange } from "./search-keys.ts";
import { filterKeys } from "./filter-keys.ts";
import { estimateKeys, openStreams, takeKeys } from "./term-stream.ts";

/** Less than the time for which retired segments are kept. */
const maxSearchMs = 4_000;
const maxChanges = 20_000;
/** Looked at one after the other, some 10 µs each. */
const fewPayments = 2_000;
/** Some milliseconds of work, between which other requests have their turn. */
const maxKeysAtOnce = 65_536;
/** Payments are up to 68 KiB large. */
const paymentsAtOnce = 64;

/**
 * A page of the payments that match a filter. The index finds those that may match, the payments themselves decide.
 * What is not indexed yet is looked at directly. Errors: service_unavailable where that is too much, or the search
 * takes too long.
 */
export async function searchPayments(
  driver: Driver,
  scope: Scope,
  search: Search,
): Promise<Listed<PaymentJson>> {
  const deadlineMs = performance.now() + maxSearchMs;
  if (await hasFewOfStatus(driver, scope, search)) {
    return await toPage(await findInPart(driver, scope, search), search);
  }
  // In this order: what is indexed meanwhile is looked at twice, and never missed.
  const [progress, changes, recent, segments] = await driver.read(
    () =>
      batch(
        selectProgress(scope),
        selectChanges(scope, maxChanges),
        selectRecent(scope, search),
        selectSegments(scope),
      ),
    scope.accountId,
  );
  const unindexed = await findUnindexed(driver, scope, search, { progress, changes, recent });
  const indexed = progress ? findIndexed(driver, scope, search, { segments, deadlineMs }) : [];
  return await toPage(mergeFound(unindexed, indexed, search.direction === "forward"), search);
}

/** A rare status leads to the payments faster than the terms do, which do not know it. */
async function hasFewOfStatus(driver: Driver, scope: Scope, search: Search): Promise<boolean> {
  const { above, below, status } = search;
  if (status === undefined) return false;
  const counted = countPayments(scope, { above, below, limit: fewPayments + 1 }, status);
  return (await readOne(driver, counted, scope.accountId)) <= fewPayments;
}

async function toPage(
  found: AsyncIterable<FoundPayment> | FoundPayment[],
  { direction, limit }: Search,
): Promise<Listed<PaymentJson>> {
  const items: PaymentJson[] = [];
  let bytes = 0;
  let hasMore = false;
  for await (const { json } of found) {
    bytes += Buffer.byteLength(json);
    hasMore = items.length === limit || (bytes > maxPageBytes && items.length > 0);
    if (hasMore) break;
    items.push(json);
  }
  return { items: direction === "forward" ? items : items.toReversed(), hasMore };
}

/** Two lists in the order of a walk as one; a payment may stand in both. */
async function* mergeFound(
  unindexed: FoundPayment[],
  indexed: AsyncIterable<FoundPayment> | FoundPayment[],
  isForward: boolean,
): AsyncGenerator<FoundPayment> {
  const seen = new Set(unindexed.map(({ id }) => id));
  let at = 0;
  for await (const found of indexed) {
    if (seen.has(found.id)) continue;
    for (let next = unindexed[at]; next; next = unindexed[++at]) {
      if (isForward ? next.id < found.id : next.id > found.id) break;
      yield next;
    }
    yield found;
  }
  yield* unindexed.slice(at);
}

/** The indexed payments that match, in the order of the walk. */
async function* findIndexed(
  driver: Driver,
  scope: Scope,
  { filter, status, limit, ...range }: Search,
  { segments, deadlineMs }: { segments: Parameters<typeof openStreams>[2]; deadlineMs: number },
): AsyncGenerator<FoundPayment> {
  const isForward = range.direction === "forward";
  const walk = { ...toKeyRange(range), isForward };
  const terms = listFilterTerms(filter).map((alternatives) => alternatives.map(hashTerm));
  const streams = await openStreams(driver, scope, segments, terms, walk);
  // The rarest term leads; the others only say which of its payments have them too.
  const [rarest, ...others] = streams.toSorted((a, b) => estimateKeys(a) - estimateKeys(b));
  if (!rarest) return;
  let candidates: number[] = [];
  let lookedUp = limit + 1;
  for (let count = limit + 1; ; count = Math.min(4 * count, maxKeysAtOnce)) {
    const taken = await takeKeys(driver, scope, rarest, count);
    const hasEnded = taken.length === 0;
    let kept = taken;
    for (const stream of others) kept = await filterKeys(driver, scope, stream, kept);
    // Checked after the reads: of a segment that is deleted meanwhile they would find nothing.
    if (performance.now() > deadlineMs) throw createTooLongError();
    candidates.push(...(isForward ? kept.toReversed() : kept));
    while (candidates.length > 0) {
      if (performance.now() > deadlineMs) throw createTooLongError();
      const size = countWholeMs(candidates, Math.min(lookedUp, paymentsAtOnce), hasEnded);
      if (size === 0) break;
      yield* await findWithKeys(driver, scope, candidates.slice(0, size), {
        filter,
        status,
        ...range,
      });
      candidates = candidates.slice(size);
      lookedUp *= 2;
    }
    if (hasEnded) return;
  }
}

/**
 * How many of the first keys to look up: about `count`, but all of a millisecond together, because only the payments
 * say how they are ordered in it. The last millisecond waits until it is complete.
 */
function countWholeMs(keys: number[], count: number, isComplete: boolean): number {
  const isEnd = (at: number) => {
    const [key, next] = [keys[at - 1] ?? 0, keys[at]];
    return next === undefined ? isComplete : !isSameMs(key, next);
  };
  for (let at = Math.min(count, keys.length); at <= keys.length; at++) if (isEnd(at)) return at;
  for (let at = Math.min(count, keys.length) - 1; at > 0; at--) if (isEnd(at)) return at;
  return 0;
}

/** The payments with some keys that match a filter, in the order of the walk. */
async function findWithKeys(
  driver: Driver,
  scope: Scope,
  keys: number[],
  { filter, status, above, below, direction }: Omit<Search, "limit">,
): Promise<FoundPayment[]> {
  const statements = selectPaymentsWithKeys(scope, keys.map(toIdRange), status);
  const rows = (await driver.read(() => batch(...statements), scope.accountId)).flat();
  const found: FoundPayment[] = [];
  for (const { low, high, newest, oldestId, payment } of rows) {
    if (payment === null) continue;
    if (newest === oldestId) found.push({ id: newest, json: payment });
    else found.push(...(await findAllInRange(driver, scope, { low, high }, status)));
  }
  const matching = [...new Map(found.map((each) => [each.id, each])).values()].filter(
    ({ id, json }) =>
      id > above && id < below && matchesFilter(JSON.parse(json) as Payment, filter),
  );
  const isForward = direction === "forward";
  return matching.toSorted((a, b) => (a.id < b.id === isForward ? 1 : -1));
}

/** Payments of the same millisecond whose ids end alike. */
async function findAllInRange(
  driver: Driver,
  scope: Scope,
  { low, high }: { low: string; high: string },
  status: PaymentStatus | undefined,
): Promise<FoundPayment[]> {
  const all: FoundPayment[] = [];
  for (let below = high; ;) {
    const part = { above: low, below, direction: "forward" as const, limit: paymentsAtOnce };
    const found = await readOne(
      driver,
      selectRange(paymentsTable, scope, part, { status }),
      scope.accountId,
    );
    all.push(...found.map((json) => ({ id: (JSON.parse(json) as Payment).id, json })));
    const last = all.at(-1)?.id;
    if (found.length < paymentsAtOnce || last === undefined) return all;
    below = last;
  }
}

function createTooLongError(): ServiceError {
  return new ServiceError(
    "service_unavailable",
    "The search took too long. Narrow it by a rarer word, or with created[gte].",
  );
}
