import { setTimeout as delay } from "node:timers/promises";
import { nextTryMs } from "../domain/delivery-schedule.ts";
import { secretsAt, type Endpoint } from "../domain/webhook-endpoint.ts";
import { disableEndpoint } from "./change-webhook-endpoints.ts";
import type { DueEndpoint, TakenDelivery } from "./event-store.ts";
import type { Scope } from "./kept-answers.ts";
import type { Ports } from "./ports.ts";
import { allOf } from "./settle-payments.ts";
import type { SendOutcome, WebhookSender } from "./webhook-sender.ts";

/** How many are sent at once to an endpoint that fails, to one that does not, to all; and at most taken together. */
const atOnce = { failing: 1, usually: 4, inAll: 64, taken: 16 };
/**
 * How long what was taken is left to the process that took it, and how much of that a try may take: what is not
 * begun in time is left to whoever takes it then.
 */
const takenMs = 20_000;
const tryMs = 15_000;
/** How long an endpoint that fails rests between two tries. */
const failingPauseMs = 250;
/** How long an endpoint may fail before it is disabled. */
const failsForMs = 5 * 24 * 60 * 60 * 1000;

/** Told what becomes of deliveries and endpoints; it must not throw. */
export type DeliveryObserver = {
  /** `retried`: it is tried again later; `failed`: no more. */
  ended: (outcome: "delivered" | "retried" | "failed") => void;
  disabled: (scope: Scope, endpointId: string, reason: "gone" | "failing") => void;
  /** The store failed; what was taken is taken again later. */
  broken: (error: unknown) => void;
};

/**
 * Delivers what is due, in the background: at most 4 at once to an endpoint, 1 while it fails, 64 in all, so
 * that one that is slow or dead keeps only its own waiting. `wake` is to run `deliver` again soon.
 */
export function createDeliverer(
  ports: Ports,
  { sender, observe, wake }: { sender: WebhookSender; observe: DeliveryObserver; wake: () => void },
) {
  const busy = new Map<string, Promise<void>>();
  let free = atOnce.inAll;
  let areOthersWaiting = false;
  let isEnding = false;

  /** Begins with every endpoint for which something is due, as far as there are places. */
  async function deliver(): Promise<void> {
    const due = await ports.store.dueEndpoints(ports.clock());
    const idle = due.filter((endpoint) => !busy.has(endpoint.endpointId));
    const first = Math.floor(Math.random() * idle.length);
    areOthersWaiting = false;
    for (const endpoint of [...idle.slice(first), ...idle.slice(0, first)]) {
      if (isEnding) return;
      areOthersWaiting = free === 0;
      if (areOthersWaiting) return;
      begin(endpoint);
    }
  }

  function begin(endpoint: DueEndpoint): void {
    const places = Math.min(free, endpoint.isFailing ? atOnce.failing : atOnce.usually);
    free -= places;
    const working = work(endpoint, places)
      .finally(() => {
        free += places;
        busy.delete(endpoint.endpointId);
      })
      // Where the store fails there is no hurry: it would be asked again and again.
      .then(wake, observe.broken);
    busy.set(endpoint.endpointId, working);
  }

  /** Delivers batch by batch, until nothing is due, others wait for a place, or it fails or no longer does. */
  async function work({ scope, endpointId, isFailing }: DueEndpoint, places: number) {
    let limit = places;
    for (;;) {
      const nowMs = ports.clock();
      const due = { nowMs, untilMs: nowMs + takenMs, limit };
      const taken = await ports.store.takeDeliveries(scope, endpointId, due);
      if (taken.length === 0) return;
      const next = taken.values();
      let hasFailed = false;
      let isOver = false;
      const tryEach = async () => {
        for (const delivery of next) {
          // Before each: so it is sent and signed as the endpoint is to be by now.
          const endpoint = await ports.store.findEndpoint(scope, endpointId);
          isOver = endpoint?.status !== "enabled";
          if (!endpoint || isOver || isEnding || ports.clock() > due.untilMs - tryMs) return;
          const outcome = await tryOnce(scope, endpoint, delivery);
          if (isEnding && outcome.outcome === "failed") return; // it was cut off here, not there
          hasFailed ||= outcome.outcome === "failed" && outcome !== eventGone;
          await endTry(scope, { endpoint, delivery, outcome });
        }
      };
      allOf(await Promise.allSettled(Array.from({ length: places }, tryEach)));
      if (isOver || hasFailed !== isFailing || areOthersWaiting || isEnding) return;
      // Much may wait for it: to find out that it still fails must not keep others from being served.
      if (isFailing) await delay(failingPauseMs);
      if (!isFailing) limit = begunInTime(taken.length, ports.clock() - nowMs, places);
    }
  }

  /** Writes how a try went, and disables its endpoint where there is no use in another. */
  async function endTry(
    scope: Scope,
    tried: { endpoint: Endpoint; delivery: TakenDelivery; outcome: SendOutcome },
  ): Promise<void> {
    const { endpoint, delivery, outcome } = tried;
    if (outcome.outcome === "delivered") {
      const hasEnded = await ports.store.endDelivery({
        scope,
        delivery,
        status: "delivered",
        dueAtMs: null,
        lastStatus: outcome.status,
        lastError: null,
        failingSinceMs: null,
      });
      if (hasEnded) observe.ended("delivered");
      return;
    }
    const nowMs = ports.clock();
    const { retryAfterMs, isGone } = outcome;
    const isEndpointAtFault = outcome !== eventGone;
    const pauseMs = nextTryMs(ports.webhooks.schedule, delivery.attempts + 1, {
      retryAfterMs,
      random: Math.random,
    });
    const isLast = pauseMs === undefined || !isEndpointAtFault || isGone;
    const hasEnded = await ports.store.endDelivery({
      scope,
      delivery,
      status: isLast ? "failed" : "pending",
      dueAtMs: isLast ? null : nowMs + pauseMs,
      lastStatus: outcome.status,
      lastError: outcome.error,
      failingSinceMs: isEndpointAtFault ? nowMs : undefined,
    });
    if (hasEnded) observe.ended(isLast ? "failed" : "retried");
    const hasFailedForLong = nowMs - (endpoint.failingSinceMs ?? nowMs) >= failsForMs;
    const reason = isGone ? "gone" : hasFailedForLong && isEndpointAtFault ? "failing" : undefined;
    if (reason && (await disableEndpoint(ports, scope, endpoint, reason))) {
      observe.disabled(scope, endpoint.id, reason);
    }
  }

  async function tryOnce(scope: Scope, endpoint: Endpoint, delivery: TakenDelivery) {
    if (delivery.event === undefined || endpoint.url === null) return eventGone;
    const nowMs = ports.clock();
    return await sender.send({
      url: endpoint.url,
      secrets: secretsAt(endpoint, nowMs),
      eventId: delivery.eventId,
      body: delivery.event,
      nowMs,
      allowHttp: !scope.livemode || ports.webhooks.allowsPrivate,
    });
  }

  return {
    deliver,
    /** Begins with nothing more; what is on its way is left to whoever goes on, unless it succeeds. */
    end: (): void => {
      isEnding = true;
    },
    /** Resolves when nothing is on its way. */
    idle: async (): Promise<void> => {
      await Promise.all(busy.values());
    },
  };
}

/** How many to take next: at the pace of those before, none of them is left, taken, for lack of time. */
function begunInTime(count: number, tookMs: number, places: number): number {
  const inTime = Math.floor((count * (takenMs - tryMs)) / tookMs);
  return Math.min(Math.max(inTime, places), atOnce.taken);
}

const eventGone: SendOutcome = {
  outcome: "failed",
  status: null,
  error: "The event is kept no longer.",
};
