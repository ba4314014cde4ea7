import type { Payment } from "../../contract/payment.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import { maxPageBytes, type Listed, type Range } from "../domain/list-range.ts";
import { matchesFilter, type PaymentFilter } from "../domain/payment-search.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { PaymentJson } from "../ports/payment-store.ts";
import { query, type Driver } from "./driver.ts";
import { selectRange } from "./listing.ts";
import { paymentsTable } from "./sql/payments-sql.ts";

type Search = Range & { status: PaymentStatus | undefined; filter: PaymentFilter };

export async function searchPayments(
  driver: Driver,
  scope: Scope,
  { status, filter, ...range }: Search,
): Promise<Listed<PaymentJson>> {
  const found: PaymentJson[] = [];
  let bytes = 0;
  let left = range;
  for (;;) {
    const part = selectRange(paymentsTable, scope, { ...left, limit: 100 }, { status });
    const payments = await driver.read(() => query(part), scope.accountId);
    for (const json of payments) {
      const payment = JSON.parse(json) as Payment;
      left =
        range.direction === "forward"
          ? { ...left, below: payment.id }
          : { ...left, above: payment.id };
      if (!matchesFilter(payment, filter)) continue;
      bytes += Buffer.byteLength(json);
      if (found.length === range.limit || (bytes > maxPageBytes && found.length > 0)) {
        return { items: range.direction === "forward" ? found : found.toReversed(), hasMore: true };
      }
      found.push(json);
    }
    if (payments.length < 100) break;
  }
  return { items: range.direction === "forward" ? found : found.toReversed(), hasMore: false };
}
