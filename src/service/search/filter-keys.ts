import { type Driver, batch } from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import { readKeys } from "./posting-blocks.ts";
import { cutKeys, markCommon, takeMarked } from "./search-keys.ts";
import { type Point, type SegmentBlock, selectNextBlocks } from "./search-sql.ts";
import { type Source, type TermStream, maxBlocksAtOnce, readBlocks } from "./term-stream.ts";

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
