import { type Scope, whereScope } from "../database/scope.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  findRow,
  rowExists,
  type Statement,
  type Value,
} from "../database/driver.ts";
import type { Block } from "./posting-blocks.ts";
import { splitIntoSets, toValueList } from "../database/row-sets-sql.ts";
import { ofScope, type Point, type Segment, type SegmentBlock } from "./search-sql.ts";

// Segments of the search index, and their blocks.

export function insertSegment(
  scope: Scope,
  { segment, payments, low, high }: Segment,
): Statement<boolean> {
  return changeOne(
    `INSERT INTO search_segments (account_id, livemode, segment, payments, low, high) VALUES ($1, $2, $3, $4, $5, $6)`,
    [...whereScope(scope), segment, payments, low, high],
  );
}

export function insertBlocks(scope: Scope, segment: number, blocks: Block[]): Statement<number>[] {
  return splitIntoSets(blocks).map((set) => {
    const rows = set.map(({ list, start, data }): Value[] => [
      ...whereScope(scope),
      segment,
      list,
      start,
      data,
    ]);
    const { sql, params } = toValueList(rows, 1);
    return countChanges(
      `INSERT INTO search_blocks (account_id, livemode, segment, list, start, data) ${sql}`,
      params,
    );
  });
}

export function retireSegments(
  scope: Scope,
  segments: number[],
  nowMs: number,
): Statement<boolean>[] {
  return segments.map((segment) =>
    changeOne(`UPDATE search_segments SET retired_at_ms = $4 WHERE ${ofScope} AND segment = $3`, [
      ...whereScope(scope),
      segment,
      nowMs,
    ]),
  );
}

/** Retires all segments of an index, which begins anew. */
export function retireAllSegments(scope: Scope, nowMs: number): Statement<number> {
  return countChanges(
    `UPDATE search_segments SET retired_at_ms = $3 WHERE ${ofScope} AND retired_at_ms IS NULL`,
    [...whereScope(scope), nowMs],
  );
}

/** The segments that were retired before a time. */
export function selectRetiredSegments(scope: Scope, before: number): Statement<number[]> {
  return createStatement(
    `SELECT segment FROM search_segments WHERE ${ofScope} AND retired_at_ms <= $3`,
    [...whereScope(scope), before],
    (rows: { segment: number }[]) => rows.map(({ segment }) => segment),
  );
}

/** The next number of a segment that has blocks. */
export function selectNextWithBlocks(scope: Scope, after: number): Statement<number | undefined> {
  return createStatement(
    `SELECT MIN(segment) AS segment FROM search_blocks WHERE ${ofScope} AND segment > $3`,
    [...whereScope(scope), after],
    ([row]: { segment: number | null }[]) => row?.segment ?? undefined,
  );
}

export function hasSegment(scope: Scope, segment: number): Statement<boolean> {
  return rowExists(`SELECT 1 AS found FROM search_segments WHERE ${ofScope} AND segment = $3`, [
    ...whereScope(scope),
    segment,
  ]);
}

export function deleteSegment(scope: Scope, segment: number): Statement<boolean> {
  return changeOne(`DELETE FROM search_segments WHERE ${ofScope} AND segment = $3`, [
    ...whereScope(scope),
    segment,
  ]);
}

/** The beginning of a block: its list, and its first term or key. */
export type BlockPlace = Pick<Block, "list" | "start">;

/** The place of the block that comes `count` blocks after a place in a segment; undefined where there are fewer. */
export function selectPlaceAfter(
  scope: Scope,
  { segment, list, start }: BlockPlace & { segment: number },
  count: number,
): Statement<BlockPlace | undefined> {
  return findRow(
    `SELECT list, start FROM search_blocks WHERE ${ofScope} AND segment = $3 AND (list, start) > ($4, $5)
     ORDER BY list, start LIMIT 1 OFFSET $6`,
    [...whereScope(scope), segment, list, start, count - 1],
  );
}

/** Deletes the blocks of a segment after a place, up to another one. */
export function deleteBlocks(
  scope: Scope,
  segment: number,
  { after, upTo }: { after: BlockPlace; upTo: BlockPlace },
): Statement<number> {
  return countChanges(
    `DELETE FROM search_blocks WHERE ${ofScope} AND segment = $3 AND (list, start) > ($4, $5) AND (list, start) <= ($6, $7)`,
    [...whereScope(scope), segment, after.list, after.start, upTo.list, upTo.start],
  );
}

/** The first blocks of the lists of common terms after one, in order. */
export function selectNextLists(
  scope: Scope,
  { segment, list }: Omit<Point, "at">,
  limit: number,
): Statement<SegmentBlock[]> {
  return createStatement(
    `SELECT segment, list, start, data FROM search_blocks
     WHERE ${ofScope} AND segment = $3 AND list > $4 ORDER BY list, start LIMIT $5`,
    [...whereScope(scope), segment, list, limit],
    (found: SegmentBlock[]) => found,
  );
}
