import type { ListPaymentsQuery } from "../../contract/list.ts";
import { rangeOf, type Listed } from "./listed-range.ts";
import type { Scope } from "./kept-answers.ts";
import type { PaymentJson } from "./payment-store.ts";
import type { Ports } from "./ports.ts";

/**
 * One page of payments, newest first in both directions (specification: list payments). Filters
 * apply before pagination. Errors: parameter_invalid where the cursor names no payment.
 */
export async function listPayments(
  { store }: Ports,
  scope: Scope,
  query: ListPaymentsQuery,
): Promise<Listed<PaymentJson>> {
  const range = await rangeOf("pay_", query, async (id) => store.findPayment(scope, id));
  return await store.listPayments(scope, { ...range, status: query.status });
}
