import type { PaymentJson } from "../../contract/payment.ts";
import {
  type Statement,
  type Value,
  changeOne,
  countChanges,
  createStatement,
  lookUp,
} from "../database/driver.ts";
import { type Scope, splitIntoSets, toValueList, whereScope } from "../database/scope.ts";
import type { IdempotencyRecord } from "../idempotency/idempotency-record.ts";
import { ifLocked } from "../idempotency/idempotency-records-sql.ts";
import type { PaymentRow } from "../search/search-sql.ts";
import { type NewEvent, toCreatedEventId } from "../webhooks/events-sql.ts";
import type { Payment } from "./payment-state.ts";

/**
 * Finds the payment that a statement's first three parameters name. Conditional inserts select from a row of the
 * account, because a database that shards by account refuses `INSERT … SELECT` without a table.
 */
export const fromPayment = "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3";

/** A payment, and its JSON. */
type OwnedPayment = { scope: Scope; payment: Payment; json: PaymentJson };

const insertedColumns =
  "account_id, livemode, id, status, amount, currency, created, payment, events, first_status";

/** Writes a new payment, which is its first event; with `record`, only if that has claimed its key. */
export function insertPayment(owned: OwnedPayment, record?: IdempotencyRecord): Statement<boolean> {
  const locked = record && ifLocked(record, 9);
  return changeOne(
    `INSERT INTO payments (${insertedColumns})
     ${locked ? `SELECT account_id, livemode, $3, $4, $5, $6, $7, $8, 1, $4 ${locked.sql}` : "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1, $4)"}`,
    [...toInsertedValues(owned), ...(locked?.params ?? [])],
  );
}

/** The values of the first eight inserted columns; the other two follow from them. */
function toInsertedValues({ scope, payment, json }: OwnedPayment): Value[] {
  const { id, status, amount, currency, created } = payment;
  return [...whereScope(scope), id, status, amount, currency, created, json];
}

/** Writes new payments, each of which is its first event. */
export function insertPayments(payments: OwnedPayment[]): Statement<number>[] {
  return splitIntoSets(payments).map((set) => {
    const rows = set.map((each) => toInsertedValues(each).concat(1, each.payment.status));
    const { sql, params } = toValueList(rows, 1);
    return countChanges(`INSERT INTO payments (${insertedColumns}) ${sql}`, params);
  });
}

/** Locks a payment in `from` until the transaction ends; returns false where it is in another state. */
export function lockPayment(scope: Scope, id: string, from: Payment["status"]): Statement<boolean> {
  return changeOne(
    `UPDATE payments SET status = status
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = $4`,
    [...whereScope(scope), id, from],
  );
}

/**
 * Updates a payment if it still is in `from`, and with `record`, only if that has claimed its key. Its first event
 * was written before, and `event` follows in the same transaction; there is none where the payment stays in its
 * state.
 */
export function updatePayment(
  { scope, payment, json }: OwnedPayment,
  from: Payment["status"],
  event: NewEvent | undefined,
  record?: IdempotencyRecord,
): Statement<boolean> {
  const locked = record && ifLocked(record, 8);
  return changeOne(
    `UPDATE payments SET status = $5, payment = $6,
     ${event ? "events = events + 1, last_event_id = $7" : "last_event_id = COALESCE(last_event_id, $7)"}
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = $4 ${locked ? `AND EXISTS (SELECT 1 ${locked.sql})` : ""}`,
    [
      ...whereScope(scope),
      payment.id,
      from,
      payment.status,
      json,
      event?.id ?? toCreatedEventId(payment.id),
      ...(locked?.params ?? []),
    ],
  );
}

/**
 * Locks the payments of an account and mode that are in `from` until the transaction ends, in the order of their ids,
 * so that two transactions that lock the same ones do not deadlock; returns their ids.
 */
export function lockPayments(
  scope: Scope,
  from: Payment["status"],
  ids: string[],
): Statement<string[]>[] {
  return splitIntoSets(ids.toSorted()).map((set) =>
    createStatement(
      `SELECT id FROM payments WHERE account_id = $1 AND livemode = $2 AND status = $3
       AND id IN (${set.map((_, at) => `$${at + 4}`).join(", ")}) ORDER BY id FOR UPDATE`,
      [...whereScope(scope), from, ...set],
      (rows: { id: string }[]) => rows.map(({ id }) => id),
    ),
  );
}

/** Updates locked payments of an account and mode, each with the id of its event, which follows. */
export function updatePayments(
  scope: Scope,
  changes: { payment: Payment; json: PaymentJson; event: NewEvent }[],
): Statement<number>[] {
  return splitIntoSets(changes).map((set) => {
    const rows = set.map(({ payment, json, event }) => [
      payment.id,
      payment.status,
      json,
      event.id,
    ]);
    const { sql, params } = toValueList(rows, 3, ["TEXT", "TEXT", "TEXT", "TEXT"]);
    return countChanges(
      `WITH change (id, status, payment, event_id) AS (${sql})
       UPDATE payments SET status = change.status, payment = change.payment, events = events + 1, last_event_id = change.event_id
       FROM change WHERE payments.account_id = $1 AND payments.livemode = $2 AND payments.id = change.id`,
      [...whereScope(scope), ...params],
    );
  });
}

export function selectPayment(scope: Scope, id: string): Statement<PaymentJson | undefined> {
  return lookUp(
    { table: "payments", key: "id", columns: "payment" },
    [...whereScope(scope), id],
    (row: PaymentRow | undefined) => row?.payment,
  );
}
