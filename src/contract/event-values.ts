import { paymentStatuses } from "./payment-values.ts";

// The constants of events, without zod: a command that needs only these does not load it.

/** An event's type is the state that a payment entered. */
export const eventTypes = paymentStatuses.map((status) => `payment.${status}` as const);
export type EventType = (typeof eventTypes)[number];

export const eventIdPattern = /^evt_[a-zA-Z0-9-]+$/;
export const endpointIdPattern = /^we_[a-zA-Z0-9-]+$/;
export const deliveryIdPattern = /^del_[a-zA-Z0-9-]+$/;

export const endpointStatuses = ["enabled", "disabled"] as const;
export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** Every type, also future ones. */
export const allEventTypes = "*";

/** The event types to which an endpoint is subscribed: some, or all. */
export type Subscription = [typeof allEventTypes] | EventType[];

/** The subscription to types that are known, in the order of the API. */
export function normalizeSubscription(types: readonly string[]): Subscription {
  if (types.includes(allEventTypes)) return [allEventTypes];
  return eventTypes.filter((each) => types.includes(each));
}

/** In a mode of an account. */
export const maxEndpoints = 16;
export const maxListeners = 16;

/** After a roll the old secret signs for at most this time, too. */
export const maxOverlapHours = 7 * 24;

/** Limits of a listener's requests. */
export const maxDeliveriesPerRequest = 16;
export const maxWaitSeconds = 25;
/** How long a listener has for a delivery that it took. */
export const defaultLeaseSeconds = 60;
export const maxLeaseSeconds = 24 * 60 * 60;
export const maxErrorLength = 200;
export const maxReportedAnswer = 4_096;

/** Of a delivery, the tries that are stored: the last ones. */
export const maxTries = 20;
/** Of an answer to a webhook, the bytes that are stored. */
export const maxAnswerBytes = 1_024;

/** How many events one request to recover queues. */
export const maxRecovered = 10_000;

/** The event that a test of an endpoint sends; no endpoint subscribes to it. */
export const testEventType = "webhook.test";
