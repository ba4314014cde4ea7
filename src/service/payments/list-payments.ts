import type { PaymentsService } from "./payments-store.ts";
import type { ListPaymentsQuery } from "../../contract/list-payments.ts";
import { resolveRange, type Listed } from "../database/listing.ts";
import { toPaymentFilter } from "../search/payment-search.ts";
import { toIdBound } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { PaymentJson } from "../../contract/payment.ts";

/**
 * One page of payments, newest first in both directions (specification: list payments). Filters
 * apply before pagination. Errors: parameter_invalid where the cursor names no payment.
 */
export async function listPayments(
  { store }: PaymentsService,
  scope: Scope,
  query: ListPaymentsQuery,
): Promise<Listed<PaymentJson>> {
  const gte = query["created[gte]"];
  const range = await resolveRange("pay_", query, async (id) => store.findPayment(scope, id));
  return await store.listPayments(scope, {
    ...range,
    status: query.status,
    filter: toPaymentFilter(query),
    since: gte === undefined ? "" : toIdBound("pay_", gte),
  });
}
