import {
  type Statement,
  changeOne,
  countChanges,
  createStatement,
  rowExists,
} from "../database/driver.ts";
import {
  type Scope,
  type ScopeColumns,
  createSetText,
  isOneOf,
  listValues,
  readScope,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import { termRules } from "./payment-terms.ts";
import { type Change, type Progress, type RecentRange, ofScope } from "./search-sql.ts";

// The progress of the search index, its leases, and the payments to index.

const isOfIndex = "account_id = progress.account_id AND livemode = progress.livemode";

/** The time of a lease that never ends, for programs that know the first rules alone. */
const forever = Number.MAX_SAFE_INTEGER;

/** The indexes of some accounts, by their rules, and whether they lack something, or have more than they need. */
export function selectIndexes(
  accountIds: readonly string[],
): Statement<(DueIndex & { rules: number; isDue: boolean })[]> {
  const accounts = isOneOf("account_id", accountIds, 1);
  return createStatement(
    `SELECT account_id, livemode, owner, leased_until_ms, rules, CASE WHEN covered_from <> ''
       OR (SELECT MAX(id) FROM payments WHERE ${isOfIndex}) > progress.covered_to
       OR EXISTS (SELECT 1 FROM search_changes WHERE ${isOfIndex})
       OR EXISTS (SELECT 1 FROM search_recent WHERE ${isOfIndex})
       OR EXISTS (SELECT 1 FROM search_segments WHERE ${isOfIndex} AND retired_at_ms IS NOT NULL)
       THEN 1 ELSE 0 END AS is_due FROM search_progress progress WHERE ${accounts.sql}`,
    accounts.params,
    (rows: IndexRow[]) =>
      rows.map((row) => ({
        scope: readScope(row),
        owner: row.owner,
        untilMs: row.leased_until_ms,
        rules: row.rules,
        isDue: row.is_due === 1,
      })),
  );
}

type IndexRow = ScopeColumns & {
  owner: string;
  leased_until_ms: number;
  rules: number;
  is_due: number;
};

/** The oldest payment of some accounts that is not indexed, of those before an index too. */
export function selectOldestUnindexed(
  accountIds: readonly string[],
): Statement<string | undefined> {
  const accounts = isOneOf("account_id", accountIds, 1);
  return createStatement(
    `SELECT MIN(oldest) AS oldest FROM (SELECT COALESCE(
       (SELECT MIN(id) FROM payments WHERE ${isOfIndex} AND id <= progress.covered_from),
       (SELECT MIN(id) FROM payments WHERE ${isOfIndex} AND id > progress.covered_to)) AS oldest
     FROM search_progress progress WHERE ${accounts.sql}) found`,
    accounts.params,
    ([row]: { oldest: string | null }[]) => row?.oldest ?? undefined,
  );
}

/** Whether some accounts have any payment. */
export function hasPayments(accountIds: readonly string[]): Statement<boolean> {
  const accounts = isOneOf("account_id", accountIds, 1);
  return rowExists(
    `SELECT 1 AS found FROM payments WHERE ${accounts.sql} LIMIT 1`,
    accounts.params,
  );
}

/** Begins the index of an account and mode at an id. */
export function insertProgress(scope: Scope, at: string): Statement<boolean> {
  return changeOne(
    `INSERT INTO search_progress (account_id, livemode, indexed_from, indexed_to, next_segment, owner, lease_until_ms,
       rules, covered_from, covered_to, leased_until_ms)
     VALUES ($1, $2, '', '', 1, '', $3, $4, $5, $5, 0) ON CONFLICT (account_id, livemode) DO NOTHING`,
    [...whereScope(scope), forever, termRules, at],
  );
}

/**
 * Begins an index anew at an id, by the rules of this program; false where it is by these or newer rules. The
 * replica that leased it keeps the lease until it ends, but writes nothing more.
 */
export function renewProgress(scope: Scope, at: string): Statement<boolean> {
  return changeOne(
    `UPDATE search_progress SET indexed_from = '', indexed_to = '', owner = '',
       leased_until_ms = CASE WHEN rules = 1 THEN lease_until_ms ELSE leased_until_ms END, lease_until_ms = $3,
       rules = $4, covered_from = $5, covered_to = $5
     WHERE ${ofScope} AND rules < $4`,
    [...whereScope(scope), forever, termRules, at],
  );
}

/** Leases the index of an account and mode; false where another replica's lease lasts. */
export function leaseIndex(
  scope: Scope,
  { owner, nowMs, untilMs }: { owner: string; nowMs: number; untilMs: number },
): Statement<boolean> {
  return changeOne(
    `UPDATE search_progress SET owner = $3, leased_until_ms = $5
     WHERE ${ofScope} AND rules = $6 AND (owner = $3 OR leased_until_ms <= $4)`,
    [...whereScope(scope), owner, nowMs, untilMs, termRules],
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
    `UPDATE search_progress SET covered_from = $6, covered_to = $7, ${takeNumber}
     WHERE ${ofScope} AND owner = $3 AND covered_from = $4 AND covered_to = $5 RETURNING ${takenNumber}`,
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

// Records of payments that the search index may lack: ranges in which more may appear, and payments that have changed.

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

export function deleteAllRecent(scope: Scope): Statement<number> {
  return countChanges(`DELETE FROM search_recent WHERE ${ofScope}`, [...whereScope(scope)]);
}

/** Says up to which id all payments of a writer have appeared, in the transaction of another one. */
export function upsertWriter(
  scope: Scope,
  { writer, settledTo, announcedBy }: { writer: string; settledTo: string; announcedBy: string },
): Statement<number> {
  return countChanges(
    `INSERT INTO search_writers (account_id, livemode, writer, settled_to, announced_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, livemode, writer) DO UPDATE
     SET settled_to = excluded.settled_to, announced_by = excluded.announced_by`,
    [...whereScope(scope), writer, settledTo, announcedBy],
  );
}

/** Deletes the writers that have announced nothing since an id. */
export function deleteWriters(scope: Scope, before: string): Statement<number> {
  return countChanges(`DELETE FROM search_writers WHERE ${ofScope} AND announced_by <= $3`, [
    ...whereScope(scope),
    before,
  ]);
}

const insertText = createSetText(
  (
    rows,
  ) => `INSERT INTO search_changes (account_id, livemode, payment_id, revision) ${listValues(rows, 4, 1)}
   ON CONFLICT (account_id, livemode, payment_id) DO UPDATE SET revision = search_changes.revision + 1`,
);

/** Records that payments may have got terms. */
export function insertChanges(
  scope: Scope,
  changes: { payment: { id: string } }[],
): Statement<number>[] {
  return splitIntoSets(changes).map((set) =>
    countChanges(
      insertText(set.length),
      set.flatMap(({ payment }) => [...whereScope(scope), payment.id, 1]),
    ),
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

/**
 * The lease of the index of an account and mode. While it lasts, no other replica writes that index. A replica that
 * leases it again later has another `owner`.
 */
export type IndexLease = { scope: Scope; owner: string };

/** An index that something has to be written to, and the lease of the replica that writes it, which may have ended. */
export type DueIndex = IndexLease & { untilMs: number };

/** The payments that a step of the index takes: up to `limit` payments, none newer than the id `upTo`. */
export type IndexPart = {
  upTo: string;
  limit: number;
  /** Nothing appears any more up to this id. */
  settledTo: string;
  /** How far back from the end of the index payments are looked for that appeared late; undefined: nowhere. */
  lateMs: number | undefined;
};
