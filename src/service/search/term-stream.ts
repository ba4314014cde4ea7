import { type Driver, batch } from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import { maxRareKeys, openRareTerms, rareTerms, readKeys } from "./posting-blocks.ts";
import {
  countBelow,
  cutKeys,
  joinKeys,
  markCommon,
  sortUnique,
  takeMarked,
} from "./search-keys.ts";
import {
  type Point,
  type Segment,
  type SegmentBlock,
  selectBlocksAt,
  selectNextBlocks,
} from "./search-sql.ts";
import type { FoldedPayments } from "./unindexed-memory.ts";

/** A range of keys, both included, and the direction in which a list is walked. */
export type Walk = { low: number; high: number; isForward: boolean };

/** The keys of one term in one segment. */
type Source = {
  segment: Segment;
  hash: number;
  /** Those that were read and lie ahead, ascending. */
  keys: Float64Array;
  /**
   * Where the list goes on: beyond the block that begins at `edge`. All its keys up to `reach` were read. Undefined
   * where nothing is left to read.
   */
  unread: { edge: number; reach: number } | undefined;
  /** The range of keys that a block covers, about; undefined where the list is not known to have blocks. */
  blockSpan?: number;
};

/** The payments that have a term, or one of several, in the order of a walk. */
export type TermStream = { sources: Source[]; walk: Walk; blocksAtOnce: number };

const minBlocksAtOnce = 4;
const maxBlocksAtOnce = 256;

/** Opens the streams of the terms of a filter: finds their first keys in every segment, and all that are remembered. */
export async function openStreams(
  driver: Driver,
  scope: Scope,
  segments: Segment[],
  folded: FoldedPayments[],
  terms: number[][],
  walk: Walk,
): Promise<TermStream[]> {
  const { low, high, isForward } = walk;
  const at = isForward ? high : low;
  const ahead = segments.filter((segment) => segment.low <= high && segment.high >= low);
  const hashes = [...new Set(terms.flat())];
  const points = ahead.flatMap(({ segment }) =>
    hashes.flatMap((hash): Point[] => [
      { segment, list: rareTerms, at: hash },
      { segment, list: hash, at },
    ]),
  );
  const blocks = await readBlocks(driver, scope, points);
  const open = (segment: Segment, hash: number): Source => {
    const ofSegment = blocks.filter((block) => block.segment === segment.segment);
    const common = ofSegment.find(({ list }) => list === hash);
    if (common) {
      const keys = readKeys([common]);
      const last = keys.at(-1) ?? 0;
      const unread = { edge: common.start, reach: isForward ? common.start : last };
      return {
        segment,
        hash,
        keys: cutKeys(keys, walk),
        unread,
        blockSpan: last - common.start + 1,
      };
    }
    const keys = ofSegment
      .filter(({ list }) => list === rareTerms)
      .flatMap((block) => findRareKeys(block, hash));
    // Backward, the list of a common term may begin after the position.
    const mayFollow = !isForward && keys.length === 0;
    return {
      segment,
      hash,
      keys: cutKeys(new Float64Array(keys), walk),
      unread: mayFollow ? { edge: low, reach: low } : undefined,
    };
  };
  const remembered = findFolded(folded, hashes);
  const openRemembered = (hash: number): Source => {
    const keys = cutKeys(remembered.get(hash) ?? new Float64Array(), walk);
    return { segment: { segment: 0, payments: 0, low, high }, hash, keys, unread: undefined };
  };
  return terms.map((alternatives) => ({
    walk,
    blocksAtOnce: minBlocksAtOnce,
    sources: alternatives.flatMap((hash) => [
      ...ahead.map((segment) => open(segment, hash)),
      openRemembered(hash),
    ]),
  }));
}

/** A segment's rare terms are read for several hashes: the block of another one may come with them. */
function findRareKeys(block: SegmentBlock, hash: number): number[] {
  const keys = new Float64Array(maxRareKeys);
  for (const terms = openRareTerms(block); terms.hash <= hash && terms.moveOn();) {
    const count = terms.readKeys(keys);
    if (terms.hash === hash) return [...keys.subarray(0, count)];
  }
  return [];
}

/** The blocks that hold positions, each once. */
async function readBlocks(driver: Driver, scope: Scope, points: Point[]): Promise<SegmentBlock[]> {
  if (points.length === 0) return [];
  const statements = selectBlocksAt(scope, points);
  const found = await driver.read(() => batch(...statements), scope.accountId);
  // Two statements may find the same block, whose keys must not be read twice.
  const unique = new Map(
    found.flat().map((each) => [`${each.segment} ${each.list} ${each.start}`, each]),
  );
  return [...unique.values()];
}

/** How many keys a stream has, about. */
export function estimateKeys({ sources }: TermStream): number {
  return sources.reduce((sum, { segment, keys, blockSpan }) => {
    const blocks = blockSpan === undefined ? 1 : (segment.high - segment.low) / blockSpan;
    return sum + keys.length * Math.max(1, blocks);
  }, 0);
}

/** Takes the next `count` keys of a stream or more in the order of the walk, ascending; fewer where it ends. */
export async function takeKeys(
  driver: Driver,
  scope: Scope,
  stream: TermStream,
  count: number,
): Promise<Float64Array> {
  const { sources, walk } = stream;
  const { isForward } = walk;
  for (;;) {
    const reaches = sources.flatMap(({ unread }) => (unread ? [unread.reach] : []));
    // No key beyond what was read of every list can be taken yet.
    const end = isForward ? Math.max(-1, ...reaches) : Math.min(Infinity, ...reaches);
    const splits = sources.map(({ keys }) =>
      isForward ? countBelow(keys, end) : countBelow(keys, end + 1),
    );
    const known = sources.reduce((sum, { keys }, index) => {
      const split = splits[index] ?? 0;
      return sum + (isForward ? keys.length - split : split);
    }, 0);
    if (reaches.length === 0 || known >= count) {
      const taken = sources.map((source, index) => {
        const [before, after] = [
          source.keys.subarray(0, splits[index]),
          source.keys.subarray(splits[index]),
        ];
        source.keys = isForward ? before : after;
        return isForward ? after : before;
      });
      return joinKeys(taken);
    }
    const behind = sources.filter(({ unread }) => unread?.reach === end);
    await readOn(driver, scope, behind, walk, stream.blocksAtOnce);
    stream.blocksAtOnce = Math.min(2 * stream.blocksAtOnce, maxBlocksAtOnce);
  }
}

/** Reads the next blocks of lists that go on. */
async function readOn(
  driver: Driver,
  scope: Scope,
  sources: Source[],
  walk: Walk,
  limit: number,
): Promise<void> {
  const { low, high, isForward } = walk;
  const statements = sources.map(({ segment, hash, unread }) => {
    const point = { segment: segment.segment, list: hash, at: unread?.edge ?? 0 };
    return selectNextBlocks(scope, point, { limit, isForward });
  });
  const found = await driver.read(() => batch(...statements), scope.accountId);
  for (const [index, source] of sources.entries()) {
    const blocks = found[index] ?? [];
    const last = blocks.at(-1);
    const read = readKeys(isForward ? blocks.toReversed() : blocks);
    source.keys = joinKeys([source.keys, cutKeys(read, walk)]);
    const isOver =
      !last || blocks.length < limit || (isForward ? last.start <= low : last.start > high);
    source.unread = isOver
      ? undefined
      : { edge: last.start, reach: isForward ? last.start : (read.at(-1) ?? last.start) };
  }
}

/** Keeps those of some ascending keys that a stream has too. */
export async function filterKeys(
  driver: Driver,
  scope: Scope,
  { sources }: TermStream,
  keys: Float64Array,
): Promise<Float64Array> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return keys;
  const isFound = new Uint8Array(keys.length);
  const points: Point[] = [];
  const ranges: Source[] = [];
  for (const source of sources) {
    const { segment, hash, unread, blockSpan = Infinity } = source;
    if (!unread) {
      markCommon(keys, source.keys, isFound);
      continue;
    }
    const covered = cutKeys(keys, segment);
    const span = (covered.at(-1) ?? 0) - (covered[0] ?? 0);
    if (covered.length === 0) continue;
    if (span / blockSpan < 2 * covered.length) ranges.push(source);
    else for (const at of covered) points.push({ segment: segment.segment, list: hash, at });
  }
  for (const block of await readBlocks(driver, scope, points)) {
    markCommon(keys, readKeys([block]), isFound);
  }
  for (const blocks of await readRanges(driver, scope, ranges, { first, last })) {
    markCommon(keys, readKeys(blocks), isFound);
  }
  return takeMarked(keys, isFound);
}

/** The blocks of lists from one key to another, those that follow each other together. */
async function readRanges(
  driver: Driver,
  scope: Scope,
  sources: Source[],
  { first, last }: { first: number; last: number },
): Promise<SegmentBlock[][]> {
  const all: SegmentBlock[][] = [];
  let open = sources.map(({ segment, hash, blockSpan = Infinity }) => ({
    point: { segment: segment.segment, list: hash, at: last + 1 },
    limit: Math.min(maxBlocksAtOnce, Math.ceil((last - first) / blockSpan) + 2),
  }));
  while (open.length > 0) {
    const statements = open.map(({ point, limit }) =>
      selectNextBlocks(scope, point, { limit, isForward: true }),
    );
    const found = await driver.read(() => batch(...statements), scope.accountId);
    all.push(...found.map((blocks) => blocks.toReversed()));
    open = open.flatMap(({ point, limit }, index) => {
      const blocks = found[index] ?? [];
      const oldest = blocks.at(-1);
      const isOver = !oldest || blocks.length < limit || oldest.start <= first;
      return isOver ? [] : [{ point: { ...point, at: oldest.start }, limit }];
    });
  }
  return all;
}

/** The keys of folded payments that may have each of some terms, in order. */
function findFolded(all: FoldedPayments[], terms: number[]): Map<number, Float64Array> {
  const found = new Map(terms.map((term) => [term >>> 0, [] as number[]]));
  const mayBe = new Uint8Array(4_096);
  for (const half of found.keys()) mayBe[half & 4_095] = 1;
  for (const { keys, ends, hashes } of all) {
    let at = 0;
    for (const [payment, end] of ends.entries()) {
      for (; at < end; at++) {
        const hash = hashes[at] ?? 0;
        if (mayBe[hash & 4_095] === 1) found.get(hash)?.push(keys[payment] ?? 0);
      }
    }
  }
  return new Map(
    terms.map((term) => [term, new Float64Array(sortUnique(found.get(term >>> 0) ?? []))]),
  );
}
