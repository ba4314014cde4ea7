import type { Card } from "../../contract/payment.ts";
import type { DeclineCode } from "../../contract/decline.ts";
import { declineMessages } from "../../domain/decline.ts";
import type { Payment } from "../../domain/payment.ts";
import type { PageRequest, Scope } from "../../service/ports.ts";
import { query, type Work } from "../driver.ts";

type PaymentRow = {
  id: string;
  livemode: number;
  amount: number;
  currency: string;
  status: Payment["status"];
  description: string | null;
  card: string | null;
  customer: string;
  metadata: string;
  decline_code: DeclineCode | null;
  redirect_url: string | null;
  created: number;
  succeeded_at: number | null;
  failed_at: number | null;
  refunded_at: number | null;
};

const columns =
  "id, livemode, amount, currency, status, description, card, customer, metadata, decline_code, redirect_url, created, succeeded_at, failed_at, refunded_at";

export function* insertPayment(scope: Scope, payment: Payment): Work<void> {
  yield* query(
    `INSERT INTO payments (account_id, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      scope.accountId,
      payment.id,
      Number(scope.livemode),
      payment.amount,
      payment.currency,
      payment.status,
      payment.description,
      payment.card && JSON.stringify(payment.card),
      JSON.stringify(payment.customer),
      JSON.stringify(payment.metadata),
      payment.decline_code,
      payment.redirect_url,
      payment.created,
      payment.succeeded_at,
      payment.failed_at,
      payment.refunded_at,
    ],
  );
}

/** Writes what a transition changes, if the payment still is in `from`; answers whether it was. */
export function* updatePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
): Work<boolean> {
  const rows = yield* query(
    `UPDATE payments SET status = $1, card = $2, decline_code = $3, succeeded_at = $4, failed_at = $5, refunded_at = $6
     WHERE account_id = $7 AND livemode = $8 AND id = $9 AND status = $10 RETURNING id`,
    [
      payment.status,
      payment.card && JSON.stringify(payment.card),
      payment.decline_code,
      payment.succeeded_at,
      payment.failed_at,
      payment.refunded_at,
      scope.accountId,
      Number(scope.livemode),
      payment.id,
      from,
    ],
  );
  return rows.length === 1;
}

export function* selectPayment(scope: Scope, id: string): Work<Payment | undefined> {
  const [row] = yield* query<PaymentRow>(
    `SELECT ${columns} FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    [scope.accountId, Number(scope.livemode), id],
  );
  return row && paymentOf(row);
}

/** Up to `limit` payments in the direction of travel: a range of one index, whatever the filter. */
export function* selectPage(scope: Scope, page: PageRequest): Work<Payment[]> {
  const rows = yield* query<PaymentRow>(
    `SELECT ${columns} FROM payments
     WHERE account_id = $1 AND livemode = $2 AND id < $3 AND id > $4 ${page.status ? "AND status = $6" : ""}
     ORDER BY id ${page.direction === "forward" ? "DESC" : "ASC"} LIMIT $5`,
    [
      scope.accountId,
      Number(scope.livemode),
      page.below,
      page.above,
      page.limit,
      ...(page.status ? [page.status] : []),
    ],
  );
  return rows.map(paymentOf);
}

/** Only whole payments are ever written, so that a row's status vouches for its other columns. */
export function paymentOf(row: PaymentRow): Payment {
  return {
    id: row.id,
    object: "payment",
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    description: row.description,
    card: row.card === null ? null : (JSON.parse(row.card) as Card),
    customer: JSON.parse(row.customer) as Payment["customer"],
    metadata: JSON.parse(row.metadata) as Payment["metadata"],
    decline_code: row.decline_code,
    decline_message: row.decline_code && declineMessages[row.decline_code],
    redirect_url: row.redirect_url,
    refunded_at: row.refunded_at,
    succeeded_at: row.succeeded_at,
    failed_at: row.failed_at,
    created: row.created,
    livemode: row.livemode === 1,
  } as Payment;
}
