import { maxPageBytes, maxPaymentBytes } from "../../../contract/page-limits.ts";
import type { Payment } from "../../domain/payment.ts";
import type { IdempotencyRecord, PageRequest, PaymentJson, Scope } from "../../use-cases/ports.ts";
import { change, statement, type Statement, type Value } from "../driver.ts";
import { fromHeld } from "./idempotency-records.ts";

/**
 * Finds the payment that a statement's first three parameters name. What is written only beside a row of
 * its account is selected from that row: an engine that spreads accounts over several machines refuses
 * `INSERT … SELECT` from nothing.
 */
export const fromPayment = "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3";

type PaymentRow = { payment: PaymentJson };

/** Writes a new payment; where `record` is given, only if that holds its key by now. */
export function insertPayment(
  scope: Scope,
  payment: Payment,
  record?: IdempotencyRecord,
): Statement<boolean> {
  const held = record && fromHeld(record, 9);
  return change(
    `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment)
     ${held ? `SELECT account_id, livemode, $3, $4, $5, $6, $7, $8 ${held.sql}` : "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"} RETURNING id`,
    [
      scope.accountId,
      Number(scope.livemode),
      payment.id,
      payment.status,
      payment.amount,
      payment.currency,
      payment.created,
      JSON.stringify(payment),
      ...(held?.params ?? []),
    ],
  );
}

/** Keeps a payment in `from` until the transaction is over; answers false where it no longer is. */
export function lockPayment(scope: Scope, id: string, from: Payment["status"]): Statement<boolean> {
  return change(
    `UPDATE payments SET status = status
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = $4 RETURNING id`,
    [scope.accountId, Number(scope.livemode), id, from],
  );
}

/**
 * Writes a payment over itself if it still is in `from`, and where `record` is given, only if that
 * holds its key by now; answers whether it did.
 */
export function updatePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
  record?: IdempotencyRecord,
): Statement<boolean> {
  const held = record && fromHeld(record, 7);
  return change(
    `UPDATE payments SET status = $5, payment = $6
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = $4 ${held ? `AND EXISTS (SELECT 1 ${held.sql})` : ""} RETURNING id`,
    [
      scope.accountId,
      Number(scope.livemode),
      payment.id,
      from,
      payment.status,
      JSON.stringify(payment),
      ...(held?.params ?? []),
    ],
  );
}

export function selectPayment(scope: Scope, id: string): Statement<PaymentJson | undefined> {
  return statement(
    `SELECT payment ${fromPayment}`,
    [scope.accountId, Number(scope.livemode), id],
    ([row]: PaymentRow[]) => row?.payment,
  );
}

/** Up to `limit` payments in the direction of travel: a range of one index, whatever the filter. */
export function selectPage(scope: Scope, page: PageRequest): Statement<PaymentJson[]> {
  return statement(
    `SELECT payment ${fromPage(page)}`,
    paramsOf(scope, page),
    (rows: PaymentRow[]) => rows.map(({ payment }) => payment),
  );
}

/** Whether so many payments may be too much for a page: then it is measured before it is read. */
export function mayBeTooLarge({ limit }: PageRequest): boolean {
  return limit * maxPaymentBytes > maxPageBytes;
}

export function isTooLarge(scope: Scope, page: PageRequest): Statement<boolean> {
  return statement(
    `SELECT SUM(bytes) AS bytes FROM (SELECT octet_length(payment) AS bytes ${fromPage(page)}) AS found`,
    paramsOf(scope, page),
    ([row]: { bytes: number | null }[]) => (row?.bytes ?? 0) > maxPageBytes,
  );
}

/** The first payment with which a page is too large. */
export function selectFirstBeyond(scope: Scope, page: PageRequest): Statement<string | undefined> {
  return statement(
    `SELECT id, octet_length(payment) AS bytes ${fromPage(page)}`,
    paramsOf(scope, page),
    (rows: { id: string; bytes: number }[]) => {
      let sum = 0;
      return rows.find(({ bytes }) => (sum += bytes) > maxPageBytes)?.id;
    },
  );
}

function fromPage({ status, direction }: PageRequest): string {
  return `FROM payments
     WHERE account_id = $1 AND livemode = $2 AND id COLLATE "C" < $3 AND id COLLATE "C" > $4 ${status ? "AND status = $6" : ""}
     ORDER BY id COLLATE "C" ${direction === "forward" ? "DESC" : "ASC"} LIMIT $5`;
}

function paramsOf(scope: Scope, { below, above, limit, status }: PageRequest): Value[] {
  const range = [scope.accountId, Number(scope.livemode), below, above, limit];
  return status ? [...range, status] : range;
}
