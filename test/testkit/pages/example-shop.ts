import {
  type Account,
  type Activity,
  type Actor,
  type ApiKey,
  type Operator,
  keyPrefix,
} from "../../../src/contract/administration.ts";
import { type Mode, permissions } from "../../../src/contract/field-values.ts";
import { formatMoney } from "../../../src/contract/money.ts";
import type { Delivery, DeliveryTry, WebhookTest } from "../../../src/contract/delivery.ts";
import type { History, Moment } from "../../../src/contract/history.ts";
import type { LoggedRequest } from "../../../src/contract/logged-request.ts";
import { requestWith } from "../api-objects.ts";
import { computeOverview } from "../../../src/service/reports/get-overview.ts";
import type { Total } from "../../../src/service/reports/sum-figures.ts";
import type { Payment, PaymentStatus } from "../../../src/contract/payment.ts";
import type { renderOverview } from "../../../src/service/web/dashboard/overview-page.ts";
import { createPreset } from "../../../src/service/web/dashboard/overview-period.ts";
import type { EndpointWithHealth } from "../../../src/service/webhooks/find-endpoints.ts";

// The data of a shop in the screenshots, the same at any time.

export const nowMs = Date.UTC(2026, 10, 22, 12);
export const publicUrl = "https://pay.shop.example";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A time some seconds ago, in Unix seconds. */
function ago(seconds: number): number {
  return nowMs / 1000 - seconds;
}

/** An id; the newest thing has the number 0, and the highest id. */
function idOf(prefix: string, number: number): string {
  const end = String(8_140_296_531_777 - number * 77_713_391).slice(-12);
  return `${prefix}_0199a1f2-7c41-7b3e-9d2a-${end}`;
}

export const accounts = ["Shoes & Sons", "Hats"].map((name, index): Account => ({
  id: idOf("acct", index),
  object: "account",
  name,
  default_version: "2026-11-01",
  created: ago(200 * day),
}));

export const operators = [
  operatorAt(0, { name: "Ada Lovelace", role: "admin", last_seen_at: ago(0) }),
  operatorAt(1, { name: "Grace Hopper", role: "admin", last_seen_at: ago(3 * hour) }),
  operatorAt(2, { name: "Alan Turing", role: "support", last_seen_at: ago(26 * hour) }),
  operatorAt(3, { name: "Katherine Johnson", role: "viewer", status: "invited" }),
] as const;

function operatorAt(index: number, its: Partial<Operator> & Pick<Operator, "name" | "role">) {
  return {
    id: idOf("op", index),
    object: "operator",
    accounts: accounts.map(({ id }) => id),
    status: "active",
    created: ago(30 * day - index * 9 * day),
    last_seen_at: null,
    ...its,
  } satisfies Operator;
}

const statuses: PaymentStatus[] = ["succeeded", "succeeded", "failed", "refunded", "pending"];
const customers = ["Margaret Hamilton", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth"];

export function paymentsIn(mode: Mode): Payment[] {
  return Array.from({ length: 10 }, (_, index) => paymentAt(index, mode));
}

function paymentAt(index: number, mode: Mode): Payment {
  const status = statuses[index % statuses.length]!;
  const created = ago(index * 5_417 + 40 * minute);
  const ended = (state: PaymentStatus) => (status === state ? created + 1 : null);
  const name = customers[index % customers.length]!;
  return {
    id: idOf("pay", index),
    object: "payment",
    amount: [4_999, 12_900, 89_950, 3_500][index % 4]!,
    currency: "eur",
    status,
    description: `Order ${6735 - index}`,
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
    customer: { name, email: `${name.split(" ")[0]!.toLowerCase()}@example.com` },
    metadata: { order_id: String(6735 - index), channel: "shop" },
    decline_code: status === "failed" ? "insufficient_funds" : null,
    decline_message: null,
    redirect_url: null,
    refunded_at: ended("refunded"),
    succeeded_at: status === "refunded" ? created : ended("succeeded"),
    failed_at: ended("failed"),
    created,
    livemode: mode === "live",
  };
}

function momentWith(fields: Pick<Moment, "at" | "kind" | "text"> & Partial<Moment>): Moment {
  return { by: null, request: null, event: null, delivery: null, endpoint: null, ...fields };
}

/** A payment by a checkout page, which one endpoint has accepted, and another one not yet. */
export function paidByPage(mode: Mode): { payment: Payment; history: History } {
  const paid = paymentAt(0, mode);
  const payment = {
    ...paid,
    redirect_url: `${publicUrl}/pay/token`,
    succeeded_at: paid.created + 140,
  };
  const [shop, mail] = endpointsIn(mode).map(({ endpoint }) => endpoint);
  const money = formatMoney(payment.amount, payment.currency);
  const at = payment.succeeded_at;
  const event = idOf("evt", 0);
  const sent = { event, delivery: idOf("del", 0) };
  const customer = { type: "customer", id: null, name: payment.customer.name } as const;
  return {
    payment,
    history: {
      object: "history",
      payment: payment.id,
      data: [
        momentWith({
          at: payment.created,
          kind: "created",
          text: `The payment of ${money} was created with a payment page that stays open for 24 hours and with the idempotency key order-1042.`,
          by: { type: "key", id: idOf("key", 0), name: "Shop" },
          request: idOf("req", 0),
          event: idOf("evt", 1),
        }),
        momentWith({
          at: at - 40,
          kind: "challenged",
          text: "The bank asked the customer to confirm the payment (3-D Secure).",
          by: { type: "network", id: null, name: "stripe" },
        }),
        momentWith({
          at,
          kind: "challenge_ended",
          text: "The customer confirmed the payment at the bank.",
          by: customer,
        }),
        momentWith({
          at,
          kind: "succeeded",
          text: `The customer paid ${money} on the payment page with the visa card ending in 4242: the payment succeeded.`,
          by: customer,
          event,
        }),
        momentWith({
          at: at + 1,
          kind: "delivered",
          text: `payment.succeeded was delivered to ${shop?.url}, which answered 200.`,
          ...sent,
          endpoint: shop?.id ?? null,
        }),
        momentWith({
          at: at + 1,
          kind: "delivery_failed",
          text: `payment.succeeded was not delivered to ${mail?.url}, which answered 503.`,
          ...sent,
          endpoint: mail?.id ?? null,
        }),
      ],
      due: [
        {
          at: ago(-18 * minute),
          kind: "delivery",
          text: `payment.succeeded is sent to ${mail?.url} again.`,
        },
      ],
      has_more: false,
    },
  };
}

export type ShownOverview = Parameters<typeof renderOverview>[1];

/**
 * A shop that sells more at the end of a week, and a little more each month; its newest payments, and its endpoints.
 */
export function overviewIn(mode: Mode, preset: 7 | 30 | 90 = 30): ShownOverview {
  const period = createPreset(preset, nowMs);
  const { firstDay, endDay } = period.days;
  const totals = Array.from({ length: 2 * preset }, (_, index): Total[] => {
    const on = endDay - 1 - index;
    const whole = 62 + 22 * Math.sin((on * 2 * Math.PI) / 7) - index / 3;
    const payments = Math.round(on === endDay - 1 ? whole / 2 : whole);
    const of = (status: PaymentStatus, count: number, code = "") => ({
      day: on,
      currency: "eur",
      status,
      code,
      payments: count,
      amount: count * (5_813 + ((on * 379) % 900)),
    });
    return [
      of("succeeded", payments),
      of("refunded", on % 4),
      of("failed", 3 + (on % 3), "insufficient_funds"),
      of("failed", 2, "generic_decline"),
      of("failed", on % 2, "expired_card"),
    ];
  });
  const days = { firstDay, endDay };
  return {
    overview: computeOverview(totals.flat(), { days, until: nowMs / 1000 }),
    period,
    payments: paymentsIn(mode).slice(0, 5),
    endpoints: endpointsIn(mode),
    nowMs,
  };
}

export function keysIn(mode: Mode): ApiKey[] {
  const keyAt = (index: number, its: Partial<ApiKey> & Pick<ApiKey, "name" | "last4">): ApiKey => ({
    id: idOf("key", index),
    object: "api_key",
    account: accounts[0]!.id,
    mode,
    created: ago(60 * day),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    permissions,
    max_refund: null,
    ...its,
  });
  return [
    keyAt(0, { name: "shop", last4: "r7Qe", last_used_at: ago(minute) }),
    keyAt(1, { name: "reports", last4: "Zk0v", created: ago(4 * hour) }),
    keyAt(2, {
      name: "reports",
      last4: "wB3x",
      last_used_at: ago(2 * hour),
      expires_at: ago(-20 * hour),
    }),
    keyAt(3, { name: "ci", last4: "u9Lm", revoked_at: ago(12 * day) }),
    keyAt(4, {
      name: "support tool",
      last4: "M2pd",
      permissions: ["read", "refund"],
      max_refund: 5_000,
      expires_at: ago(-20 * day),
    }),
    keyAt(5, { name: "assistant", last4: "e6Hn", permissions: ["read"] }),
  ];
}

/** A key that was never issued. */
export function madeUpKey(mode: Mode): string {
  return `${keyPrefix(mode)}ThisKeyWasMadeUpForAPictureAndOpensNoDoor00`;
}

export function endpointsIn(mode: Mode): [EndpointWithHealth, ...EndpointWithHealth[]] {
  const endpointWithHealth = (
    index: number,
    [url, description]: [string | null, string],
    {
      events = ["*"],
      disabledReason = null,
      failingSince = null,
      ...its
    }: {
      events?: string[];
      disabledReason?: string | null;
      failingSince?: number | null;
      oldSecretUntil?: number;
    } = {},
  ): EndpointWithHealth => ({
    endpoint: {
      id: idOf("we", index),
      object: "webhook_endpoint",
      url,
      description,
      events,
      status: disabledReason ? "disabled" : "enabled",
      disabled_reason: disabledReason,
      last_success_at: ago(4 * hour),
      failing_since: failingSince,
      created: ago(40 * day),
      livemode: mode === "live",
    },
    oldSecretUntil: null,
    ...its,
  });
  const receipts = ["payment.succeeded", "payment.refunded"];
  return [
    endpointWithHealth(0, ["https://shop.example/hooks/payments", "Orders and stock"], {
      oldSecretUntil: ago(-20 * hour),
    }),
    endpointWithHealth(1, ["https://mail.example/receipts", "Receipts by mail"], {
      events: receipts,
      failingSince: ago(3 * hour),
    }),
    endpointWithHealth(2, ["https://old.shop.example/hooks", "The shop of last year"], {
      disabledReason: "gone",
    }),
    endpointWithHealth(3, [null, "payments listen --name default on ada-laptop"]),
  ];
}

/** Newest first: one is pending, one has failed. */
export const deliveries = [
  deliveryAt(0, "payment.succeeded", { last_status: 200 }),
  deliveryAt(1, "payment.pending", { last_status: 200 }),
  deliveryAt(2, "payment.succeeded", {
    status: "pending",
    attempts: 3,
    last_status: 503,
    last_error: "the endpoint answered 503",
    next_attempt_at: ago(-18 * minute),
  }),
  deliveryAt(3, "payment.refunded", { last_status: 204, attempts: 2 }),
  deliveryAt(4, "payment.failed", {
    status: "failed",
    attempts: 10,
    last_error: "the connection was not made in time",
  }),
];

function deliveryAt(index: number, type: Delivery["type"], its: Partial<Delivery>): Delivery {
  return {
    id: idOf("del", index),
    object: "delivery",
    event: idOf("evt", index),
    endpoint: idOf("we", 0),
    type,
    status: "delivered",
    attempts: 1,
    next_attempt_at: null,
    last_status: null,
    last_error: null,
    created: ago(index * 2 * hour),
    ...its,
  };
}

export function activities(): Activity[] {
  const [ada, grace, alan, katherine] = operators;
  const root = { type: "command", id: null, name: "ada (payments)" } as const;
  const key = { type: "api_key", id: idOf("key", 0), name: "shop" } as const;
  const endpoint = { id: idOf("we", 1), name: "https://mail.example/receipts" };
  const reports = { id: idOf("key", 1), name: "reports" };
  const entries: Pick<Activity, "actor" | "action" | "subject">[] = [
    { actor: by(ada), action: "operator.invited", subject: katherine },
    { actor: by(alan), action: "payment.refunded", subject: { id: idOf("pay", 3), name: null } },
    { actor: key, action: "payment.refunded", subject: { id: idOf("pay", 8), name: null } },
    { actor: by(grace), action: "api_key.rolled", subject: reports },
    { actor: by(grace), action: "webhook_endpoint.created", subject: endpoint },
    { actor: root, action: "account.renamed", subject: accounts[0]! },
    { actor: by(grace), action: "operator.signed_in", subject: grace },
    { actor: root, action: "operator.invited", subject: grace },
  ];
  return entries.map(({ actor, action, subject: { id, name } }, index) => ({
    id: idOf("act", index),
    object: "activity",
    account: accounts[0]!.id,
    livemode: true,
    actor,
    action,
    subject: { id, name },
    detail: action === "operator.invited" ? (id === grace.id ? "admin" : "viewer") : null,
    created: ago(index * 5 * hour),
  }));
}

function by({ id, name }: Operator): Actor {
  return { type: "operator", id, name };
}

/** The error of a request that was refused. */
function refuse(code: string, param: string | null = null) {
  return { error: { type: "invalid_request_error", code, param } };
}

/** The newest requests of the shop: payments, and what was refused. */
export function requestsIn(mode: Mode): LoggedRequest[] {
  const made = { method: "POST", path: "/v1/payments", status: 201, error: null };
  const refund = `/v1/payments/${idOf("pay", 3)}/refund`;
  const requests: Partial<LoggedRequest>[] = [
    made,
    { ...made, replayed: true },
    { ...made, status: 400, ...refuse("parameter_invalid", "card[exp_month]") },
    { ...made, path: refund, status: 200, payment: idOf("pay", 3) },
    { ...made, path: refund, status: 422, ...refuse("payment_already_refunded") },
    { method: "GET", path: "/v1/payments/…", status: 404, ...refuse("resource_missing", "id") },
    { ...made, status: 503, ...refuse("service_unavailable") },
  ];
  return requests.map((fields, index) =>
    requestWith({
      id: idOf("req", index),
      created: Math.floor(nowMs / 1000) - index * 640,
      duration_ms: Math.round(34 + index * 71) / 10,
      key: { id: idOf("key", 0), name: "shop" },
      idempotency_key: fields.method === "POST" ? `order-${1_001 + index}` : null,
      livemode: mode === "live",
      ...fields,
    }),
  );
}

/** The tries of a delivery, the newest last. */
export const deliveryTries: DeliveryTry[] = [
  {
    created: ago(3 * hour),
    status: null,
    duration_ms: null,
    error: "the connection was not made in time",
    answer: null,
  },
  {
    created: ago(2 * hour),
    status: 503,
    duration_ms: 31,
    error: "the endpoint answered 503",
    answer: "Service Unavailable\nTry again later.",
  },
  { created: ago(hour), status: 200, duration_ms: 48, error: null, answer: "ok" },
];

export const endpointTest: WebhookTest = {
  object: "webhook_test",
  event: idOf("evt", 20),
  status: 503,
  duration_ms: 48,
  error: "the endpoint answered 503",
  answer: "Service Unavailable\n",
};

/** Thirty days without a payment. */
export function emptyOverview(): ShownOverview {
  const period = createPreset(30, nowMs);
  const overview = computeOverview([], { days: period.days, until: nowMs / 1000 });
  return { overview, period, payments: [], endpoints: [], nowMs };
}
