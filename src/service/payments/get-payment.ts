import { ServiceError } from "../../contract/error.ts";
import { parseSeveral, paymentIdPattern, paymentStatuses } from "../../contract/field-values.ts";
import type { ListPaymentsQuery } from "../../contract/list-payments.ts";
import type { PaymentJson } from "../../contract/payment.ts";
import type { Delivery, ListAllDeliveriesQuery } from "../../contract/delivery.ts";
import { toIdBound } from "../database/ids.ts";
import { type Listed, resolveRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import { listDeliveriesOfEvents } from "../webhooks/event-log.ts";
import { toPaymentFilter } from "../search/payment-terms.ts";
import type { StoredCharge } from "./charges-sql.ts";
import type { Payment } from "./payment-state.ts";
import type { PaymentsService } from "./payments-store.ts";

/** Retrieves a payment by id (specification: retrieve a payment). Errors: resource_missing. */
export async function getPayment(
  service: PaymentsService,
  scope: Scope,
  id: string,
): Promise<PaymentJson> {
  const payment = paymentIdPattern.test(id)
    ? await service.store.findPayment(scope, id)
    : undefined;
  if (!payment) throw missingPaymentError();
  return payment;
}

/** Those of the payments with these ids that exist in the account and mode, in no order. */
export async function findPayments(
  { store }: PaymentsService,
  scope: Scope,
  ids: readonly string[],
): Promise<Payment[]> {
  const known = ids.filter((id) => paymentIdPattern.test(id));
  if (known.length === 0) return [];
  return (await store.findPayments(scope, known)).map((json) => JSON.parse(json) as Payment);
}

/**
 * When the bank began to ask the customer of a payment, in Unix milliseconds; null where no bank asks at the moment.
 * Only a pending payment with a page and a card is looked up further.
 */
export async function findChallengeStart(
  { store }: PaymentsService,
  scope: Scope,
  json: PaymentJson,
): Promise<number | null> {
  if (!json.includes('"status":"pending"')) return null;
  const { id, status, card, redirect_url: page } = JSON.parse(json) as Payment;
  if (status !== "pending" || card === null || page === null) return null;
  const charge = await store.findCharge(scope, id);
  return charge && charge.challengeUrl !== null ? charge.challengedAtMs : null;
}

/** Retrieves a payment with its charge. Errors: resource_missing. */
export async function getPaymentWithCharge(
  service: PaymentsService,
  scope: Scope,
  id: string,
): Promise<{ payment: PaymentJson; charge: StoredCharge | undefined }> {
  const found = paymentIdPattern.test(id)
    ? await service.store.findPaymentWithCharge(scope, id)
    : undefined;
  if (!found) throw missingPaymentError();
  return found;
}

/**
 * One error for an unknown or malformed id and for a payment of another mode or account, so that it reveals nothing.
 */
export function missingPaymentError(param = "id"): ServiceError {
  return new ServiceError(
    "resource_missing",
    "There is no payment with this id in this mode. Check the id, and that the key is of the mode in which the payment was created.",
    param,
  );
}

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
    statuses: parseSeveral(query.status, paymentStatuses),
    filter: toPaymentFilter(query),
    since: gte === undefined ? "" : toIdBound("pay_", gte),
  });
}

/**
 * One page of the deliveries of a payment's events, or of one event, to every endpoint, newest first in both
 * directions. Errors: resource_missing, parameter_invalid where the cursor names no delivery.
 */
export async function listAllDeliveries(
  service: PaymentsService,
  scope: Scope,
  query: ListAllDeliveriesQuery,
): Promise<Listed<Delivery>> {
  const { payment } = query;
  if (payment !== undefined && !(await service.store.findPayment(scope, payment)))
    throw missingPaymentError("payment");
  return await listDeliveriesOfEvents(service, scope, query);
}
