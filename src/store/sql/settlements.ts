import type { Payment } from "../../domain/payment.ts";
import type { Backlog, DuePayment, Scope } from "../../service/ports.ts";
import { query, type Work } from "../driver.ts";
import { selectPayment } from "./payments.ts";

type SettlementRow = {
  account_id: string;
  livemode: number;
  payment_id: string;
  reference: string;
};

export function* insertSettlement(
  scope: Scope,
  paymentId: string,
  settlement: { reference: string; dueAtMs: number },
): Work<void> {
  yield* query(
    "INSERT INTO settlements (account_id, livemode, payment_id, reference, due_at_ms) VALUES ($1, $2, $3, $4, $5)",
    [scope.accountId, Number(scope.livemode), paymentId, settlement.reference, settlement.dueAtMs],
  );
}

export function* deleteSettlement(scope: Scope, paymentId: string): Work<void> {
  yield* query(
    "DELETE FROM settlements WHERE account_id = $1 AND livemode = $2 AND payment_id = $3",
    [scope.accountId, Number(scope.livemode), paymentId],
  );
}

export function* postponeSettlement(scope: Scope, paymentId: string, dueAtMs: number): Work<void> {
  yield* query(
    "UPDATE settlements SET due_at_ms = $1 WHERE account_id = $2 AND livemode = $3 AND payment_id = $4",
    [dueAtMs, scope.accountId, Number(scope.livemode), paymentId],
  );
}

export function* selectDue(nowMs: number, limit: number): Work<DuePayment[]> {
  const rows = yield* query<SettlementRow>(
    "SELECT account_id, livemode, payment_id, reference FROM settlements WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT $2",
    [nowMs, limit],
  );
  const due: DuePayment[] = [];
  for (const row of rows) {
    const scope = { accountId: row.account_id, livemode: row.livemode === 1 };
    const json = yield* selectPayment(scope, row.payment_id);
    const payment = json === undefined ? undefined : (JSON.parse(json) as Payment);
    if (payment?.status === "pending") due.push({ scope, payment, reference: row.reference });
  }
  return due;
}

/** Counts no further than this, so that asking costs little however much is due. */
const maxCounted = 10_000;

export function* selectBacklog(nowMs: number): Work<Backlog> {
  const [row] = yield* query<{ due: number; oldest: number | null }>(
    `SELECT COUNT(*) AS due, MIN(due_at_ms) AS oldest FROM
     (SELECT due_at_ms FROM settlements WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT ${maxCounted}) longest`,
    [nowMs],
  );
  return { due: row?.due ?? 0, oldestDueAtMs: row?.oldest ?? undefined };
}
