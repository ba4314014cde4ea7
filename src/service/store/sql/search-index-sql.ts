import type { DueIndex } from "../../ports/search-store.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  findRow,
  rowExists,
  type Statement,
  type Value,
} from "../driver.ts";
import type { Block } from "../search/posting-blocks.ts";
import { splitIntoSets, toValueList } from "./row-sets-sql.ts";
import { isOneOf, readScope, whereScope, type ScopeColumns } from "./scope-sql.ts";
import {
  ofScope,
  type Point,
  type Progress,
  type Segment,
  type SegmentBlock,
} from "./search-sql.ts";

// What writes the search index.

const isOfIndex = "account_id = progress.account_id AND livemode = progress.livemode";

/** The indexes of some accounts, and whether they lack something, or have more than they need. */
export function selectIndexes(
  accountIds: readonly string[],
): Statement<(DueIndex & { isDue: boolean })[]> {
  const accounts = isOneOf("account_id", accountIds, 1);
  return createStatement(
    `SELECT account_id, livemode, owner, lease_until_ms, CASE WHEN indexed_from <> ''
       OR (SELECT MAX(id) FROM payments WHERE ${isOfIndex}) > progress.indexed_to
       OR EXISTS (SELECT 1 FROM search_changes WHERE ${isOfIndex})
       OR EXISTS (SELECT 1 FROM search_recent WHERE ${isOfIndex})
       OR EXISTS (SELECT 1 FROM search_segments WHERE ${isOfIndex} AND retired_at_ms IS NOT NULL)
       THEN 1 ELSE 0 END AS is_due FROM search_progress progress WHERE ${accounts.sql}`,
    accounts.params,
    (rows: (ScopeColumns & { owner: string; lease_until_ms: number; is_due: number })[]) =>
      rows.map((row) => ({
        scope: readScope(row),
        owner: row.owner,
        untilMs: row.lease_until_ms,
        isDue: row.is_due === 1,
      })),
  );
}

/** The oldest payment of some accounts that is not indexed, of those before an index too. */
export function selectOldestUnindexed(
  accountIds: readonly string[],
): Statement<string | undefined> {
  const accounts = isOneOf("account_id", accountIds, 1);
  return createStatement(
    `SELECT MIN(oldest) AS oldest FROM (SELECT COALESCE(
       (SELECT MIN(id) FROM payments WHERE ${isOfIndex} AND id <= progress.indexed_from),
       (SELECT MIN(id) FROM payments WHERE ${isOfIndex} AND id > progress.indexed_to)) AS oldest
     FROM search_progress progress WHERE ${accounts.sql}) found`,
    accounts.params,
    ([row]: { oldest: string | null }[]) => row?.oldest ?? undefined,
  );
}

/** Begins the index of an account and mode at an id. */
export function insertProgress(scope: Scope, at: string): Statement<boolean> {
  return changeOne(
    `INSERT INTO search_progress (account_id, livemode, indexed_from, indexed_to, next_segment, owner, lease_until_ms)
     VALUES ($1, $2, $3, $3, 1, '', 0) ON CONFLICT (account_id, livemode) DO NOTHING`,
    [...whereScope(scope), at],
  );
}

/** Leases the index of an account and mode; false where another replica's lease lasts. */
export function leaseIndex(
  scope: Scope,
  { owner, nowMs, untilMs }: { owner: string; nowMs: number; untilMs: number },
): Statement<boolean> {
  return changeOne(
    `UPDATE search_progress SET owner = $3, lease_until_ms = $5
     WHERE ${ofScope} AND (owner = $3 OR lease_until_ms <= $4)`,
    [...whereScope(scope), owner, nowMs, untilMs],
  );
}

/** Locks an index that `owner` holds until the transaction ends; false where it no longer does. */
export function lockIndex(scope: Scope, owner: string): Statement<boolean> {
  return changeOne(`UPDATE search_progress SET owner = owner WHERE ${ofScope} AND owner = $3`, [
    ...whereScope(scope),
    owner,
  ]);
}

const takeNumber = "next_segment = next_segment + 1";
const takenNumber = "next_segment - 1 AS segment";
const readNumber = ([row]: { segment: number }[]) => row?.segment;

/** Takes the number of a segment while `owner` holds the index; undefined where it no longer does. */
export function takeSegment(scope: Scope, owner: string): Statement<number | undefined> {
  return createStatement(
    `UPDATE search_progress SET ${takeNumber} WHERE ${ofScope} AND owner = $3 RETURNING ${takenNumber}`,
    [...whereScope(scope), owner],
    readNumber,
  );
}

/** The same, and moves the index on from where it was read; undefined where it has been moved since, too. */
export function advanceIndex(
  scope: Scope,
  owner: string,
  from: Progress,
  to: Progress,
): Statement<number | undefined> {
  return createStatement(
    `UPDATE search_progress SET indexed_from = $6, indexed_to = $7, ${takeNumber}
     WHERE ${ofScope} AND owner = $3 AND indexed_from = $4 AND indexed_to = $5 RETURNING ${takenNumber}`,
    [...whereScope(scope), owner, from.from, from.to, to.from, to.to],
    readNumber,
  );
}

/** The first payments of a range of ids or, backward, the last ones, in the order of the walk. */
export function selectPaymentsToIndex(
  scope: Scope,
  {
    above,
    below,
    limit,
    isBackward,
  }: { above: string; below: string; limit: number; isBackward: boolean },
): Statement<{ id: string; payment: string }[]> {
  return createStatement(
    `SELECT id, payment FROM payments WHERE ${ofScope} AND id > $3 AND id < $4
     ORDER BY id ${isBackward ? "DESC" : "ASC"} LIMIT $5`,
    [...whereScope(scope), above, below, limit],
    (rows: { id: string; payment: string }[]) => rows,
  );
}

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

/** Where a block begins: its list, and its first term or key. */
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

/** Deletes the blocks of a segment up to a place, or all. */
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
