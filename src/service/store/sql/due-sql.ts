import type { Due } from "../../ports/payment-store.ts";
import { createStatement, type Statement, type Value } from "../driver.ts";

/** Counts no further than this, so that asking costs little however much is due. */
export const maxCounted = 10_000;

/**
 * The condition that a row is among the first of those of a table that meet `where`: it is found by an index, and looked
 * up by its key. So the limit is no parameter, which PostgreSQL takes for a tenth of all rows.
 */
export function isAmongFirst(
  table: string,
  { key, where, orderBy, limit }: { key: string; where: string; orderBy: string; limit: number },
): string {
  return `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${orderBy} LIMIT ${limit})`;
}

/** A table of work on payments that is due at the time in `due`; a lease puts the time in `lease` off. */
type DueTable = { table: string; due: string; lease: string; columns: string };

/** A condition that a row has to meet as well; its parameters begin with $3. */
type Condition = { sql: string; params: Value[] };

/**
 * Leases due rows, of one account or of all, the longest waiting first, and returns them as they were, with their
 * payments. `+ 0` keeps the first condition, which a row must still meet, from being taken for a range of an index.
 * `read` is given the account, the mode, the columns and the payment.
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
