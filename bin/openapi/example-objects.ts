import type { Delivery } from "../../src/contract/delivery.ts";
import {
  type EventType,
  declineMessages,
  defaultSandboxUrl,
} from "../../src/contract/field-values.ts";
import type { Event, TestEvent } from "../../src/contract/event.ts";
import type { LoggedRequest } from "../../src/contract/logged-request.ts";
import type { Payment } from "../../src/contract/payment.ts";
import type { WebhookEndpoint } from "../../src/contract/webhook-endpoint.ts";

// The objects of the examples: one story, of the order 1001 in a shop's test mode.

const uuid = "0199c5a8-7f3e-7abc-9def-0123456789ab";
export const exampleIds = {
  account: `acct_${uuid}`,
  payment: `pay_${uuid}`,
  event: `evt_${uuid}`,
  endpoint: `we_${uuid}`,
  delivery: `del_${uuid}`,
  request: `req_${uuid}`,
} as const;

const created = 1_794_744_000;
/** What a customer buys, as requests say it. */
export const exampleOrder = {
  amount: 4999,
  currency: "eur",
  customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
  description: "Order 1001",
  metadata: { order_id: "1001" },
} as const;

export const examplePayment: Payment = {
  id: exampleIds.payment,
  object: "payment",
  amount: 4999,
  currency: "eur",
  status: "succeeded",
  description: "Order 1001",
  card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
  customer: { email: "ada@example.com", name: "Ada Lovelace" },
  metadata: { order_id: "1001" },
  decline_code: null,
  decline_message: null,
  redirect_url: null,
  refunded_at: null,
  succeeded_at: created,
  failed_at: null,
  created,
  livemode: false,
};

export const refundedPayment: Payment = {
  ...examplePayment,
  status: "refunded",
  refunded_at: created + 600,
};

/** A direct payment whose card will be declined. */
export const pendingPayment: Payment = {
  ...examplePayment,
  status: "pending",
  card: { brand: "visa", last4: "9995", exp_month: 12, exp_year: 2030, country: "US" },
  succeeded_at: null,
};

const failedPayment: Payment = {
  ...pendingPayment,
  status: "failed",
  decline_code: "insufficient_funds",
  decline_message: declineMessages.insufficient_funds,
  failed_at: created + 1,
};

/** A payment whose page is open. */
export const hostedPayment: Payment = {
  ...examplePayment,
  status: "pending",
  card: null,
  redirect_url: `${defaultSandboxUrl}/pay/1k3Zq8VbT0cXn5RwJf2LmYhA7d`,
  succeeded_at: null,
};

export const canceledPayment: Payment = {
  ...hostedPayment,
  status: "failed",
  decline_code: "canceled",
  decline_message: declineMessages.canceled,
  failed_at: created + 600,
};

export const exampleEvent: Event = {
  id: exampleIds.event,
  object: "event",
  type: "payment.succeeded",
  created,
  livemode: false,
  sequence: 1,
  data: { object: examplePayment },
};

export const exampleEvents: Record<EventType, Event> = {
  "payment.pending": { ...exampleEvent, type: "payment.pending", data: { object: hostedPayment } },
  "payment.succeeded": exampleEvent,
  "payment.failed": {
    ...exampleEvent,
    type: "payment.failed",
    created: created + 1,
    sequence: 2,
    data: { object: failedPayment },
  },
  "payment.refunded": {
    ...exampleEvent,
    type: "payment.refunded",
    created: created + 600,
    sequence: 2,
    data: { object: refundedPayment },
  },
};

export const exampleEndpoint: WebhookEndpoint = {
  id: exampleIds.endpoint,
  object: "webhook_endpoint",
  url: "https://shop.example.com/hooks",
  events: ["*"],
  description: "The shop",
  status: "enabled",
  disabled_reason: null,
  last_success_at: null,
  failing_since: null,
  created,
  livemode: false,
};

export const exampleListener: WebhookEndpoint = {
  ...exampleEndpoint,
  url: null,
  description: "A laptop",
};

export const exampleTestEvent: TestEvent = {
  ...exampleEvent,
  type: "webhook.test",
  data: { object: exampleEndpoint },
};

export const exampleDelivery: Delivery = {
  id: exampleIds.delivery,
  object: "delivery",
  event: exampleIds.event,
  endpoint: exampleIds.endpoint,
  type: "payment.succeeded",
  status: "pending",
  attempts: 0,
  next_attempt_at: created,
  last_status: null,
  last_error: null,
  created,
};

/** The same after a try that failed. */
export const triedDelivery: Delivery = {
  ...exampleDelivery,
  attempts: 1,
  next_attempt_at: created + 1,
  last_status: 500,
  last_error: "the endpoint answered 500",
};

/** A request that was refused. */
export const exampleRequest: LoggedRequest = {
  id: exampleIds.request,
  object: "request",
  created,
  method: "GET",
  path: `/v1/payments/${exampleIds.payment}`,
  status: 404,
  duration_ms: 1.4,
  key: { id: `key_${uuid}`, name: "shop" },
  error: { type: "invalid_request_error", code: "resource_missing", param: "id" },
  payment: exampleIds.payment,
  idempotency_key: null,
  replayed: false,
  livemode: false,
};
