import type { Activity } from "../../contract/administration.ts";
import type { DeliveryTry } from "../../contract/delivery.ts";
import type { EventType } from "../../contract/field-values.ts";
import type { NextAccounts } from "../database/lease-due.ts";
import type { Listed, Range } from "../database/list-range.ts";
import type { Scope } from "../database/scope.ts";
import type { Endpoint } from "./endpoint-state.ts";
import type {
  ChangeOutcome,
  IdempotencyRecord,
  WriteOutcome,
} from "../idempotency/idempotency-record.ts";

/** When an event happens, and when its deliveries are due; a listener's are due at once. */
export type EventTimes = { nowMs: number; dueAtMs: number };

/** An event that is written with a payment's change. */
export type NewEvent = EventTimes & { id: string };

/** An event in JSON, as the API returns it and as it is sent, byte for byte. */
export type EventJson = string;

export type EventFilters = { type: EventType | undefined; paymentId: string | undefined };

/** `dueAtMs` is null once the delivery has ended. */
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

/** A delivery with its last tries, the newest last. */
export type TriedDelivery = StoredDelivery & { tries: readonly DeliveryTry[] };

/** `event` is undefined where it was purged. */
export type LeasedDelivery = TriedDelivery & { event: EventJson | undefined };

/** An endpoint for which deliveries are due. */
export type DueEndpoint = { scope: Scope; endpointId: string; isFailing: boolean };

/** `count` is the number of pending deliveries, capped at 10,000; the age is the oldest one's. */
export type WebhookBacklog = { count: number; oldestAgeMs: number };

/** The result of an attempt: what becomes of the delivery, with one more attempt. */
export type DeliveryResult = {
  scope: Scope;
  delivery: Pick<StoredDelivery, "id" | "endpointId" | "attempts">;
  /** All that are stored from now on. */
  tries: readonly DeliveryTry[];
  status: StoredDelivery["status"];
  dueAtMs: number | null;
  lastStatus: number | null;
  lastError: string | null;
  /** Since when nothing has reached the endpoint; undefined leaves it as it is. */
  failingSinceMs: number | null | undefined;
};

/**
 * Which deliveries are abandoned: up to `limit` that were queued before `beforeMs`; with `isDisabled` none where the
 * endpoint has been enabled meanwhile.
 */
export type AbandonedDeliveries = {
  beforeMs: number;
  reason: string;
  limit: number;
  isDisabled: boolean;
};

export type RequeuedEvents = {
  scope: Scope;
  endpointId: string;
  above: string;
  limit: number;
  nowMs: number;
  includesFailed: boolean;
  /** How many are queued; by default all. */
  max?: number;
  /** Events that are left alone. */
  except?: ReadonlySet<string>;
};

/** `last`: the last event that was looked at, undefined where there was none; `isFull`: more than `max` were missed. */
export type RequeueOutcome = { last: string | undefined; queued: number; isFull: boolean };

/** `last`: the last delivery that was looked at, undefined where there was none. */
export type ResentEvents = { last: string | undefined; events: string[] };

export type EventStore = {
  findEvent(scope: Scope, id: string): Promise<EventJson | undefined>;
  listEvents(scope: Scope, range: Range & EventFilters): Promise<Listed<EventJson>>;

  /** Writes a new endpoint in a slot of its own; `conflict`: another one is there. */
  createEndpoint(write: EndpointWrite & { slot: number }): Promise<ChangeOutcome>;
  /** Writes an endpoint over the one before; `conflict`: that has been changed meanwhile, or deleted. */
  changeEndpoint(write: EndpointWrite): Promise<ChangeOutcome>;
  findEndpoint(scope: Scope, id: string): Promise<Endpoint | undefined>;
  /** All of them, newest first, with their slots. */
  listEndpoints(scope: Scope): Promise<(Endpoint & { slot: number })[]>;
  /** Deletes an endpoint; what was queued for it is never sent. */
  deleteEndpoint(scope: Scope, id: string, activity?: readonly Activity[]): Promise<boolean>;
  /** Records that a listener is connected: events are queued for it until then. */
  extendQueueing(scope: Scope, endpointId: string, untilMs: number): Promise<void>;

  /** With `status` only those in it, which are looked for in the whole range. */
  listDeliveries(
    scope: Scope,
    endpointId: string,
    range: Range & { status?: StoredDelivery["status"] | undefined },
  ): Promise<Listed<StoredDelivery>>;
  /** The deliveries that an event has made, in no order, without those that were queued again. */
  listEventDeliveries(scope: Scope, eventId: string): Promise<StoredDelivery[]>;
  findDelivery(scope: Scope, id: string): Promise<TriedDelivery | undefined>;
  /** Queues deliveries beside those that an event has made. */
  queueDeliveries(write: {
    scope: Scope;
    deliveries: StoredDelivery[];
    idempotency: IdempotencyRecord | undefined;
    activity?: readonly Activity[];
  }): Promise<WriteOutcome>;
  /**
   * Looks through up to `limit` deliveries of an endpoint after `above` for events that were resent, and did not fail.
   */
  findResentEvents(
    scope: Scope,
    endpointId: string,
    batch: { above: string; limit: number },
  ): Promise<ResentEvents>;
  /**
   * Looks through up to `limit` events after `above`, and queues those of the endpoint's types that never were, and
   * with `includesFailed` those that failed; they are due in the order of their creation.
   */
  requeueEvents(write: RequeuedEvents): Promise<RequeueOutcome>;
  /** Abandons pending deliveries of an endpoint; returns how many. */
  abandonDeliveries(
    write: { scope: Scope; endpointId: string } & AbandonedDeliveries,
  ): Promise<number>;

  /**
   * Enabled endpoints with an address for which deliveries are due, in one batch of the accounts after
   * `afterAccount`.
   */
  findDueEndpoints(nowMs: number, afterAccount: string): Promise<NextAccounts<DueEndpoint>>;
  /** Leases due deliveries until `untilMs`, the oldest first. */
  leaseDeliveries(
    scope: Scope,
    endpointId: string,
    due: { nowMs: number; untilMs: number; limit: number },
  ): Promise<LeasedDelivery[]>;
  /** Makes pending deliveries of an endpoint due, leased ones too: their worker has ended. */
  makeDueNow(scope: Scope, endpointId: string, nowMs: number): Promise<void>;
  /** Writes the result of an attempt; false where another replica has, or the delivery was abandoned. */
  endDelivery(end: DeliveryResult): Promise<boolean>;

  /**
   * Purges up to `limit` events and deliveries of a scope from before a time in Unix seconds; returns how many: none
   * while the machine that has them is lost.
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
