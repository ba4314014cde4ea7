import type { PendingPayment } from "../../domain/payment-state.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { Backlog, Due, DuePayment, Settlement } from "../../ports/payment-store.ts";
import { changeOne, rowExists, createStatement, type Statement } from "../driver.ts";
import { fromPayment } from "./payments-sql.ts";
import { maxCounted, leaseRows } from "./due-sql.ts";
import { whereScope, readScope, type ScopeColumns } from "./scope-sql.ts";

const isNotPending = `NOT EXISTS (SELECT 1 ${fromPayment} AND status = 'pending')`;

type DueRow = ScopeColumns & { reference: string; payment: string };

/** Has the network asked about a payment that was written before, in the same transaction. */
export function insertSettlement(
  scope: Scope,
  paymentId: string,
  settlement: Settlement,
): Statement<boolean> {
  return changeOne(
    `INSERT INTO settlements (account_id, livemode, payment_id, reference, due_at_ms, since_ms)
     SELECT account_id, livemode, id, $4, $5, $5 ${fromPayment}`,
    [...whereScope(scope), paymentId, settlement.reference, settlement.dueAtMs],
  );
}

/** The network need not be asked again about a payment that is no longer pending. */
export function deleteSettlement(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `DELETE FROM settlements WHERE account_id = $1 AND livemode = $2 AND payment_id = $3
     AND ${isNotPending}`,
    [...whereScope(scope), paymentId],
  );
}

export function postponeSettlement(
  scope: Scope,
  paymentId: string,
  dueAtMs: number,
): Statement<boolean> {
  return changeOne(
    "UPDATE settlements SET due_at_ms = $1, since_ms = $1 WHERE account_id = $2 AND livemode = $3 AND payment_id = $4",
    [dueAtMs, ...whereScope(scope), paymentId],
  );
}

/** Whether anything is due: what is asked most often, and needs no transaction. */
export function isAnyDue(nowMs: number): Statement<boolean> {
  return rowExists(
    "SELECT payment_id FROM settlements WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT 1",
    [nowMs],
  );
}

const dueSettlements = {
  table: "settlements",
  due: "due_at_ms",
  lease: "due_at_ms",
  columns: "reference",
};

/** Puts off what is due, of one account or of all, and answers what it was. */
export function takeDue(due: Due, accountId?: string): Statement<DuePayment[]> {
  return leaseRows(dueSettlements, due, accountId, (row: DueRow) => ({
    scope: readScope(row),
    payment: JSON.parse(row.payment) as PendingPayment,
    reference: row.reference,
  }));
}

export function selectBacklog(nowMs: number): Statement<Pick<Backlog, "due" | "oldestAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS due, MIN(since_ms) AS oldest FROM
     (SELECT since_ms FROM settlements WHERE since_ms <= $1 ORDER BY since_ms LIMIT ${maxCounted}) longest`,
    [nowMs],
    ([row]: { due: number; oldest: number | null }[]) => ({
      due: row?.due ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}
