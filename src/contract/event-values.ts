import { paymentStatuses } from "./payment-values.ts";

// What can stand in an event, without zod: a command that names one does not load it.

/** What an event says: that a payment has come to be in a state. */
export const eventTypes = paymentStatuses.map((status) => `payment.${status}` as const);
export type EventType = (typeof eventTypes)[number];

export const eventIdPattern = /^evt_[a-zA-Z0-9-]+$/;
export const endpointIdPattern = /^we_[a-zA-Z0-9-]+$/;
export const deliveryIdPattern = /^del_[a-zA-Z0-9-]+$/;

/** Whether an endpoint is sent anything, and how an event's way to it stands. */
export const endpointStatuses = ["enabled", "disabled"] as const;
export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** Stands for every type, also those to come. */
export const allEventTypes = "*";

/** Which events an endpoint is sent: those of some types, or all. */
export type Subscription = [typeof allEventTypes] | EventType[];

/** The subscription to types that are known, in the order of the API. */
export function normalizeSubscription(types: readonly string[]): Subscription {
  if (types.includes(allEventTypes)) return [allEventTypes];
  return eventTypes.filter((each) => types.includes(each));
}

/** How many endpoints there may be in a mode, and how many listeners beside them. */
export const maxEndpoints = 16;
export const maxListeners = 16;

/** For how many hours the old secret of an endpoint signs, too, at the most. */
export const maxOverlapHours = 7 * 24;

/** How many deliveries a listener is given at once, how long it may wait for one, and how much it may tell of a failure. */
export const maxDeliveriesPerRequest = 16;
export const maxWaitSeconds = 25;
export const maxErrorLength = 200;
