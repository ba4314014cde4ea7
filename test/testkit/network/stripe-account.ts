import type { Stripe } from "stripe";
import { isLuhnValid } from "../../../src/contract/card.ts";
import {
  type Card,
  type Intent,
  type Params,
  cardRequiringScript,
  cardWithSlowRefunds,
  cardsRequiringAction,
  chargeCard,
  failAuthentication,
  newIntent,
  newMethod,
  newRefund,
  newTransaction,
  now,
} from "./stripe-objects.ts";

// An account at Stripe, after Stripe's published API: its state and its operations.

export class StripeAccount {
  readonly intents = new Map<string, Intent>();
  /** Changes of the balance that no request makes: disputes, payouts, fees. */
  readonly otherTransactions: Stripe.BalanceTransaction[] = [];
  readonly #cards = new Map<string, Card>();
  readonly #bankUrlOf: (intentId: string) => string;

  /** `bankUrlOf`: the page on which the bank asks about an intent. */
  constructor(bankUrlOf: (intentId: string) => string) {
    this.#bankUrlOf = bankUrlOf;
  }

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
      case "transactions":
        return this.#listTransactions(params);
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

  /** The customer decides at the bank. Returns the address to go back to, undefined where nothing is asked. */
  decideAtBank(intentId: string, isApproved: boolean): URL | undefined {
    const intent = this.intents.get(intentId);
    const back = URL.parse(intent?.next_action?.redirect_to_url?.return_url ?? "");
    const card = this.#cards.get(intent?.payment_method ?? "");
    if (!intent || !back || !card) return undefined;
    intent.next_action = null;
    if (isApproved) chargeCard(intent, card);
    else failAuthentication(intent, card);
    back.searchParams.set("payment_intent", intent.id);
    back.searchParams.set("payment_intent_client_secret", intent.client_secret ?? "");
    const isFailed = intent.status === "requires_payment_method";
    back.searchParams.set("redirect_status", isFailed ? "failed" : "succeeded");
    return back;
  }

  #with(id: string, act: (intent: Intent) => Reply): Reply {
    const intent = this.intents.get(id);
    return intent ? act(intent) : refuseRequest("resource_missing", "intent", 404);
  }

  /** Newest first, with their sources and the intents of these. */
  #listTransactions(params: Params): Reply {
    const all = [...this.intents.values()].flatMap((intent) => {
      const charge = intent.latest_charge;
      if (!charge?.paid) return [];
      const about = toResponse(intent);
      const refunds = charge.refunds.data.map((each) => newTransaction("refund", each, about));
      return refunds.concat(newTransaction("charge", charge, about));
    });
    const from = Number(params["created[gte]"] ?? 0);
    const to = Number(params["created[lt]"] ?? Number.POSITIVE_INFINITY);
    const found = [...all, ...this.otherTransactions]
      .filter(({ created }) => created >= from && created < to)
      .toSorted((one, other) => other.created - one.created || (one.id < other.id ? 1 : -1));
    const start = found.findIndex(({ id }) => id === params["starting_after"]) + 1;
    const end = start + Number(params["limit"] ?? 10);
    const body = {
      object: "list",
      url: "/v1/balance_transactions",
      data: found.slice(start, end),
      has_more: end < found.length,
    };
    return { status: 200, body };
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
    intent.payment_method = card.method.id;
    if (cardsRequiringAction.has(card.number)) {
      const { return_url } = params;
      intent.status = "requires_action";
      intent.next_action =
        return_url === undefined || card.number === cardRequiringScript
          ? { type: "use_stripe_sdk", use_stripe_sdk: {} }
          : {
              type: "redirect_to_url",
              redirect_to_url: { return_url, url: this.#bankUrlOf(intent.id) },
            };
    } else {
      const error = chargeCard(intent, card);
      if (error) return failure(402, { ...error, payment_intent: toResponse(intent) });
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

function unexpectedState(intent: Intent): Reply {
  const code = "payment_intent_unexpected_state";
  return failure(400, { type: "invalid_request_error", code, payment_intent: toResponse(intent) });
}

// The requests to Stripe that an adapter uses, and their parameters, after Stripe's published API.

export type Reply = { status: number; body: object };

type Operation = {
  name: "create" | "card" | "retrieve" | "confirm" | "cancel" | "refund" | "transactions";
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
    params: ["payment_method", "return_url", "expand[]"],
    check: ({ return_url }) =>
      return_url === undefined || URL.canParse(return_url)
        ? undefined
        : refuseRequest("url_invalid", "return_url"),
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
  {
    name: "transactions",
    method: "GET",
    path: /^\/v1\/balance_transactions$/,
    params: ["created[gte]", "created[lt]", "limit", "starting_after", "expand[]"],
    check: ({ limit = "10" }) =>
      Number(limit) >= 1 && Number(limit) <= 100
        ? undefined
        : refuseRequest("parameter_invalid_integer", "limit"),
  },
];

const minAmount = 50;

export function failure(status: number, error: Stripe.StripeRawError): Reply {
  return { status, body: { error: { message: "It cannot be done.", ...error } } };
}

export function refuseRequest(code: string, param: string, status = 400): Reply {
  return failure(status, { type: "invalid_request_error", code, param });
}
