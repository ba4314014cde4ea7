import { randomUUID } from "node:crypto";
import type { Stripe } from "stripe";
import { findBrand, isLuhnValid } from "../../../src/contract/card.ts";

// An account at Stripe, after Stripe's published API: its state and its operations. Its objects are complete, as the
// types of the library require.

export type Reply = { status: number; body: object };
/** Form fields, under names such as `card[number]`. */
export type Params = Record<string, string>;

type Operation = {
  name: "create" | "card" | "retrieve" | "confirm" | "cancel" | "refund";
  method: "GET" | "POST";
  path: RegExp;
  /** The fields that may be sent, without an index in a list. */
  params: string[];
  required?: string[];
  /** Returns a refusal before the operation begins. */
  check?: (params: Params) => Reply | undefined;
};
export type OperationName = Operation["name"];

/** The requests to Stripe that an adapter uses. */
export const operations: Operation[] = [
  {
    name: "create",
    method: "POST",
    path: /^\/v1\/payment_intents$/,
    params: [
      "amount",
      "currency",
      "allowed_payment_method_types[]",
      "description",
      "metadata[payment_id]",
      "expand[]",
    ],
    required: ["amount", "currency"],
    check: ({ amount }) =>
      Number(amount) >= minAmount ? undefined : refuseRequest("amount_too_small", "amount"),
  },
  {
    name: "card",
    method: "POST",
    path: /^\/v1\/payment_methods$/,
    params: [
      "type",
      "card[number]",
      "card[exp_month]",
      "card[exp_year]",
      "card[cvc]",
      "billing_details[name]",
    ],
    required: ["type"],
  },
  {
    name: "retrieve",
    method: "GET",
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    params: ["expand[]"],
  },
  {
    name: "confirm",
    method: "POST",
    path: /^\/v1\/payment_intents\/([^/]+)\/confirm$/,
    params: ["payment_method", "expand[]"],
  },
  {
    name: "cancel",
    method: "POST",
    path: /^\/v1\/payment_intents\/([^/]+)\/cancel$/,
    params: ["cancellation_reason", "expand[]"],
  },
  {
    name: "refund",
    method: "POST",
    path: /^\/v1\/refunds$/,
    params: ["payment_intent", "amount", "expand[]"],
  },
];

/** The outcomes of Stripe's test cards that are not approved. */
const fates: Record<string, Pick<Stripe.StripeRawError, "code" | "decline_code">> = {
  "4000000000000002": { code: "card_declined", decline_code: "generic_decline" },
  "4000000000009995": { code: "card_declined", decline_code: "insufficient_funds" },
  "4000000000009987": { code: "card_declined", decline_code: "lost_card" },
  "4000000000000069": { code: "expired_card", decline_code: "expired_card" },
  "4000000000000127": { code: "incorrect_cvc", decline_code: "incorrect_cvc" },
  "4000000000000119": { code: "processing_error", decline_code: "processing_error" },
  // A decline that none of Stripe's cards has.
  "4000000000001000": { code: "card_declined", decline_code: "authentication_required" },
};
export const cardRequiringAction = "4000002760003184";
/** A card whose refunds stay pending for a while. */
export const cardWithSlowRefunds = "4000000000007726";
const minAmount = 50;

type Intent = Omit<Stripe.PaymentIntent, "latest_charge"> & { latest_charge: Charge | null };
type Charge = Omit<Stripe.Charge, "refunds"> & { refunds: Stripe.ApiList<Stripe.Refund> };
type Card = { method: Stripe.PaymentMethod; number: string };

export class StripeAccount {
  readonly intents = new Map<string, Intent>();
  readonly #cards = new Map<string, Card>();

  do(name: OperationName, id: string, params: Params): Reply {
    switch (name) {
      case "create":
        return this.#create(params);
      case "card":
        return this.#storeCard(params);
      case "retrieve":
        return this.#with(id, (intent) => ({ status: 200, body: toResponse(intent, params) }));
      case "confirm":
        return this.#with(id, (intent) => this.#confirm(intent, params));
      case "cancel":
        return this.#with(id, (intent) => cancel(intent, params));
      default:
        return this.#with(params["payment_intent"] ?? "", (intent) => this.#refund(intent));
    }
  }

  /** The intents of a payment. */
  of(paymentId: string): Intent[] {
    return [...this.intents.values()].filter(
      ({ metadata }) => metadata["payment_id"] === paymentId,
    );
  }

  #with(id: string, act: (intent: Intent) => Reply): Reply {
    const intent = this.intents.get(id);
    return intent ? act(intent) : refuseRequest("resource_missing", "intent", 404);
  }

  #create(params: Params): Reply {
    const intent = newIntent(params);
    this.intents.set(intent.id, intent);
    return { status: 200, body: toResponse(intent, params) };
  }

  #storeCard(params: Params): Reply {
    const number = params["card[number]"] ?? "";
    if (!isLuhnValid(number)) {
      return failure(402, { type: "card_error", code: "incorrect_number", param: "number" });
    }
    const method = newMethod(number, params);
    this.#cards.set(method.id, { method, number });
    return { status: 200, body: method };
  }

  #confirm(intent: Intent, params: Params): Reply {
    if (intent.status !== "requires_payment_method") return unexpectedState(intent);
    const card = this.#cards.get(params["payment_method"] ?? "");
    if (!card) return refuseRequest("resource_missing", "payment_method");
    const { method, number } = card;
    const fate = fates[number];
    if (fate) {
      const charge = newCharge(intent, method, fate.code);
      const details = { charge: charge.id, payment_method: method };
      const error = { type: "card_error", ...fate, ...details } as const;
      intent.latest_charge = charge;
      intent.last_payment_error = error;
      return failure(402, { ...error, payment_intent: toResponse(intent) });
    }
    intent.payment_method = method.id;
    if (number === cardRequiringAction) {
      intent.status = "requires_action";
      intent.next_action = { type: "use_stripe_sdk", use_stripe_sdk: {} };
    } else {
      intent.status = "succeeded";
      intent.amount_received = intent.amount;
      intent.latest_charge = newCharge(intent, method);
    }
    return { status: 200, body: toResponse(intent, params) };
  }

  #refund(intent: Intent): Reply {
    const charge = intent.latest_charge;
    if (!charge?.paid) return refuseRequest("charge_not_refundable", "payment_intent");
    const rest = charge.amount - charge.amount_refunded;
    if (rest === 0) return refuseRequest("charge_already_refunded", "payment_intent");
    const isSlow = this.#cards.get(charge.payment_method ?? "")?.number === cardWithSlowRefunds;
    const refund = newRefund(charge, rest, isSlow ? "pending" : "succeeded");
    charge.refunds.data.unshift(refund);
    charge.amount_refunded += rest;
    charge.refunded = true;
    return { status: 200, body: structuredClone(refund) };
  }
}

/** Ends the last refund of a charge. */
export function endRefund(intent: Intent, status: "succeeded" | "failed"): void {
  const charge = intent.latest_charge;
  const [last] = charge?.refunds.data ?? [];
  if (!charge || !last) throw new Error("There is no refund.");
  last.status = status;
  if (status === "failed") {
    charge.amount_refunded -= last.amount;
    charge.refunded = false;
  }
}

function cancel(intent: Intent, params: Params): Reply {
  if (intent.status === "succeeded" || intent.status === "canceled") return unexpectedState(intent);
  intent.status = "canceled";
  intent.next_action = null;
  intent.canceled_at = now();
  intent.cancellation_reason = params["cancellation_reason"] ?? null;
  return { status: 200, body: toResponse(intent, params) };
}

/** An intent in a response: related objects are ids unless they are expanded. */
function toResponse(intent: Intent, params: Params = {}): Stripe.PaymentIntent {
  const expanded = Object.entries(params).some(
    ([name, value]) => name.startsWith("expand[") && value === "latest_charge.refunds",
  );
  const charge = intent.latest_charge;
  return structuredClone({ ...intent, latest_charge: expanded ? charge : (charge?.id ?? null) });
}

export function failure(status: number, error: Stripe.StripeRawError): Reply {
  return { status, body: { error: { message: "It cannot be done.", ...error } } };
}

export function refuseRequest(code: string, param: string, status = 400): Reply {
  return failure(status, { type: "invalid_request_error", code, param });
}

function unexpectedState(intent: Intent): Reply {
  const code = "payment_intent_unexpected_state";
  return failure(400, { type: "invalid_request_error", code, payment_intent: toResponse(intent) });
}

function newIntent(params: Params): Intent {
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

function newMethod(number: string, params: Params): Stripe.PaymentMethod {
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

function newRefund(charge: Charge, amount: number, status: string): Stripe.Refund {
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

function createId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
