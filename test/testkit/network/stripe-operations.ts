import type { Stripe } from "stripe";

// The requests to Stripe that an adapter uses, and their parameters, after Stripe's published API.

export type Reply = { status: number; body: object };
/** Form fields, under names such as `card[number]`. */
export type Params = Record<string, string>;

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
