import { randomUUID } from "node:crypto";
import type { Stripe } from "stripe";
import { findBrand } from "../../../src/contract/card.ts";

// New objects at Stripe: complete, as the types of the library require.

export type Intent = Omit<Stripe.PaymentIntent, "latest_charge" | "payment_method"> & {
  latest_charge: Charge | null;
  payment_method: string | null;
};
export type Charge = Omit<Stripe.Charge, "refunds"> & { refunds: Stripe.ApiList<Stripe.Refund> };

export function newIntent(params: Params): Intent {
  const id = createId("pi");
  return {
    id,
    object: "payment_intent",
    allowed_payment_method_types: ["card"],
    amount: Number(params["amount"]),
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    client_secret: `${id}_secret_1`,
    confirmation_method: "automatic",
    created: now(),
    currency: params["currency"] ?? "",
    customer: null,
    customer_account: null,
    description: params["description"] ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: { payment_id: params["metadata[payment_id]"] ?? "" },
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_data: null,
    transfer_group: null,
  };
}

export function newMethod(number: string, params: Params): Stripe.PaymentMethod {
  const brand = findBrand(number);
  return {
    id: createId("pm"),
    object: "payment_method",
    billing_details: {
      address: null,
      email: null,
      name: params["billing_details[name]"] ?? null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand,
      checks: null,
      country: "US",
      display_brand: brand,
      exp_month: Number(params["card[exp_month]"]),
      exp_year: Number(params["card[exp_year]"]),
      funding: "credit",
      generated_from: null,
      last4: number.slice(-4),
      networks: null,
      regulated_status: null,
      three_d_secure_usage: null,
      wallet: null,
    },
    created: now(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: "card",
  };
}

function newCharge(intent: Intent, method: Stripe.PaymentMethod, failureCode?: string): Charge {
  const id = createId("ch");
  const isPaid = failureCode === undefined;
  return {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: isPaid ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: null,
    captured: isPaid,
    created: now(),
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failureCode ?? null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    refunds: { object: "list", data: [], has_more: false, url: `/v1/charges/${id}/refunds` },
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isPaid ? "succeeded" : "failed",
    transfer_data: null,
    transfer_group: null,
  };
}

export function newRefund(charge: Charge, amount: number, status: string): Stripe.Refund {
  return {
    id: createId("re"),
    object: "refund",
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: now(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  };
}

/** A change of the balance by a charge, a refund or a dispute, whose intent is expanded. */
export function newTransaction(
  category: string,
  source: Pick<Stripe.Charge | Stripe.Refund, "id" | "amount" | "currency" | "created">,
  intent: Stripe.PaymentIntent | null = null,
): Stripe.BalanceTransaction {
  const { id, currency, created } = source;
  const amount = category === "charge" ? source.amount : -source.amount;
  return {
    id: `txn_${id}`,
    object: "balance_transaction",
    amount,
    available_on: created,
    balance_type: "payments",
    created,
    currency,
    description: null,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: category,
    source: { ...source, payment_intent: intent } as Stripe.Charge,
    status: "available",
    type: category === "charge" ? "charge" : "adjustment",
  };
}

function createId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

export function now(): number {
  return Math.floor(Date.now() / 1000);
}

// The effect of Stripe's test cards on an intent.

export type Card = { method: Stripe.PaymentMethod; number: string };

/** The outcomes of Stripe's test cards that are not approved. */
const fates: Record<string, Pick<Stripe.StripeRawError, "code" | "decline_code">> = {
  "4000000000000002": { code: "card_declined", decline_code: "generic_decline" },
  "4000000000009995": { code: "card_declined", decline_code: "insufficient_funds" },
  "4000000000009987": { code: "card_declined", decline_code: "lost_card" },
  "4000000000000069": { code: "expired_card", decline_code: "expired_card" },
  "4000000000000127": { code: "incorrect_cvc", decline_code: "incorrect_cvc" },
  "4000000000000119": { code: "processing_error", decline_code: "processing_error" },
  "4000008260003178": { code: "card_declined", decline_code: "insufficient_funds" },
  // A decline that none of Stripe's cards has.
  "4000000000001000": { code: "card_declined", decline_code: "authentication_required" },
};
/** A card whose refunds stay pending for a while. */
export const cardWithSlowRefunds = "4000000000007726";
/** A card whose bank asks the customer. */
export const cardRequiringAction = "4000002760003184";
/** A card whose bank asks the customer only through Stripe's script in the browser. */
export const cardRequiringScript = "4000000000003220";
/** A card that its bank declines after the customer has approved. */
export const cardDeclinedAfterAction = "4000008260003178";
/** A card that is processed for a while after the customer has approved; none of Stripe's. */
export const cardProcessedAfterAction = "4000002760004109";
export const cardsRequiringAction: ReadonlySet<string> = new Set([
  cardRequiringAction,
  cardRequiringScript,
  cardDeclinedAfterAction,
  cardProcessedAfterAction,
]);

/** Charges a card; returns the error where it is declined. */
export function chargeCard(
  intent: Intent,
  { method, number }: Card,
): Stripe.StripeRawError | undefined {
  const fate = fates[number];
  const charge = newCharge(intent, method, fate?.code);
  intent.latest_charge = charge;
  if (fate) {
    const details = { charge: charge.id, payment_method: method };
    const error = { type: "card_error", ...fate, ...details } as const;
    failAttempt(intent, error);
    return error;
  }
  if (number === cardProcessedAfterAction) {
    intent.status = "processing";
    Object.assign(charge, { paid: false, status: "pending" });
    return undefined;
  }
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  return undefined;
}

/** Ends the processing of a charge. */
export function endProcessing(intent: Intent): void {
  const charge = intent.latest_charge;
  if (intent.status !== "processing" || !charge) throw new Error("Nothing is processed.");
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  Object.assign(charge, { paid: true, status: "succeeded" });
}

/** The customer has failed at the bank, or refused: no charge is made. */
export function failAuthentication(intent: Intent, { method }: Card): void {
  failAttempt(intent, {
    type: "invalid_request_error",
    code: "payment_intent_authentication_failure",
    payment_method: method,
  });
}

/** Another card may be sent after an attempt that failed. */
function failAttempt(intent: Intent, error: Stripe.PaymentIntent.LastPaymentError): void {
  intent.status = "requires_payment_method";
  intent.payment_method = null;
  intent.last_payment_error = error;
}

/** Form fields, under names such as `card[number]`. */
export type Params = Record<string, string>;
