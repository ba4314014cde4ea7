import type { Scope } from "../../ports/idempotency-record.ts";
import { batch, type Driver } from "../driver.ts";
import { selectNextBlocks, type Point, type SegmentBlock } from "../sql/search-sql.ts";
import { readKeys } from "./posting-blocks.ts";
import {
  countBelow,
  maxBlocksAtOnce,
  readBlocks,
  type Source,
  type TermStream,
} from "./term-stream.ts";

/** Keeps those of some ascending keys that a stream has too. */
export async function filterKeys(
  driver: Driver,
  scope: Scope,
  { sources }: TermStream,
  keys: number[],
): Promise<number[]> {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isFound = new Uint8Array(keys.length);
  const points: Point[] = [];
  const ranges: Source[] = [];
  for (const source of sources) {
    const { segment, hash, unread, blockSpan = Infinity } = source;
    if (!unread) {
      mark(keys, source.keys, isFound);
      continue;
    }
    const covered = keys.filter((key) => key >= segment.low && key <= segment.high);
    const span = (covered.at(-1) ?? 0) - (covered[0] ?? 0);
    if (covered.length === 0) continue;
    if (span / blockSpan < 2 * covered.length) ranges.push(source);
    else points.push(...covered.map((at) => ({ segment: segment.segment, list: hash, at })));
  }
  for (const block of await readBlocks(driver, scope, points)) mark(keys, readKeys(block), isFound);
  for (const block of await readRanges(driver, scope, ranges, { first, last })) {
    mark(keys, readKeys(block), isFound);
  }
  return keys.filter((_, at) => isFound[at] === 1);
}

/** The blocks of lists from one key to another. */
async function readRanges(
  driver: Driver,
  scope: Scope,
  sources: Source[],
  { first, last }: { first: number; last: number },
): Promise<SegmentBlock[]> {
  const all: SegmentBlock[] = [];
  let open = sources.map(({ segment, hash, blockSpan = Infinity }) => ({
    point: { segment: segment.segment, list: hash, at: last + 1 },
    limit: Math.min(maxBlocksAtOnce, Math.ceil((last - first) / blockSpan) + 2),
  }));
  while (open.length > 0) {
    const statements = open.map(({ point, limit }) =>
      selectNextBlocks(scope, point, { limit, isForward: true }),
    );
    const found = await driver.read(() => batch(...statements), scope.accountId);
    all.push(...found.flat());
    open = open.flatMap(({ point, limit }, index) => {
      const blocks = found[index] ?? [];
      const oldest = blocks.at(-1);
      const isOver = !oldest || blocks.length < limit || oldest.start <= first;
      return isOver ? [] : [{ point: { ...point, at: oldest.start }, limit }];
    });
  }
  return all;
}

/** Marks the keys that stand in both lists, which are ascending. */
function mark(keys: number[], others: number[], isFound: Uint8Array): void {
  let at = countBelow(keys, others[0] ?? 0);
  for (const other of others) {
    while (at < keys.length && (keys[at] ?? 0) < other) at++;
    if (at >= keys.length) return;
    if (keys[at] === other) isFound[at] = 1;
  }
}
