import type { Payment, PaymentJson } from "../../contract/payment.ts";
import { maxPageBytes, type Listed } from "../database/listing.ts";
import { listFilterTerms, matchesFilter } from "./payment-terms.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Scope } from "../database/scope.ts";
import { batch, readOne, type Driver } from "../database/driver.ts";
import {
  countPayments,
  selectChanges,
  selectPaymentsWithKeys,
  selectProgress,
  selectRecent,
  selectSegments,
} from "./search-sql.ts";
import {
  findInPart,
  findUnindexed,
  maxUnindexed,
  type FoundPayment,
  type Search,
} from "./find-unindexed.ts";
import { type SearchState, createUnindexedMemory } from "./unindexed-memory.ts";
import { estimateKeys, filterKeys, openStreams, takeKeys } from "./term-stream.ts";
import { hashTerm, isSameMs, toIdRange, toKeyRange } from "./search-keys.ts";

/** Less than the time for which retired segments are kept. */
const maxSearchMs = 4_000;
/** Looked at one after the other, some 10 µs each. */
const fewPayments = 2_000;
/** Some milliseconds of work, between which other requests have their turn. */
const maxKeysAtOnce = 65_536;
/** Payments are up to 68 KiB large. */
const paymentsAtOnce = 64;
/** Under a manual clock all payments may be of one millisecond. */
const maxKeysOfMs = 16;

/** The search of payments, and what it has to know of their writes: `begin` and `follow`. */
export function createPaymentSearch(driver: Driver) {
  const { begin, follow, read } = createUnindexedMemory(driver);
  return {
    begin,
    follow,
    /**
     * A page of the payments that match a filter. The index finds those that may match, the payments themselves decide.
     * What is not indexed yet is remembered, or looked at directly. Errors: service_unavailable where that is too much,
     * or the search takes too long.
     */
    findPage: async (scope: Scope, search: Search): Promise<Listed<PaymentJson>> => {
      const deadlineMs = performance.now() + maxSearchMs;
      if (await hasFewOfStatus(driver, scope, search)) {
        return await toPage(await findInPart(driver, scope, search), search);
      }
      const state = (await read(scope)) ?? (await readState(driver, scope, search));
      const unindexed = await findUnindexed(driver, scope, search, state);
      const indexed = state.progress ? findIndexed(driver, scope, search, state, deadlineMs) : [];
      return await toPage(mergeFound(unindexed, indexed, search.direction === "forward"), search);
    },
  };
}

/** Reads the index's state, and what it lacks in the range of a search. */
async function readState(driver: Driver, scope: Scope, search: Search): Promise<SearchState> {
  // In this order: what is indexed meanwhile is looked at twice, and never missed.
  const [progress, changes, recent, segments] = await driver.read(
    () =>
      batch(
        selectProgress(scope),
        selectChanges(scope, maxUnindexed + 1),
        selectRecent(scope, search),
        selectSegments(scope),
      ),
    scope.accountId,
  );
  return { progress, changes, recent, segments, folded: [] };
}

/** A rare status leads to the payments faster than the terms do, which do not know it. */
async function hasFewOfStatus(driver: Driver, scope: Scope, search: Search): Promise<boolean> {
  const { above, below, statuses } = search;
  if (statuses === undefined) return false;
  const counted = countPayments(scope, { above, below, limit: fewPayments + 1 }, statuses);
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
  { filter, statuses, limit, ...range }: Search,
  { segments, folded }: SearchState,
  deadlineMs: number,
): AsyncGenerator<FoundPayment> {
  const isForward = range.direction === "forward";
  const walk = { ...toKeyRange(range), isForward };
  const terms = listFilterTerms(filter).map((alternatives) =>
    alternatives.map((term) => hashTerm(term)),
  );
  const streams = await openStreams(driver, scope, segments, folded, terms, walk);
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
      yield* findCandidates(driver, scope, candidates.slice(0, size), {
        filter,
        statuses,
        limit,
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

/**
 * The payments with the keys of whole milliseconds that match a filter, in the order of the walk. Of a millisecond with
 * many keys all payments are looked at: a look-up reads as many for each of its keys.
 */
async function* findCandidates(
  driver: Driver,
  scope: Scope,
  keys: number[],
  search: Search,
): AsyncGenerator<FoundPayment> {
  const { above, below } = search;
  let few: number[] = [];
  for (const ofMs of splitByMs(keys)) {
    const [first] = ofMs;
    if (first === undefined || ofMs.length <= maxKeysOfMs) {
      few.push(...ofMs);
      continue;
    }
    yield* await findWithKeys(driver, scope, few, search);
    few = [];
    const { low, high } = toIdRange(first);
    const part = { above: low > above ? low : above, below: high < below ? high : below };
    yield* await findInPart(driver, scope, { ...search, ...part });
  }
  yield* await findWithKeys(driver, scope, few, search);
}

/** Keys, in the order of a walk, by their milliseconds. */
function splitByMs(keys: number[]): number[][] {
  const all: number[][] = [];
  for (const [at, key] of keys.entries()) {
    const before = keys[at - 1];
    if (before !== undefined && isSameMs(before, key)) all.at(-1)?.push(key);
    else all.push([key]);
  }
  return all;
}

/** The payments with some keys that match a filter, in the order of the walk. */
async function findWithKeys(
  driver: Driver,
  scope: Scope,
  keys: number[],
  search: Search,
): Promise<FoundPayment[]> {
  if (keys.length === 0) return [];
  const { filter, statuses, above, below, direction } = search;
  const statements = selectPaymentsWithKeys(scope, keys.map(toIdRange), statuses);
  const rows = (await driver.read(() => batch(...statements), scope.accountId)).flat();
  const found: FoundPayment[] = [];
  /** The milliseconds in which several payments have one key. */
  const shared = new Map<string, string>();
  for (const { low, high, newest, oldestId, payment } of rows) {
    if (payment === null) continue;
    if (newest === oldestId) found.push({ id: newest, json: payment });
    else shared.set(low, high);
  }
  for (const [low, high] of shared) {
    const part = { above: low, below: high, limit: Infinity };
    found.push(...(await findInPart(driver, scope, { ...search, ...part })));
  }
  const matching = [...new Map(found.map((each) => [each.id, each])).values()].filter(
    ({ id, json }) =>
      id > above && id < below && matchesFilter(JSON.parse(json) as Payment, filter),
  );
  const isForward = direction === "forward";
  return matching.toSorted((a, b) => (a.id < b.id === isForward ? 1 : -1));
}

function createTooLongError(): ServiceError {
  return new ServiceError(
    "service_unavailable",
    "The search took too long. Narrow it by a rarer word, or with created[gte].",
  );
}
