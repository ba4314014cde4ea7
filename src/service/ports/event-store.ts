import type { Activity } from "./activity.ts";
import type { EventType } from "../../contract/event-values.ts";
import type { Endpoint } from "../domain/endpoint-state.ts";
import type {
  ChangeOutcome,
  IdempotencyRecord,
  Scope,
  WriteOutcome,
} from "./idempotency-record.ts";
import type { Listed, Range } from "../domain/list-range.ts";

// What the store keeps of events, of the endpoints that they are sent to, and of their deliveries.

/** When an event happens, and when its deliveries are due; those that are taken are at once. */
export type EventTimes = { nowMs: number; dueAtMs: number };
/** An event that is written with a payment's change. */
export type NewEvent = EventTimes & { id: string };

/** An event as the API answers it, in JSON; and as it is sent, byte for byte. */
export type EventJson = string;

export type EventFilters = { type: EventType | undefined; paymentId: string | undefined };

/** An event on its way to an endpoint; `dueAtMs` is null where that has ended. */
export type StoredDelivery = {
  id: string;
  endpointId: string;
  eventId: string;
  type: EventType;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  dueAtMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  createdMs: number;
};

/** `event` is undefined where it is kept no longer. */
export type LeasedDelivery = StoredDelivery & { event: EventJson | undefined };

/** An endpoint for which deliveries are due. */
export type DueEndpoint = { scope: Scope; endpointId: string; isFailing: boolean };

/** What was found of some accounts, in the order of their ids, and the last of them where there are more. */
export type NextAccounts<T> = { found: T[]; next: string | undefined };

/** What waits to be delivered, and since when the oldest does; counts are 10,000 at the most. */
export type WebhookBacklog = { count: number; oldestAgeMs: number };

/** How a try went: what becomes of the delivery, counted as one more attempt. */
export type DeliveryResult = {
  scope: Scope;
  delivery: Pick<StoredDelivery, "id" | "endpointId" | "attempts">;
  status: StoredDelivery["status"];
  dueAtMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  /** Since when nothing has reached the endpoint; undefined leaves it as it is. */
  failingSinceMs: number | null | undefined;
};

/**
 * What is given up: up to `limit` deliveries that were queued before `beforeMs`; with `isDisabled` none where the
 * endpoint has been enabled meanwhile.
 */
export type AbandonedDeliveries = {
  beforeMs: number;
  reason: string;
  limit: number;
  isDisabled: boolean;
};

export type EventStore = {
  findEvent(scope: Scope, id: string): Promise<EventJson | undefined>;
  listEvents(scope: Scope, range: Range & EventFilters): Promise<Listed<EventJson>>;

  /** Writes a new endpoint at a place of its own; `conflict`: somebody else's is there. */
  createEndpoint(write: EndpointWrite & { slot: number }): Promise<ChangeOutcome>;
  /** Writes an endpoint over the one before; `conflict`: that has been changed meanwhile, or deleted. */
  changeEndpoint(write: EndpointWrite): Promise<ChangeOutcome>;
  findEndpoint(scope: Scope, id: string): Promise<Endpoint | undefined>;
  /** All of them, newest first, and the places that they take. */
  listEndpoints(scope: Scope): Promise<(Endpoint & { slot: number })[]>;
  /** Deletes an endpoint; what was queued for it is never sent. */
  deleteEndpoint(scope: Scope, id: string, activity?: readonly Activity[]): Promise<boolean>;
  /** Notes that a listener is there: events are queued for it until then. */
  extendQueueing(scope: Scope, endpointId: string, untilMs: number): Promise<void>;

  listDeliveries(scope: Scope, endpointId: string, range: Range): Promise<Listed<StoredDelivery>>;
  /** Those that an event has made, in no order; queued again for an endpoint they are not among them. */
  listEventDeliveries(scope: Scope, eventId: string): Promise<StoredDelivery[]>;
  findDelivery(scope: Scope, id: string): Promise<StoredDelivery | undefined>;
  /** Queues deliveries of their own, beside those that an event has made. */
  queueDeliveries(write: {
    scope: Scope;
    deliveries: StoredDelivery[];
    idempotency: IdempotencyRecord | undefined;
    activity?: readonly Activity[];
  }): Promise<WriteOutcome>;
  /**
   * Queues the events of an endpoint's types after `above`, up to `limit` of them, where they never were, and
   * with `revives` where they failed; answers the last one's id, or undefined where there was none.
   */
  requeueEvents(write: {
    scope: Scope;
    endpointId: string;
    above: string;
    limit: number;
    nowMs: number;
    includesFailed: boolean;
  }): Promise<string | undefined>;
  /** Gives pending deliveries of an endpoint up; answers how many. */
  abandonDeliveries(
    write: { scope: Scope; endpointId: string } & AbandonedDeliveries,
  ): Promise<number>;

  /**
   * Enabled endpoints with an address for which deliveries are due, of the accounts after one, as many as are looked at
   * together.
   */
  findDueEndpoints(nowMs: number, afterAccount: string): Promise<NextAccounts<DueEndpoint>>;
  /** Leases deliveries that are due, those that have waited longest; nobody else is given them before `untilMs`. */
  leaseDeliveries(
    scope: Scope,
    endpointId: string,
    due: { nowMs: number; untilMs: number; limit: number },
  ): Promise<LeasedDelivery[]>;
  /** Makes due what waits for an endpoint, be it put off or taken: whoever took it is no more. */
  makeDueNow(scope: Scope, endpointId: string, nowMs: number): Promise<void>;
  /** Writes how a try went; false where somebody else has, or the delivery was given up. */
  endDelivery(end: DeliveryResult): Promise<boolean>;

  /**
   * Forgets up to `limit` events and deliveries of a scope from before a time in Unix seconds; answers how many:
   * none while the machine that holds them is lost.
   */
  purgeEvents(scope: Scope, before: number, limit: number): Promise<number>;
  measureWebhookBacklog(nowMs: number): Promise<WebhookBacklog>;
};

type EndpointWrite = {
  scope: Scope;
  endpoint: Endpoint;
  idempotency: IdempotencyRecord | undefined;
  activity?: readonly Activity[];
};
