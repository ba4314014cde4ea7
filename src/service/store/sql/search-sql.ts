import type { Scope } from "../../ports/idempotency-record.ts";
import type { DueIndex } from "../../ports/search-store.ts";
import type { Block } from "../search/posting-blocks.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  findRow,
  type Statement,
  type Value,
} from "../driver.ts";
import { splitIntoSets, toValueList } from "./row-sets-sql.ts";
import { readScope, whereScope, type ScopeColumns } from "./scope-sql.ts";

/** How far the index of an account and mode reaches: it covers the ids after `from`, up to `to`. */
export type Progress = { from: string; to: string; nextSegment: number };
/** A part of the index, with the range of its keys. */
export type Segment = { segment: number; payments: number; low: number; high: number };
/** A position in a list of a segment. */
export type Point = { segment: number; list: number; at: number };
export type SegmentBlock = Block & { segment: number };
/** A range of ids that was indexed with so many payments, and how many it has by now. */
export type RecentRange = { after: string; upTo: string; payments: number; found: number };
export type Change = { paymentId: string; revision: number };

const ofScope = "account_id = $1 AND livemode = $2";

export function selectProgress(scope: Scope): Statement<Progress | undefined> {
  return findRow(
    `SELECT indexed_from AS "from", indexed_to AS "to", next_segment AS "nextSegment"
     FROM search_progress WHERE ${ofScope}`,
    [...whereScope(scope)],
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

/** The accounts that have no index. */
export function selectAccountsWithoutIndex(): Statement<string[]> {
  return createStatement(
    "SELECT id FROM accounts WHERE (SELECT COUNT(*) FROM search_progress WHERE account_id = accounts.id) < 2",
    [],
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  );
}

/** The indexes that do not have everything yet, or more than they need, and who holds them. */
export function selectIndexesToWrite(): Statement<DueIndex[]> {
  const isOfScope = "account_id = s.account_id AND livemode = s.livemode";
  return createStatement(
    `SELECT account_id, livemode, owner, lease_until_ms FROM search_progress s
     WHERE indexed_from <> ''
       OR EXISTS (SELECT 1 FROM payments WHERE ${isOfScope} AND id > s.indexed_to)
       OR EXISTS (SELECT 1 FROM search_changes WHERE ${isOfScope})
       OR EXISTS (SELECT 1 FROM search_recent WHERE ${isOfScope})
       OR EXISTS (SELECT 1 FROM search_segments WHERE ${isOfScope} AND retired_at_ms IS NOT NULL)`,
    [],
    (rows: (ScopeColumns & { owner: string; lease_until_ms: number })[]) =>
      rows.map((row) => ({
        scope: readScope(row),
        owner: row.owner,
        untilMs: row.lease_until_ms,
      })),
  );
}

/** The oldest payment that is not indexed; of the part before the index where that is not complete. */
export function selectOldestUnindexed(): Statement<string | undefined> {
  return createStatement(
    `SELECT MIN(first) AS first FROM (SELECT (SELECT MIN(id) FROM payments
       WHERE account_id = s.account_id AND livemode = s.livemode AND (id > s.indexed_to OR id <= s.indexed_from)) AS first
     FROM search_progress s) firsts`,
    [],
    ([row]: { first: string | null }[]) => row?.first ?? undefined,
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

/** Moves the index on while `owner` holds it, and takes the number of a segment. */
export function advanceIndex(
  scope: Scope,
  owner: string,
  { nextSegment }: Progress,
  to: Pick<Progress, "from" | "to">,
): Statement<boolean> {
  return changeOne(
    `UPDATE search_progress SET indexed_from = $5, indexed_to = $6, next_segment = next_segment + 1
     WHERE ${ofScope} AND owner = $3 AND next_segment = $4`,
    [...whereScope(scope), owner, nextSegment, to.from, to.to],
  );
}

/** The next payments after an id or, backward, before it, in the order of the walk. */
export function selectPaymentsToIndex(
  scope: Scope,
  {
    above,
    upTo,
    limit,
    isBackward,
  }: { above: string; upTo: string; limit: number; isBackward: boolean },
): Statement<{ id: string; payment: string }[]> {
  return createStatement(
    `SELECT id, payment FROM payments WHERE ${ofScope} AND id > $3 AND id <= $4
     ORDER BY id ${isBackward ? "DESC" : "ASC"} LIMIT $5`,
    [...whereScope(scope), above, upTo, limit],
    (rows: { id: string; payment: string }[]) => rows,
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

export function selectSegments(scope: Scope): Statement<Segment[]> {
  return createStatement(
    `SELECT segment, payments, low, high FROM search_segments WHERE ${ofScope} AND retired_at_ms IS NULL`,
    [...whereScope(scope)],
    (rows: Segment[]) => rows,
  );
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

/** The segments of which blocks may be deleted: those retired before a time, and those that were never finished. */
export function selectUnusedSegments(scope: Scope, before: number): Statement<number[]> {
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
  return createStatement(
    `SELECT 1 AS found FROM search_segments WHERE ${ofScope} AND segment = $3`,
    [...whereScope(scope), segment],
    (rows) => rows.length > 0,
  );
}

export function deleteSegment(scope: Scope, segment: number): Statement<boolean> {
  return changeOne(`DELETE FROM search_segments WHERE ${ofScope} AND segment = $3`, [
    ...whereScope(scope),
    segment,
  ]);
}

/** Deletes the first `limit` blocks of a segment. */
export function deleteBlocks(scope: Scope, segment: number, limit: number): Statement<number> {
  return countChanges(
    `DELETE FROM search_blocks WHERE ${ofScope} AND segment = $3 AND (list, start) IN
     (SELECT list, start FROM search_blocks WHERE ${ofScope} AND segment = $3 ORDER BY list, start LIMIT $4)`,
    [...whereScope(scope), segment, limit],
  );
}

/** The blocks that hold positions: each the last one that begins at or before it. */
export function selectBlocksAt(scope: Scope, points: Point[]): Statement<SegmentBlock[]>[] {
  return splitIntoSets(points).map((set) => {
    const rows = set.map(({ segment, list, at }) => [segment, list, at]);
    const { sql, params } = toValueList(rows, 3, ["BIGINT", "BIGINT", "BIGINT"]);
    return createStatement(
      `WITH point (segment, list, at) AS (${sql}), begins (segment, list, start) AS (SELECT DISTINCT segment, list,
         (SELECT MAX(start) FROM search_blocks b
          WHERE ${ofScope} AND b.segment = point.segment AND b.list = point.list AND b.start <= point.at) FROM point)
       SELECT b.segment AS segment, b.list AS list, b.start AS start, b.data AS data FROM begins CROSS JOIN search_blocks b
       WHERE ${ofScope} AND b.segment = begins.segment AND b.list = begins.list AND b.start = begins.start`,
      [...whereScope(scope), ...params],
      (found: SegmentBlock[]) => found,
    );
  });
}

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

/** The ranges that were indexed while payments might still appear in them, and the payments that they have now. */
export function selectRecent(
  scope: Scope,
  { above, below }: { above: string; below: string },
): Statement<RecentRange[]> {
  return createStatement(
    `SELECT after_id AS after, up_to AS "upTo", payments, (SELECT COUNT(*) FROM payments
       WHERE ${ofScope} AND id > r.after_id AND id <= r.up_to) AS found
     FROM search_recent r WHERE ${ofScope} AND up_to > $3 AND after_id < $4`,
    [...whereScope(scope), above, below],
    (rows: RecentRange[]) => rows,
  );
}

export function insertRecent(
  scope: Scope,
  { after, upTo, payments }: Omit<RecentRange, "found">,
): Statement<boolean> {
  return changeOne(
    `INSERT INTO search_recent (account_id, livemode, up_to, after_id, payments) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, livemode, up_to) DO UPDATE SET payments = excluded.payments, after_id = excluded.after_id`,
    [...whereScope(scope), upTo, after, payments],
  );
}

export function deleteRecent(scope: Scope, before: string): Statement<number> {
  return countChanges(`DELETE FROM search_recent WHERE ${ofScope} AND up_to <= $3`, [
    ...whereScope(scope),
    before,
  ]);
}

const countChange = `INSERT INTO search_changes (account_id, livemode, payment_id, revision)`;
const ifChangedBefore = `ON CONFLICT (account_id, livemode, payment_id) DO UPDATE SET revision = search_changes.revision + 1`;

/** Records that a payment may have got terms. */
export function insertChange(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(`${countChange} VALUES ($1, $2, $3, 1) ${ifChangedBefore}`, [
    ...whereScope(scope),
    paymentId,
  ]);
}

/** The same of several payments. */
export function insertChanges(scope: Scope, paymentIds: string[]): Statement<number>[] {
  return splitIntoSets(paymentIds).map((set) => {
    const rows = set.map((id): Value[] => [...whereScope(scope), id, 1]);
    const { sql, params } = toValueList(rows, 1);
    return countChanges(`${countChange} ${sql} ${ifChangedBefore}`, params);
  });
}

export function selectChanges(scope: Scope, limit: number): Statement<Change[]> {
  return createStatement(
    `SELECT payment_id AS "paymentId", revision FROM search_changes WHERE ${ofScope} ORDER BY payment_id DESC LIMIT $3`,
    [...whereScope(scope), limit],
    (rows: Change[]) => rows,
  );
}

/** Deletes changes that are indexed, unless the payment has changed again. */
export function deleteChanges(scope: Scope, changes: Change[]): Statement<number>[] {
  return splitIntoSets(changes).map((set) => {
    const isOne = set.map((_, at) => `(payment_id = $${2 * at + 3} AND revision = $${2 * at + 4})`);
    return countChanges(`DELETE FROM search_changes WHERE ${ofScope} AND (${isOne.join(" OR ")})`, [
      ...whereScope(scope),
      ...set.flatMap(({ paymentId, revision }) => [paymentId, revision]),
    ]);
  });
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
  status: string | undefined,
): Statement<KeyRow[]>[] {
  return splitIntoSets(ranges).map((set) => {
    const next = status === undefined ? 3 : 4;
    const rows = set.map(({ low, high, tail }) => [low, high, tail]);
    const { sql, params } = toValueList(rows, next, ["TEXT", "TEXT", "TEXT"]);
    const withKey = `FROM payments WHERE ${ofScope} AND id > low AND id < high AND substr(id, 38) = tail${status === undefined ? "" : " AND status = $3"}`;
    return createStatement(
      `WITH place (low, high, tail) AS (${sql}),
         found AS (SELECT low, high, (SELECT MAX(id) ${withKey}) AS newest, (SELECT MIN(id) ${withKey}) AS oldest FROM place)
       SELECT low, high, newest, oldest AS "oldestId", payment FROM found CROSS JOIN payments WHERE ${ofScope} AND id = newest`,
      [...whereScope(scope), ...(status === undefined ? [] : [status]), ...params],
      (found: KeyRow[]) => found,
    );
  });
}

/** Counts the payments of a range of ids, up to `limit`. */
export function countPayments(
  scope: Scope,
  { above, below, limit }: { above: string; below: string; limit: number },
): Statement<number> {
  return createStatement(
    `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM payments WHERE ${ofScope} AND id > $3 AND id < $4 LIMIT $5) counted`,
    [...whereScope(scope), above, below, limit],
    ([row]: { count: number }[]) => row?.count ?? 0,
  );
}
