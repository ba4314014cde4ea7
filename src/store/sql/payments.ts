import type { Payment } from "../../domain/payment.ts";
import type { PageRequest, PaymentJson, Scope } from "../../service/ports.ts";
import { query, type Work } from "../driver.ts";

type PaymentRow = { payment: PaymentJson };

export function* insertPayment(scope: Scope, payment: Payment): Work<void> {
  yield* query(
    `INSERT INTO payments (account_id, livemode, id, status, amount, currency, created, payment)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      scope.accountId,
      Number(scope.livemode),
      payment.id,
      payment.status,
      payment.amount,
      payment.currency,
      payment.created,
      JSON.stringify(payment),
    ],
  );
}

/** Writes a payment over itself if it still is in `from`; answers whether it was. */
export function* updatePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
): Work<boolean> {
  const rows = yield* query(
    `UPDATE payments SET status = $1, payment = $2
     WHERE account_id = $3 AND livemode = $4 AND id = $5 AND status = $6 RETURNING id`,
    [
      payment.status,
      JSON.stringify(payment),
      scope.accountId,
      Number(scope.livemode),
      payment.id,
      from,
    ],
  );
  return rows.length === 1;
}

export function* selectPayment(scope: Scope, id: string): Work<PaymentJson | undefined> {
  const [row] = yield* query<PaymentRow>(
    "SELECT payment FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3",
    [scope.accountId, Number(scope.livemode), id],
  );
  return row?.payment;
}

/** Up to `limit` payments in the direction of travel: a range of one index, whatever the filter. */
export function* selectPage(scope: Scope, page: PageRequest): Work<PaymentJson[]> {
  const rows = yield* query<PaymentRow>(
    `SELECT payment FROM payments
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
  return rows.map(({ payment }) => payment);
}
