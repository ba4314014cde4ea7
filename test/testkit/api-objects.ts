import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { KeyAccount } from "../../src/contract/account.ts";
import type { Delivery, DeliveryDetails, WebhookTest } from "../../src/contract/delivery.ts";
import type { Event } from "../../src/contract/event.ts";
import type { History } from "../../src/contract/history.ts";
import type { LoggedRequest } from "../../src/contract/logged-request.ts";
import { type Payment, createPaymentBody } from "../../src/contract/payment.ts";
import type { WebhookEndpoint } from "../../src/contract/webhook-endpoint.ts";

/** An Event as a service would send it. */
export function eventWith(fields: Partial<Event> = {}): Event {
  return {
    id: "evt_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "event",
    type: "payment.succeeded",
    created: 1_794_744_000,
    livemode: false,
    sequence: 1,
    data: { object: paymentWith() },
    ...fields,
  };
}

/** A WebhookEndpoint as a service returns it, without its secret. */
export function endpointWith(fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id: "we_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "webhook_endpoint",
    url: "https://shop.example/hooks",
    events: ["*"],
    description: null,
    status: "enabled",
    disabled_reason: null,
    last_success_at: 1_794_744_060,
    failing_since: null,
    created: 1_794_744_000,
    livemode: false,
    ...fields,
  };
}

/** A Delivery as a service returns it: it failed once and will be retried. */
export function deliveryWith(fields: Partial<Delivery> = {}): Delivery {
  return {
    id: "del_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "delivery",
    event: eventWith().id,
    endpoint: endpointWith().id,
    type: "payment.succeeded",
    status: "pending",
    attempts: 1,
    next_attempt_at: 1_794_744_300,
    last_status: 500,
    last_error: "the endpoint answered 500",
    created: 1_794_744_000,
    ...fields,
  };
}

/** The same with its tries. */
export function triedDeliveryWith(fields: Partial<DeliveryDetails> = {}): DeliveryDetails {
  const { created, last_status: status, last_error: error } = deliveryWith();
  return {
    ...deliveryWith(),
    tries: [{ created, status, duration_ms: 31, error, answer: "Sorry" }],
    ...fields,
  };
}

/** The outcome of a test that an endpoint accepted. */
export function webhookTestWith(fields: Partial<WebhookTest> = {}): WebhookTest {
  return {
    object: "webhook_test",
    event: eventWith().id,
    status: 200,
    duration_ms: 48,
    error: null,
    answer: "ok",
    ...fields,
  };
}

/** A page of any of them. */
export function listWith(url: string, ...data: object[]) {
  return { object: "list", url, data, has_more: false };
}

/** A logged request that was refused. */
export function requestWith(fields: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: "req_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "request",
    created: 1_767_225_600,
    method: "POST",
    path: "/v1/payments",
    status: 400,
    duration_ms: 1.5,
    key: { id: "key_0199c5a8-7f3e-7abc-9def-0123456789ab", name: "shop" },
    error: { type: "invalid_request_error", code: "parameter_invalid", param: "amount" },
    payment: null,
    idempotency_key: "order-1",
    replayed: false,
    livemode: false,
    ...fields,
  };
}

/** The history of a payment of which no more than its creation is stored. */
export function historyWith(fields: Partial<History> = {}): History {
  const links = { by: null, request: null, event: null, delivery: null, endpoint: null };
  const text = "The payment of 49.99 EUR was created for the visa card ending in 4242.";
  return {
    object: "history",
    payment: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    data: [{ at: 1_767_225_600, kind: "created", text, ...links }],
    due: [],
    has_more: false,
    ...fields,
  };
}

/** The secret of a webhook endpoint, as the service makes it. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The account of a key. */
export function accountWith(fields: Partial<KeyAccount> = {}): KeyAccount {
  return {
    id: "acct_1",
    object: "account",
    name: "Books & Co",
    default_version: "2026-11-01",
    livemode: false,
    ...fields,
  };
}

/** A Payment as a service returns it. */
export function paymentWith(fields: Partial<Payment> = {}): Payment {
  return {
    id: "pay_0199c5a8-7f3e-7abc-9def-0123456789ab",
    object: "payment",
    amount: 4999,
    currency: "eur",
    status: "succeeded",
    description: null,
    card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2031, country: "US" },
    customer: { email: "", name: "" },
    metadata: {},
    decline_code: null,
    decline_message: null,
    redirect_url: null,
    refunded_at: null,
    succeeded_at: 1_794_744_000,
    failed_at: null,
    created: 1_794_744_000,
    livemode: false,
    ...fields,
  };
}

/** A valid body, with some fields replaced by a test's own. */
export function bodyWith(fields: object): object {
  return { amount: 4999, currency: "eur", card: cardWith({}), ...fields };
}

export function cardWith(fields: object): object {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123", ...fields };
}

/** The invalid fields, each once, in dotted form; empty if the body is accepted. */
export function faultsOf(body: unknown): string[] {
  const faults = issuesOf(body).map((issue) =>
    issue.code === "unrecognized_keys"
      ? [...issue.path, ...issue.keys].join(".")
      : issue.path.join("."),
  );
  return [...new Set(faults)];
}

export function messagesOf(body: unknown): string[] {
  return issuesOf(body).map((issue) => issue.message);
}

function issuesOf(body: unknown): z.core.$ZodIssue[] {
  return createPaymentBody.safeParse(body).error?.issues ?? [];
}
