import { type Scope, whereScope } from "../database/scope.ts";
import { changeOne, countChanges, type Statement, type Value } from "../database/driver.ts";
import { splitIntoSets, toValueList } from "../database/row-sets-sql.ts";
import { ofScope, type Change, type RecentRange } from "./search-sql.ts";

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
