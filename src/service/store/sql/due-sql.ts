import type { Due } from "../../ports/payment-store.ts";
import { createStatement, type Statement, type Value } from "../driver.ts";

/** Counts no further than this, so that asking costs little however much is due. */
export const maxCounted = 10_000;

/** A table of work on payments that is due at the time in `due`; a lease puts the time in `lease` off. */
type DueTable = { table: string; due: string; lease: string; columns: string };

/** A condition that a row has to meet as well; its parameters begin with $3. */
type Condition = { sql: string; params: Value[] };

/**
 * Leases due rows, of one account or of all, the longest waiting first, and returns them as they were, with their
 * payment. Rows that were found are looked up by their keys, however many are due beside them: so the limit
 * is no parameter, which PostgreSQL takes for a tenth of them, and `+ 0` is no range of an index. `read`
 * is given the account, the mode, these columns and the payment.
 */
export function leaseRows<T>(
  { table, due, lease, columns }: DueTable,
  { nowMs, untilMs, limit }: Due,
  accountId: string | undefined,
  read: (row: never) => T,
  { sql, params }: Condition = { sql: "", params: [] },
): Statement<T[]> {
  const owner = accountId === undefined ? `${table}.account_id` : `$${3 + params.length}`;
  const condition = accountId === undefined ? sql : `${sql} AND account_id = ${owner}`;
  return createStatement(
    `UPDATE ${table} SET ${lease} = $2
     WHERE ${due} + 0 <= $1 ${condition} AND (account_id, livemode, payment_id) IN
     (SELECT account_id, livemode, payment_id FROM ${table}
      WHERE ${due} <= $1 ${condition} ORDER BY ${due} LIMIT ${limit})
     RETURNING account_id, livemode, ${columns},
     (SELECT payment FROM payments paid WHERE paid.account_id = ${owner}
      AND paid.livemode = ${table}.livemode AND paid.id = ${table}.payment_id) AS payment`,
    [nowMs, untilMs, ...params, ...(accountId === undefined ? [] : [accountId])],
    (rows) => rows.map(read),
  );
}
