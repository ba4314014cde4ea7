import type { Delivery, DeliveryDetails } from "../../src/contract/delivery.ts";
import type { WebhookEndpoint, WebhookTest } from "../../src/contract/webhook-endpoint.ts";
import { eventWith } from "./event-with.ts";

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
