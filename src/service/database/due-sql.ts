import type { Due } from "./lease-due.ts";
import { createStatement, type Statement, type Value } from "./driver.ts";

/** Counts end here, so that they cost little however much is due. */
export const maxCounted = 10_000;

/**
 * The condition that a row is among the first that meet `where`, which an index finds. The limit is no parameter,
 * because PostgreSQL estimates a LIMIT that is one as a tenth of all rows.
 */
export function isAmongFirst(
  table: string,
  { key, where, orderBy, limit }: { key: string; where: string; orderBy: string; limit: number },
): string {
  return `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit})`;
}

/**
 * A table of work on payments that is due at the time in the column `due`; a lease moves the time in the column
 * `lease`.
 */
type DueTable = { table: string; due: string; lease: string; columns: string };

/** A condition that a row has to meet as well; its parameters begin with $3. */
type Condition = { sql: string; params: Value[] };

/**
 * Leases due rows, of one account or of all, the oldest first, and returns them as they were, with their payments. `+
 * 0` keeps the planner from using the first condition, which a row must still meet, as a range of an index. `read`
 * gets the account, the mode, the columns and the payment.
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
  const isNext = isAmongFirst(table, {
    key: "account_id, livemode, payment_id",
    where: `${due} <= $1 ${condition}`,
    orderBy: due,
    limit,
  });
  return createStatement(
    `UPDATE ${table} SET ${lease} = $2 WHERE ${due} + 0 <= $1 ${condition} AND ${isNext}
     RETURNING account_id, livemode, ${columns},
     (SELECT payment FROM payments paid WHERE paid.account_id = ${owner}
      AND paid.livemode = ${table}.livemode AND paid.id = ${table}.payment_id) AS payment`,
    [nowMs, untilMs, ...params, ...(accountId === undefined ? [] : [accountId])],
    (rows) => rows.map(read),
  );
}
