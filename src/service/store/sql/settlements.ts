import type { PendingPayment } from "../../domain/payment.ts";
import type { Scope } from "../../use-cases/kept-answers.ts";
import type { Backlog, Due, DuePayment, Settlement } from "../../use-cases/payment-store.ts";
import { change, statement, type Statement } from "../driver.ts";
import { fromPayment } from "./payments.ts";

const isNotPending = `NOT EXISTS (SELECT 1 ${fromPayment} AND status = 'pending')`;

type DueRow = { account_id: string; livemode: number; reference: string; payment: string };

/** Has the network asked about a payment that was written before, in the same transaction. */
export function insertSettlement(
  scope: Scope,
  paymentId: string,
  settlement: Settlement,
): Statement<boolean> {
  return change(
    `INSERT INTO settlements (account_id, livemode, payment_id, reference, due_at_ms, since_ms)
     SELECT account_id, livemode, id, $4, $5, $5 ${fromPayment}`,
    [scope.accountId, Number(scope.livemode), paymentId, settlement.reference, settlement.dueAtMs],
  );
}

/** The network need not be asked again about a payment that is no longer pending. */
export function deleteSettlement(scope: Scope, paymentId: string): Statement<boolean> {
  return change(
    `DELETE FROM settlements WHERE account_id = $1 AND livemode = $2 AND payment_id = $3
     AND ${isNotPending}`,
    [scope.accountId, Number(scope.livemode), paymentId],
  );
}

export function postponeSettlement(
  scope: Scope,
  paymentId: string,
  dueAtMs: number,
): Statement<boolean> {
  return change(
    "UPDATE settlements SET due_at_ms = $1, since_ms = $1 WHERE account_id = $2 AND livemode = $3 AND payment_id = $4",
    [dueAtMs, scope.accountId, Number(scope.livemode), paymentId],
  );
}

/** Whether anything is due: what is asked most often, and needs no transaction. */
export function isAnyDue(nowMs: number): Statement<boolean> {
  return statement(
    "SELECT payment_id FROM settlements WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT 1",
    [nowMs],
    (rows) => rows.length > 0,
  );
}

/**
 * Puts off what is due, of one account or of all, the longest waiting first, and answers what it was. Rows
 * that were found are looked up by their keys, however many are due beside them: so the limit is no
 * parameter, which PostgreSQL takes for a tenth of them, and `+ 0` is no range of an index.
 */
export function takeDue(due: Due, accountId?: string): Statement<DuePayment[]> {
  const owner = accountId === undefined ? "settlements.account_id" : "$3";
  const isOwners = accountId === undefined ? "" : "AND account_id = $3";
  return statement(
    `UPDATE settlements SET due_at_ms = $2
     WHERE due_at_ms + 0 <= $1 ${isOwners} AND (account_id, livemode, payment_id) IN
     (SELECT account_id, livemode, payment_id FROM settlements
      WHERE due_at_ms <= $1 ${isOwners} ORDER BY due_at_ms LIMIT ${due.limit})
     RETURNING account_id, livemode, reference,
     (SELECT payment FROM payments paid WHERE paid.account_id = ${owner}
      AND paid.livemode = settlements.livemode AND paid.id = settlements.payment_id) AS payment`,
    [due.nowMs, due.untilMs, ...(accountId === undefined ? [] : [accountId])],
    (rows: DueRow[]) =>
      rows.map((row) => ({
        scope: { accountId: row.account_id, livemode: row.livemode === 1 },
        payment: JSON.parse(row.payment) as PendingPayment,
        reference: row.reference,
      })),
  );
}

/** Counts no further than this, so that asking costs little however much is due. */
const maxCounted = 10_000;

export function selectBacklog(nowMs: number): Statement<Pick<Backlog, "due" | "oldestAgeMs">> {
  return statement(
    `SELECT COUNT(*) AS due, MIN(since_ms) AS oldest FROM
     (SELECT since_ms FROM settlements WHERE since_ms <= $1 ORDER BY since_ms LIMIT ${maxCounted}) longest`,
    [nowMs],
    ([row]: { due: number; oldest: number | null }[]) => ({
      due: row?.due ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}
