import { toCreatedEventIdSql } from "../database/ids.ts";
import type { PaymentJson, PaymentStatus } from "../../contract/payment.ts";
import {
  type Statement,
  type Value,
  countChanges,
  createLookUp,
  lockRows,
} from "../database/driver.ts";
import {
  createRowsText,
  createSetText,
  listParams,
  listValues,
  splitIntoSets,
  type Scope,
  whereScope,
} from "../database/scope.ts";
import {
  type IdempotencyRecord,
  existsClaimed,
  ifClaimed,
} from "../idempotency/idempotency-store.ts";
import type { PaymentRow } from "../search/search-sql.ts";
import type { NewEvent } from "../webhooks/events-sql.ts";
import type { Payment } from "./payment-state.ts";

/** Finds the payment that a statement's first three parameters name. */
export const fromPayment = "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3";

/** A payment, and its JSON. */
export type OwnedPayment = { scope: Scope; payment: Payment; json: PaymentJson };

const insertedColumns =
  "account_id, livemode, id, status, amount, currency, created, payment, events, first_status, decline_code";

const insertText = createSetText(
  (rows) => `INSERT INTO payments (${insertedColumns}) ${listValues(rows, 11, 1)}`,
);

const insertClaimedText = `INSERT INTO payments (${insertedColumns})
  SELECT account_id, livemode, $3, $4, $5, $6, $7, $8, CAST($9 AS BIGINT), $10, $11 FROM idempotency_records WHERE `;

/**
 * Writes new payments, each of which is its first event. With `record`, the one payment is written only if that has
 * claimed its key. It is inserted from a row of the account, because a database that shards by account refuses
 * `INSERT … SELECT` without a table.
 */
export function insertPayments(
  payments: OwnedPayment[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  return splitIntoSets(payments).map((set) => {
    const rows = set.flatMap(toInsertedValues);
    if (!record) return countChanges(insertText(set.length), rows);
    const claimed = ifClaimed(record, 12);
    return countChanges(insertClaimedText + claimed.sql, [...rows, ...claimed.params]);
  });
}

function toInsertedValues({ scope, payment, json }: OwnedPayment): Value[] {
  const { id, status, amount, currency, created, decline_code: code } = payment;
  return [...whereScope(scope), id, status, amount, currency, created, json, 1, status, code];
}

const lockText = createSetText(
  (rows) => `SELECT id FROM payments WHERE account_id = $1 AND livemode = $2 AND status = $3
   AND id IN (${listParams(rows, 4)}) ORDER BY id`,
);

/**
 * Locks the payments of an account and mode that are in `from` until the transaction ends, in the order of their ids,
 * so that two transactions that lock the same ones do not deadlock; returns their ids.
 */
export function lockPayments(
  scope: Scope,
  from: PaymentStatus,
  changes: { payment: { id: string } }[],
): Statement<string[]>[] {
  return splitIntoSets(changes.map(({ payment }) => payment.id).toSorted()).map((set) =>
    lockRows(lockText(set.length), [...whereScope(scope), from, ...set], (rows: { id: string }[]) =>
      rows.map(({ id }) => id),
    ),
  );
}

/** A payment's next state; without an event it stays in its state. */
export type PaymentChange = OwnedPayment & {
  event: NewEvent | undefined;
};

const updateText = createRowsText(
  "change",
  { id: "TEXT", status: "TEXT", payment: "TEXT", decline_code: "TEXT", event_id: "TEXT" },
  4,
  `UPDATE payments SET status = change.status, payment = change.payment, decline_code = change.decline_code,
     events = events + CASE WHEN change.event_id IS NULL THEN 0 ELSE 1 END,
     last_event_id = COALESCE(change.event_id, last_event_id, ${toCreatedEventIdSql("payments.id")})
   FROM change WHERE payments.account_id = $1 AND payments.livemode = $2 AND payments.id = change.id AND payments.status = $3`,
);

/**
 * Updates payments of an account and mode that still are in `from`. Their first events were written before, and their
 * next ones follow in the same transaction. With `record`, the one payment is updated only if that has claimed its key.
 */
export function updatePayments(
  scope: Scope,
  from: PaymentStatus,
  changes: PaymentChange[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  return splitIntoSets(changes).map((set) => {
    const rows = set.flatMap(({ payment, json, event }) => [
      payment.id,
      payment.status,
      json,
      payment.decline_code,
      event?.id ?? null,
    ]);
    const claimed = existsClaimed(record, 4 + rows.length);
    return countChanges(updateText(set.length) + claimed.sql, [
      ...whereScope(scope),
      from,
      ...rows,
      ...claimed.params,
    ]);
  });
}

const lookUpPayment = createLookUp("payments", "id", "payment");

export function selectPayment(scope: Scope, id: string): Statement<PaymentJson | undefined> {
  return lookUpPayment([...whereScope(scope), id], (row: PaymentRow | undefined) => row?.payment);
}
