import { setTimeout as delay } from "node:timers/promises";
import type {
  Delivery,
  ReportDeliveryBody,
  StartListenerBody,
  TakeDeliveriesBody,
} from "../../contract/delivery.ts";
import { maxDeliveriesPerRequest } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { isWithinShare } from "../../runtime/fair-semaphore.ts";
import {
  listenerTimeoutMs,
  listenerSchedule,
  computeNextAttempt,
} from "../domain/delivery-schedule.ts";
import { toIdBound } from "../domain/object-id.ts";
import { toWebhookEndpoint, type Endpoint } from "../domain/endpoint-state.ts";
import { toDelivery } from "./deliveries.ts";
import type { StoredDelivery, LeasedDelivery } from "../ports/event-store.ts";
import { describeAbandoned, abandonDeliveries } from "./abandon-deliveries.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports, WaitingListener } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";

// What `payments listen` asks: an endpoint without an address, whose deliveries are taken.

/** How long what was taken is left to whoever took it: longer than a forwarded request takes. */
const takenMs = 60_000;
/** Who waits is a request in flight: so many leave room for all others. Accounts share them. */
const waitingAtOnce = 100;
const lookAgainMs = 200;
const queuedAtOnce = 500;
/** So far back a listener looks: it takes some seconds. */
const mostQueued = 100_000;
/** So little is missing where a listener was away for as long as events are queued for it. */
const seenEveryMs = 60_000;
/** An event's id is so little older than its commit, whichever replica made it. */
const overlapMs = 10_000;

/**
 * Says where a listener goes on from: what waits for it, of the last 24 h; with `since` also what has
 * happened from then on (Unix seconds) and has not reached it; with `only_new` nothing of before. It stops where
 * `gone` says that nobody waits for it. Errors: resource_missing, parameter_invalid where the endpoint has an
 * address or too much has happened, service_unavailable where the service ends.
 */
export async function startListener(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: StartListenerBody },
  gone?: AbortSignal,
): Promise<WebhookEndpoint> {
  const { since, only_new: onlyNew } = body;
  const listener = await getListener(ports, scope, id);
  const nowMs = ports.clock();
  if (onlyNew) {
    await ports.store.extendQueueing(scope, id, nowMs + listenerTimeoutMs);
    await abandonDeliveries(ports, scope, id, { reason: "Only what is new was asked for." });
  } else {
    await goOn(ports, scope, listener, { since, ended: endOf(ports, gone) });
    // Of a name only one listens at a time: whoever took something before has gone.
    await ports.store.makeDueNow(scope, id, nowMs);
  }
  return toWebhookEndpoint(listener, scope);
}

/** Goes on from a time in Unix seconds, or else from where a listener was, within the last day. */
async function goOn(
  ports: Ports,
  scope: Scope,
  { id, queuesUntilMs }: Endpoint,
  { since, ended }: { since?: number | null | undefined; ended: AbortSignal },
): Promise<void> {
  const { store, clock } = ports;
  const nowMs = clock();
  const beforeMs = nowMs - listenerTimeoutMs;
  await abandonDeliveries(ports, scope, id, {
    beforeMs,
    reason: "Nobody listened for a day.",
    ended,
  });
  const wasAway = queuesUntilMs <= nowMs;
  if (typeof since === "number") {
    await queueSince(ports, scope, id, { since, revives: true, ended });
  } else if (wasAway) {
    await queueSince(ports, scope, id, { since: secondsOf(beforeMs), ended });
  }
  // Only now: what is broken off before is begun anew the next time.
  await store.extendQueueing(scope, id, clock() + listenerTimeoutMs);
  if (wasAway) await queueSince(ports, scope, id, { since: secondsOf(nowMs - overlapMs) });
}

function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** Aborted where nobody waits for an answer any more. */
function endOf({ shutdown }: Ports, gone?: AbortSignal): AbortSignal {
  return AbortSignal.any([gone, shutdown].filter((signal) => signal !== undefined));
}

/** Queues what happened from a time on, in Unix seconds, until now. */
async function queueSince(
  { store, clock }: Ports,
  scope: Scope,
  endpointId: string,
  { since, revives = false, ended }: { since: number; revives?: boolean; ended?: AbortSignal },
): Promise<void> {
  const end = toIdBound("evt_", secondsOf(clock()) + 1);
  let above: string | undefined = toIdBound("evt_", since);
  for (let queued = 0; above !== undefined && above < end; queued += queuedAtOnce) {
    if (ended?.aborted) throw describeAbandoned();
    if (queued >= mostQueued) throw tooFarBack();
    const nowMs = clock();
    above = await store.requeueEvents({
      scope,
      endpointId,
      above,
      limit: queuedAtOnce,
      nowMs,
      includesFailed: revives,
    });
  }
}

function tooFarBack(): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    `since goes too far back: more than ${mostQueued} events have happened from then on, or in the last day. Send a later one, or only_new.`,
    "since",
  );
}

/**
 * Takes a listener's deliveries, in JSON: as soon as there are any, or none when the time is over. It is over at
 * once where too many wait already, or where the same listener asks again. Errors: resource_missing,
 * parameter_invalid where the endpoint has an address, or is disabled.
 */
export async function takeDeliveries(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: TakeDeliveriesBody },
  gone?: AbortSignal,
): Promise<string[]> {
  const followed = new AbortController();
  const ended = AbortSignal.any([endOf(ports, gone), followed.signal]);
  const limit = body.limit ?? maxDeliveriesPerRequest;
  const deadlineMs = performance.now() + (body.wait_seconds ?? 0) * 1000;
  try {
    while (!ended.aborted) {
      const listener = await getListener(ports, scope, id);
      const nowMs = ports.clock();
      const untilMs = nowMs + listenerTimeoutMs;
      if (listener.queuesUntilMs <= nowMs) await goOn(ports, scope, listener, { ended });
      else if (listener.queuesUntilMs < untilMs - seenEveryMs) {
        await ports.store.extendQueueing(scope, id, untilMs);
      }
      if (ended.aborted) break;
      const due = { nowMs, untilMs: nowMs + takenMs, limit };
      const taken = await ports.store.leaseDeliveries(scope, id, due);
      const leftMs = deadlineMs - performance.now();
      const isOver = taken.length > 0 || leftMs <= 0 || ended.aborted;
      const own = { accountId: scope.accountId, superseded: followed };
      if (isOver || !waits(ports, id, own)) return taken.flatMap(shownTaken);
      await delay(Math.min(lookAgainMs, leftMs), undefined, { signal: ended }).catch(() => {});
    }
    return [];
  } finally {
    if (ports.waitingListeners.get(id)?.superseded === followed) ports.waitingListeners.delete(id);
  }
}

/** Waits in the place of whoever waited for the same listener before; false where there is no place. */
function waits({ waitingListeners }: Ports, id: string, own: WaitingListener): boolean {
  const before = waitingListeners.get(id);
  const ofAccount = [...waitingListeners.values()].filter(
    ({ accountId }) => accountId === own.accountId,
  );
  if (!before && !isWithinShare(ofAccount.length, waitingAtOnce - waitingListeners.size))
    return false;
  if (before?.superseded !== own.superseded) before?.superseded.abort();
  waitingListeners.set(id, own);
  return true;
}

/** A delivery with its event whole, in JSON; one whose event is kept no longer is left to be given up. */
function shownTaken({ event, ...delivery }: LeasedDelivery): string[] {
  if (event === undefined) return [];
  const shown = JSON.stringify(toDelivery(delivery));
  return [shown.replace(`"event":"${delivery.eventId}"`, () => `"event":${event}`)];
}

/**
 * Writes how a delivery went that a listener has taken; one that failed is due again after 1 s, 5 s, 30 s
 * and 2 min. A try that was reported before is not counted again. Answers the delivery as it is by now.
 * Errors: resource_missing.
 */
export async function reportDelivery(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: ReportDeliveryBody },
): Promise<Delivery> {
  await getListener(ports, scope, id);
  const find = async () => {
    const found = await ports.store.findDelivery(scope, body.delivery);
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
    await ports.store.endDelivery({
      scope,
      delivery,
      ...outcomeOf(ports, delivery, body.delivered),
      lastStatus: body.last_status ?? null,
      lastError: body.last_error ?? null,
      failingSinceMs: undefined,
    });
  }
  return toDelivery(await find());
}

function outcomeOf(
  { clock }: Ports,
  { attempts }: StoredDelivery,
  isDelivered: boolean,
): Pick<StoredDelivery, "status" | "dueAtMs"> {
  if (isDelivered) return { status: "delivered", dueAtMs: null };
  const pauseMs = computeNextAttempt(listenerSchedule, attempts + 1, { random: Math.random });
  return pauseMs === undefined
    ? { status: "failed", dueAtMs: null }
    : { status: "pending", dueAtMs: clock() + pauseMs };
}

async function getListener(ports: Ports, scope: Scope, id: string): Promise<Endpoint> {
  const endpoint = await getStoredEndpoint(ports, scope, id);
  if (endpoint.url !== null) {
    throw new ServiceError(
      "parameter_invalid",
      "This endpoint has an address: its deliveries are sent there.",
      "id",
    );
  }
  if (endpoint.status === "enabled") return endpoint;
  throw new ServiceError("parameter_invalid", "This listener is disabled. Enable it first.", "id");
}
