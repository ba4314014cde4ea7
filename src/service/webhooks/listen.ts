import { setTimeout as delay } from "node:timers/promises";
import type { Delivery } from "../../contract/delivery.ts";
import { ServiceError } from "../../contract/error.ts";
import { defaultLeaseSeconds, maxDeliveriesPerRequest } from "../../contract/field-values.ts";
import type {
  ReportDeliveryBody,
  StartListenerBody,
  TakeDeliveriesBody,
} from "../../contract/listener.ts";
import { maskAnswer } from "../../contract/mask.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { isWithinShare } from "../../runtime/fair-semaphore.ts";
import { toIdBound } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { LeasedDelivery, StoredDelivery } from "./deliveries-sql.ts";
import { abandonDeliveries, assertRunning, toDelivery } from "./deliveries.ts";
import {
  type Endpoint,
  appendTry,
  computeRetryPause,
  listenerSchedule,
  listenerTimeoutMs,
  toWebhookEndpoint,
} from "./delivery-state.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";
import { eventPurged, toAnswerText } from "./record-attempt.ts";
import type { WaitingListener, WebhooksService } from "./webhooks-service.ts";

// The API of `payments listen`: a listener is an endpoint without a URL, which fetches its deliveries.

/** Requests that wait at the same time, shared by the accounts: a limit leaves room for other requests. */
const maxWaiting = 100;
const pollIntervalMs = 200;
const batchSize = 500;
/** Events that are queued when a listener comes back, which takes some seconds. */
const maxQueued = 100_000;
/** Between two extensions of the queueing for a listener that fetches all the time. */
const extendIntervalMs = 60_000;
/** The maximum time between an event's id and its commit, on any replica. */
const commitLagMs = 10_000;

/**
 * Prepares the deliveries of a listener that starts: those that wait from the last 24 h; with `since` also all
 * events from that time on (Unix seconds) that were not delivered; with `only_new` none from before. Errors:
 * resource_missing; parameter_invalid if the endpoint has an address, or there are too many events;
 * service_unavailable if the service shuts down or the request is `gone`.
 */
export async function startListener(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: StartListenerBody },
  gone?: AbortSignal,
): Promise<WebhookEndpoint> {
  const listener = await getListener(service, scope, id);
  const nowMs = service.clock();
  if (body.only_new) {
    await service.store.extendQueueing(scope, id, nowMs + listenerTimeoutMs);
    await abandonDeliveries(service, scope, id, {
      reason: "The listener was started with only_new.",
    });
  } else {
    await catchUp(service, scope, listener, anySignal(gone, service.shutdown), body.since);
    // Only one process listens under a name, so a process with earlier leases has ended.
    await service.store.makeDueNow(scope, id, nowMs);
  }
  return toWebhookEndpoint(listener, scope);
}

/** Queues the events that a listener has missed since a time in Unix seconds, by default within the last day. */
async function catchUp(
  service: WebhooksService,
  scope: Scope,
  { id, queuesUntilMs }: Endpoint,
  signal: AbortSignal,
  since?: number | null,
): Promise<void> {
  const nowMs = service.clock();
  const dayAgoMs = nowMs - listenerTimeoutMs;
  const expired = { beforeMs: dayAgoMs, reason: "No listener fetched it within a day.", signal };
  await abandonDeliveries(service, scope, id, expired);
  const listener = { scope, endpointId: id };
  const wasAway = queuesUntilMs <= nowMs;
  if (typeof since === "number") {
    await queueEvents(service, { ...listener, includesFailed: true }, since, signal);
  } else if (wasAway) {
    await queueEvents(service, listener, toSeconds(dayAgoMs), signal);
  }
  // Extended only now, so that the next request repeats work that was aborted above.
  await service.store.extendQueueing(scope, id, service.clock() + listenerTimeoutMs);
  if (wasAway) await queueEvents(service, listener, toSeconds(nowMs - commitLagMs));
}

/** Queues the events of a listener from a time on, in Unix seconds, until now. */
async function queueEvents(
  { store, clock }: WebhooksService,
  listener: { scope: Scope; endpointId: string; includesFailed?: boolean },
  since: number,
  signal?: AbortSignal,
): Promise<void> {
  const end = toIdBound("evt_", toSeconds(clock()) + 1);
  let above: string | undefined = toIdBound("evt_", since);
  for (let queued = 0; above !== undefined && above < end; queued += batchSize) {
    assertRunning(signal);
    if (queued >= maxQueued) {
      throw new ServiceError(
        "parameter_invalid",
        `since is too long ago: more than ${maxQueued} events have happened from then on, or in the last day. Send a later time, or only_new.`,
        "since",
      );
    }
    const batch = { above, limit: batchSize, nowMs: clock() };
    ({ last: above } = await store.requeueEvents({ includesFailed: false, ...listener, ...batch }));
  }
}

function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * Leases a listener's deliveries, in JSON: as soon as there are any, or none after `wait_seconds`. The wait ends at
 * once if too many requests wait, or when the same listener sends another request. Errors: resource_missing,
 * parameter_invalid if the endpoint has an address, or is disabled; that of `checkKey`, which rejects once the key of
 * the request is no longer valid.
 */
export async function takeDeliveries(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: TakeDeliveriesBody },
  { gone, checkKey }: { gone?: AbortSignal; checkKey?: () => Promise<unknown> } = {},
): Promise<string[]> {
  const superseded = new AbortController();
  const signal = anySignal(gone, service.shutdown, superseded.signal);
  const limit = body.limit ?? maxDeliveriesPerRequest;
  const deadlineMs = performance.now() + (body.wait_seconds ?? 0) * 1000;
  try {
    while (!signal.aborted) {
      const listener = await getListener(service, scope, id);
      const nowMs = service.clock();
      const queuesUntilMs = nowMs + listenerTimeoutMs;
      if (listener.queuesUntilMs <= nowMs) await catchUp(service, scope, listener, signal);
      else if (listener.queuesUntilMs < queuesUntilMs - extendIntervalMs) {
        await service.store.extendQueueing(scope, id, queuesUntilMs);
      }
      if (signal.aborted) break;
      const leaseMs = (body.lease_seconds ?? defaultLeaseSeconds) * 1000;
      const due = { nowMs, untilMs: nowMs + leaseMs, limit };
      const leased = await service.store.leaseDeliveries(scope, id, due);
      const purged = leased.filter(({ event }) => event === undefined);
      // Those that cannot be ended now are leased again later, and keep no other from the listener.
      await endPurged(service, scope, id, purged).catch(() => {});
      const deliveries = leased.flatMap(toDeliveriesJson);
      const leftMs = deadlineMs - performance.now();
      const isOver = deliveries.length > 0 || leftMs <= 0 || signal.aborted;
      if (isOver || !startWaiting(service, id, { accountId: scope.accountId, superseded })) {
        return deliveries;
      }
      await delay(Math.min(pollIntervalMs, leftMs), undefined, { signal }).catch(() => {});
      await checkKey?.();
    }
    return [];
  } finally {
    if (service.listeners.get(id)?.superseded === superseded) {
      service.listeners.delete(id);
    }
  }
}

/** Lets a request wait, and ends the earlier one of the same listener. Returns whether there was room. */
function startWaiting({ listeners }: WebhooksService, id: string, own: WaitingListener): boolean {
  const before = listeners.get(id);
  const accountCount = listeners
    .values()
    .filter(({ accountId }) => accountId === own.accountId)
    .toArray().length;
  if (!before && !isWithinShare(accountCount, maxWaiting - listeners.size)) return false;
  if (before?.superseded !== own.superseded) before?.superseded.abort();
  listeners.set(id, own);
  return true;
}

/** Ends deliveries whose events were purged: they would be leased again and again. */
async function endPurged(
  service: WebhooksService,
  scope: Scope,
  endpointId: string,
  purged: LeasedDelivery[],
): Promise<void> {
  if (purged.length === 0) return;
  const results = purged.map((delivery) => ({
    delivery,
    status: "failed" as const,
    dueAtMs: null,
    lastStatus: eventPurged.status,
    lastError: eventPurged.error,
    tries: delivery.tries,
    endedMs: undefined,
  }));
  await service.store.writeAttempts({ scope, endpointId, results });
}

/** A delivery with its whole event; none if the event was purged. */
function toDeliveriesJson({ event, ...delivery }: LeasedDelivery): string[] {
  if (event === undefined) return [];
  const json = JSON.stringify(toDelivery(delivery));
  return [json.replace(`"event":"${delivery.eventId}"`, () => `"event":${event}`)];
}

/** The listener with an id. Errors: resource_missing; parameter_invalid if it has an address, or is disabled. */
async function getListener(service: WebhooksService, scope: Scope, id: string): Promise<Endpoint> {
  const { url, status, ...rest } = await getStoredEndpoint(service, scope, id);
  if (url === null && status === "enabled") return { url, status, ...rest };
  throw new ServiceError(
    "parameter_invalid",
    url === null
      ? "This listener is disabled. Enable it first."
      : "This endpoint is not a listener: its deliveries are sent to its url.",
    "id",
  );
}

/**
 * Records the outcome of a listener's delivery; a failed one is retried after 1 s, 5 s, 30 s and 2 min. An attempt
 * counts once, even if it is reported twice. Answers with the current delivery. Errors: resource_missing;
 * parameter_invalid if the endpoint has an address, or the listener is disabled.
 */
export async function reportDelivery(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: ReportDeliveryBody },
): Promise<Delivery> {
  await getListener(service, scope, id);
  const find = async () => {
    const found = await service.store.findDelivery(scope, body.delivery);
    if (found?.endpointId === id) return found;
    throw new ServiceError(
      "resource_missing",
      "This listener has no delivery with this id.",
      "delivery",
    );
  };
  const delivery = await find();
  const attempts = body.attempts ?? delivery.attempts;
  if (delivery.status === "pending" && attempts === delivery.attempts) {
    const { last_status: status = null } = body;
    const error = body.last_error == null ? null : maskAnswer(body.last_error);
    const nowMs = service.clock();
    const answer = typeof body.answer === "string" ? toAnswerText(Buffer.from(body.answer)) : null;
    const durationMs = body.duration_ms ?? null;
    const created = Math.floor((nowMs - (durationMs ?? 0)) / 1000);
    const made = { created, status, duration_ms: durationMs, error, answer };
    const result = {
      delivery,
      ...computeNextState(service, delivery, body.delivered),
      lastStatus: status,
      lastError: error,
      tries: appendTry(delivery.tries, made),
      endedMs: body.delivered ? nowMs : undefined, // a program in development may fail
    };
    await service.store.writeAttempts({ scope, endpointId: id, results: [result] });
  }
  return toDelivery(await find());
}

function computeNextState(
  { clock, jitter = Math.random }: WebhooksService,
  { id, attempts }: StoredDelivery,
  isDelivered: boolean,
): Pick<StoredDelivery, "status" | "dueAtMs"> {
  if (isDelivered) return { status: "delivered", dueAtMs: null };
  const random = () => jitter(`${id} ${attempts}`);
  const pauseMs = computeRetryPause(listenerSchedule, attempts + 1, { random });
  return pauseMs === undefined
    ? { status: "failed", dueAtMs: null }
    : { status: "pending", dueAtMs: clock() + pauseMs };
}
