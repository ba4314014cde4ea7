import { findBrand } from "../../contract/card.ts";
import type {
  Card,
  CardInput,
  CreatePaymentBody,
  Payment as AnyPayment,
} from "../../contract/payment.ts";
import { type DeclineCode, declineMessages } from "../../contract/field-values.ts";

/**
 * A payment is what the API shows of it, split by status into what each status guarantees
 * (specification: States and transitions). Amounts are minor units, times Unix seconds.
 */
type Common = Omit<
  AnyPayment,
  "status" | "decline_code" | "decline_message" | "succeeded_at" | "failed_at" | "refunded_at"
>;
type NotDeclined = { decline_code: null; decline_message: null; failed_at: null };

export type PendingPayment = Common &
  NotDeclined & { status: "pending"; succeeded_at: null; refunded_at: null };
export type SucceededPayment = Common &
  NotDeclined & { status: "succeeded"; card: Card; succeeded_at: number; refunded_at: null };
export type FailedPayment = Common & {
  status: "failed";
  decline_code: DeclineCode;
  decline_message: string;
  failed_at: number;
  succeeded_at: null;
  refunded_at: null;
};
export type RefundedPayment = Common &
  NotDeclined & { status: "refunded"; card: Card; succeeded_at: number; refunded_at: number };
export type Payment = PendingPayment | SucceededPayment | FailedPayment | RefundedPayment;

/** The details of a payment that has no status yet. */
export type Draft = Omit<Common, "object">;

/** A payment on a page that its customer has not paid yet, and one whose card is being processed. */
export type AwaitedPayment = PendingPayment & { card: null };
export type ProcessingPayment = PendingPayment & { card: Card };

export type RefundRefusal = "payment_not_refundable" | "payment_already_refunded";
/** Why a card, a cancellation or an expiry of a payment on a page is refused. */
export type PageRefusal = "payment_being_processed" | "payment_has_ended";

/** A payment whose outcome is not known yet. Its id and time may be made after its draft. */
export function beginPayment<C extends Card | null>(
  draft: Draft & { card: C },
  { id, created }: Pick<Draft, "id" | "created"> = draft,
): PendingPayment & { card: C } {
  return {
    id,
    object: "payment",
    amount: draft.amount,
    currency: draft.currency,
    status: "pending",
    description: draft.description,
    card: draft.card,
    customer: draft.customer,
    metadata: draft.metadata,
    decline_code: null,
    decline_message: null,
    redirect_url: draft.redirect_url,
    refunded_at: null,
    succeeded_at: null,
    failed_at: null,
    created,
    livemode: draft.livemode,
  };
}

/** pending → succeeded: the network approved the card. */
export function succeedPayment(payment: PendingPayment, card: Card, at: number): SucceededPayment {
  return { ...payment, status: "succeeded", card, succeeded_at: clampToCreation(payment, at) };
}

/** pending → failed: the network declined the card, or the customer did not pay in time. */
export function failPayment(payment: PendingPayment, code: DeclineCode, at: number): FailedPayment {
  return {
    ...payment,
    status: "failed",
    decline_code: code,
    decline_message: declineMessages[code],
    failed_at: clampToCreation(payment, at),
  };
}

/** Adds the card that the customer entered on the payment's page, and the name on it where the customer has none. */
export function takeCard(
  payment: Payment,
  card: Card,
  holderName: string,
): ProcessingPayment | PageRefusal {
  const unpaid = requireAwaited(payment);
  if (typeof unpaid === "string") return unpaid;
  const { customer } = unpaid;
  return { ...unpaid, card, customer: { ...customer, name: customer.name || holderName } };
}

/** The decline code of a payment that was canceled: by its customer on the page, or by the merchant. */
export type CancelReason = Extract<DeclineCode, "customer_canceled" | "canceled">;

/** pending → failed: the customer or the merchant canceled the payment. */
export function cancel(
  payment: Payment,
  reason: CancelReason,
  at: number,
): FailedPayment | PageRefusal {
  return payment.status === "pending" ? failPayment(payment, reason, at) : "payment_has_ended";
}

/** pending → failed: the page expired unpaid. */
export function expirePayment(payment: Payment, at: number): FailedPayment | PageRefusal {
  return payment.status === "pending"
    ? failPayment(payment, "hpp_expired", at)
    : "payment_has_ended";
}

/** A pending payment with a card is being processed: only the network's answer changes it. */
function requireAwaited(payment: Payment): AwaitedPayment | PageRefusal {
  switch (payment.status) {
    case "pending":
      return payment.card ? "payment_being_processed" : { ...payment, card: null };
    case "succeeded":
    case "failed":
    case "refunded":
      return "payment_has_ended";
    default:
      return payment satisfies never;
  }
}

/** succeeded → refunded: the whole amount goes back. */
export function refund(payment: Payment, at: number): RefundedPayment | RefundRefusal {
  switch (payment.status) {
    case "succeeded":
      return { ...payment, status: "refunded", refunded_at: Math.max(payment.succeeded_at, at) };
    case "refunded":
      return "payment_already_refunded";
    case "pending":
    case "failed":
      return "payment_not_refundable";
    default:
      return payment satisfies never;
  }
}

/**
 * The payment that a request asks for, as the API returns it, without an id: a customer without a name has that of the
 * card's holder.
 */
export function draftPayment<C extends Card | null>(
  { amount, currency, description, customer, metadata }: Omit<CreatePaymentBody, "card">,
  { card, redirect_url, livemode }: Pick<Draft, "redirect_url" | "livemode"> & { card: C },
  holderName?: string | null,
): Draft & { card: C } {
  const name = [customer?.first_name, customer?.last_name].filter((part) => part).join(" ");
  return {
    id: "",
    amount,
    currency,
    description: description ?? null,
    card,
    customer: { email: customer?.email ?? "", name: name || (holderName ?? "") },
    metadata: metadata ?? {},
    redirect_url,
    created: 0,
    livemode,
  };
}

/** The stored part of a card: never the number, never the security code. Only the network knows the `country`. */
export function maskCard(
  card: Pick<CardInput, "number" | "exp_month" | "exp_year">,
  country: string,
): Card {
  return {
    brand: findBrand(card.number),
    last4: card.number.slice(-4),
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    country,
  };
}

/** A payment for those who may not pay or cancel it: with the address of its open page, anyone can. */
export function withholdPage<P extends Pick<AnyPayment, "redirect_url">>(payment: P): P {
  return { ...payment, redirect_url: null };
}

/** A clock may be set back, but a payment never succeeds or fails before it was created. */
function clampToCreation(payment: Common, at: number): number {
  return Math.max(payment.created, at);
}
