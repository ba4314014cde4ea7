import { paymentStatuses } from "../../contract/field-values.ts";
import type { PaymentJson } from "../../contract/payment.ts";
import {
  type Statement,
  type Value,
  changeOne,
  countChanges,
  createStatement,
  findRow,
  rowExists,
} from "../database/driver.ts";
import type { ListedTable } from "../database/listing.ts";
import {
  type Scope,
  createRowsText,
  createSetText,
  listParams,
  listValues,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { termRules } from "./payment-terms.ts";
import type { Block } from "./posting-blocks.ts";

/** How far the index of an account and mode reaches: it covers the ids after `from`, up to `to`. */
export type Progress = { from: string; to: string };
/** A part of the index, with the range of its keys. */
export type Segment = { segment: number; payments: number; low: number; high: number };
/** A position in a list of a segment. */
export type Point = { segment: number; list: number; at: number };
export type SegmentBlock = Block & { segment: number };
/** A range of ids that was indexed with so many payments, and how many it has by now. */
export type RecentRange = { after: string; upTo: string; payments: number; found: number };
export type Change = { paymentId: string; revision: number };

export const ofScope = "account_id = $1 AND livemode = $2";

/** Undefined where the index is by other rules, too. */
export function selectProgress(scope: Scope): Statement<Progress | undefined> {
  return findRow(
    `SELECT covered_from AS "from", covered_to AS "to" FROM search_progress WHERE ${ofScope} AND rules = $3`,
    [...whereScope(scope), termRules],
  );
}

export function selectPaymentsByIds(scope: Scope, ids: string[]): Statement<string[]>[] {
  return splitIntoSets(ids).map((set) =>
    createStatement(
      `SELECT payment FROM payments WHERE ${ofScope} AND id IN (${set.map((_, at) => `$${at + 3}`).join(", ")})`,
      [...whereScope(scope), ...set],
      (rows: { payment: string }[]) => rows.map(({ payment }) => payment),
    ),
  );
}

export function selectSegments(scope: Scope): Statement<Segment[]> {
  return createStatement(
    `SELECT segment, payments, low, high FROM search_segments WHERE ${ofScope} AND retired_at_ms IS NULL`,
    [...whereScope(scope)],
    (rows: Segment[]) => rows,
  );
}

/** The blocks that hold positions: each the last one that begins at or before it. */
export function selectBlocksAt(scope: Scope, points: Point[]): Statement<SegmentBlock[]>[] {
  return splitIntoSets(points).map((set) =>
    createStatement(
      blocksText(set.length),
      [...whereScope(scope), ...set.flatMap(({ segment, list, at }) => [segment, list, at])],
      (found: SegmentBlock[]) => found,
    ),
  );
}

const blocksText = createRowsText(
  "point",
  { segment: "BIGINT", list: "BIGINT", at: "BIGINT" },
  3,
  `, begins (segment, list, start) AS (SELECT DISTINCT segment, list,
     (SELECT MAX(start) FROM search_blocks b
      WHERE ${ofScope} AND b.segment = point.segment AND b.list = point.list AND b.start <= point.at) FROM point)
   SELECT b.segment AS segment, b.list AS list, b.start AS start, b.data AS data FROM begins CROSS JOIN search_blocks b
   WHERE ${ofScope} AND b.segment = begins.segment AND b.list = begins.list AND b.start = begins.start`,
);

/** The next blocks of a list from a position on, in either direction. */
export function selectNextBlocks(
  scope: Scope,
  { segment, list, at }: Point,
  { limit, isForward }: { limit: number; isForward: boolean },
): Statement<SegmentBlock[]> {
  return createStatement(
    `SELECT segment, list, start, data FROM search_blocks
     WHERE ${ofScope} AND segment = $3 AND list = $4 AND start ${isForward ? "<" : ">"} $5
     ORDER BY start ${isForward ? "DESC" : "ASC"} LIMIT $6`,
    [...whereScope(scope), segment, list, at, limit],
    (found: SegmentBlock[]) => found,
  );
}

/** The ranges that were indexed while payments might still appear in them, and the payments that they have now. */
export function selectRecent(
  scope: Scope,
  { above, below }: { above: string; below: string },
): Statement<RecentRange[]> {
  return selectRecentWhere(scope, "up_to > $3 AND after_id < $4", [above, below]);
}

/** All of them, without counting. */
export function selectRecentRanges(scope: Scope): Statement<Omit<RecentRange, "found">[]> {
  return createStatement(
    `SELECT after_id AS after, up_to AS "upTo", payments FROM search_recent WHERE ${ofScope}`,
    [...whereScope(scope)],
    (rows: Omit<RecentRange, "found">[]) => rows,
  );
}

/** Of each other program that has written payments lately, the id up to which all of its own have appeared. */
export function selectWriters(scope: Scope, besides: string): Statement<string[]> {
  return createStatement(
    `SELECT settled_to AS id FROM search_writers WHERE ${ofScope} AND writer <> $3`,
    [...whereScope(scope), besides],
    readIds,
  );
}

/** The first payment ids after one. */
export function selectIdsAfter(scope: Scope, after: string, limit: number): Statement<string[]> {
  return createStatement(
    `SELECT id FROM payments WHERE ${ofScope} AND id > $3 ORDER BY id LIMIT $4`,
    [...whereScope(scope), after, limit],
    readIds,
  );
}

const readIds = (rows: { id: string }[]) => rows.map(({ id }) => id);

/** The same of the newest ranges, which end after an id, and of the oldest, which end at another one or before. */
export function selectNewestAndOldestRecent(
  scope: Scope,
  { after, upTo }: { after: string; upTo: string },
): Statement<RecentRange[]> {
  return selectRecentWhere(scope, "(up_to > $3 OR up_to <= $4)", [after, upTo]);
}

function selectRecentWhere(
  scope: Scope,
  condition: string,
  params: string[],
): Statement<RecentRange[]> {
  return createStatement(
    `SELECT after_id AS after, up_to AS "upTo", payments, (SELECT COUNT(*) FROM payments
       WHERE ${ofScope} AND id > r.after_id AND id <= r.up_to) AS found
     FROM search_recent r WHERE ${ofScope} AND ${condition}`,
    [...whereScope(scope), ...params],
    (rows: RecentRange[]) => rows,
  );
}

export function selectChanges(scope: Scope, limit: number): Statement<Change[]> {
  return createStatement(
    `SELECT payment_id AS "paymentId", revision FROM search_changes WHERE ${ofScope} ORDER BY payment_id DESC LIMIT $3`,
    [...whereScope(scope), limit],
    (rows: Change[]) => rows,
  );
}

type KeyRow = {
  low: string;
  high: string;
  newest: string;
  oldestId: string;
  payment: string | null;
};

/** The payments whose ids lie in ranges and end in a way: of each range the newest, and the id of the oldest. */
export function selectPaymentsWithKeys(
  scope: Scope,
  ranges: { low: string; high: string; tail: string }[],
  statuses: readonly string[] = [],
): Statement<KeyRow[]>[] {
  const text = keysTexts[statuses.length] ?? createKeysText(statuses.length);
  return splitIntoSets(ranges).map((set) =>
    createStatement(
      text(set.length),
      [
        ...whereScope(scope),
        ...statuses,
        ...set.flatMap(({ low, high, tail }) => [low, high, tail]),
      ],
      (found: KeyRow[]) => found,
    ),
  );
}

function createKeysText(statuses: number) {
  const at = 3 + statuses;
  const isOfThem = statuses === 0 ? "" : `AND status IN (${listParams(statuses, 3)})`;
  const withKey = `FROM payments WHERE ${ofScope} AND id > low AND id < high AND substr(id, 38) = tail ${isOfThem}`;
  return createRowsText(
    "place",
    { low: "TEXT", high: "TEXT", tail: "TEXT" },
    at,
    `, found AS (SELECT low, high, (SELECT MAX(id) ${withKey}) AS newest, (SELECT MIN(id) ${withKey}) AS oldest FROM place)
     SELECT low, high, newest, oldest AS "oldestId", payment FROM found CROSS JOIN payments WHERE ${ofScope} AND id = newest`,
  );
}

/** For none, which is all of them, and for each number of statuses. */
const keysTexts = [0, ...paymentStatuses.keys().map((at) => at + 1)].map(createKeysText);

/** The id of the payment that comes `count` payments before the newest one, of those after an id. */
export function selectIdBeforeNewest(
  scope: Scope,
  after: string,
  count: number,
): Statement<string | undefined> {
  return createStatement(
    `SELECT id FROM payments WHERE ${ofScope} AND id > $3 ORDER BY id DESC LIMIT 1 OFFSET $4`,
    [...whereScope(scope), after, count],
    ([row]: { id: string }[]) => row?.id,
  );
}

/** Counts the payments of a range of ids, or those in some statuses, up to `limit`. */
export function countPayments(
  scope: Scope,
  { above, below, limit }: { above: string; below: string; limit: number },
  statuses: readonly string[] = [],
): Statement<number> {
  const isOfThem = statuses.length === 0 ? "" : `AND status IN (${listParams(statuses.length, 6)})`;
  return createStatement(
    `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM payments WHERE ${ofScope} AND id > $3 AND id < $4 ${isOfThem} LIMIT $5) counted`,
    [...whereScope(scope), above, below, limit, ...statuses],
    ([row]: { count: number }[]) => row?.count ?? 0,
  );
}

export type PaymentRow = { payment: PaymentJson };

export const paymentsTable: ListedTable<PaymentJson> = {
  from: "payments",
  columns: "payment",
  readItem: ({ payment }: PaymentRow) => payment,
  payment: "payment",
  merged: "status",
};

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
    const rows = set.flatMap(({ list, start, data }): Value[] => [
      ...whereScope(scope),
      segment,
      list,
      start,
      data,
    ]);
    return countChanges(insertBlocksText(set.length), rows);
  });
}

const insertBlocksText = createSetText(
  (rows) =>
    `INSERT INTO search_blocks (account_id, livemode, segment, list, start, data) ${listValues(rows, 6, 1)}`,
);

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
