import { setTimeout as delay } from "node:timers/promises";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import { listActiveSecrets, type Endpoint } from "../domain/endpoint-state.ts";
import type { DueEndpoint, LeasedDelivery } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import type { SendOutcome, WebhookSender } from "../ports/webhook-sender.ts";
import { eventPurged, recordAttempt, type DeliveryObserver } from "./record-attempt.ts";

/** How many deliveries are under way at once: to an endpoint that fails, to any other, and in all. */
const maxConcurrent = { failing: 1, healthy: 4, total: 64 };
/** How many deliveries are leased together. */
const batchSize = 16;
const leaseMs = 20_000;
/** An attempt may take this much of a lease; a delivery that cannot begin in time is left to the next owner. */
const attemptMs = 15_000;
/** How long a failing endpoint rests between two attempts. */
const failingPauseMs = 250;

/** An endpoint to which something is being delivered. */
type EndpointQueue = DueEndpoint & {
  /** How many lanes there are, each of which delivers one event after another. */
  lanes: number;
  /** How many lanes wait for a delivery. */
  idleLanes: number;
  /** Deliveries that were leased together and have not begun. */
  leased: LeasedDelivery[];
  leasedAtMs: number;
  /** Under way while more are leased: whether there were any. */
  leasing: Promise<boolean> | undefined;
  lastAttemptMs: number;
  /** Something was due when no lane could be added. */
  isDueAgain: boolean;
  /** The store failed: every lane stops. */
  isBroken: boolean;
};

/**
 * Delivers what is due, in the background: at most 4 at once to an endpoint, 1 while it fails, 64 in all. Slots are
 * shared by account and then by endpoint, so that a slow or dead endpoint delays only its own deliveries. `wake` is
 * to run `deliver` again soon.
 */
export function createWebhookWorker(
  ports: Ports,
  { sender, observe, wake }: { sender: WebhookSender; observe: DeliveryObserver; wake: () => void },
) {
  const semaphore = createFairSemaphore({ slots: maxConcurrent.total });
  const queues = new Map<string, EndpointQueue>();
  const lanes = new Set<Promise<void>>();
  let isEnding = false;

  /** Starts every endpoint for which something is due; resolves before their deliveries have ended. */
  async function deliver(): Promise<void> {
    let after: string | undefined = "";
    while (after !== undefined) {
      const due = await ports.store.findDueEndpoints(ports.clock(), after);
      if (isEnding) return;
      for (const endpoint of due.found) startEndpoint(endpoint);
      after = due.next;
    }
  }

  function startEndpoint(due: DueEndpoint): void {
    const queue = queues.get(due.endpointId) ?? createQueue(due);
    queues.set(due.endpointId, queue);
    queue.isBroken = false;
    const max = queue.isFailing ? maxConcurrent.failing : maxConcurrent.healthy;
    queue.isDueAgain = queue.lanes >= max;
    for (; queue.lanes < max; queue.lanes++) {
      const lane = drainEndpoint(queue)
        .catch((error: unknown) => {
          if (!queue.isBroken) observe.broken(error);
          queue.isBroken = true;
        })
        .finally(() => {
          lanes.delete(lane);
          queue.lanes--;
          if (queue.lanes === 0) queues.delete(queue.endpointId);
          // A store that fails would be asked again and again.
          if (!queue.isBroken && (queue.lanes === 0 || queue.isDueAgain)) wake();
        });
      lanes.add(lane);
    }
  }

  /** Delivers one event after another until nothing is due, and hands its slot back after each. */
  async function drainEndpoint(queue: EndpointQueue): Promise<void> {
    for (;;) {
      {
        using _ = await semaphore.acquire([queue.scope.accountId, queue.endpointId]);
        if (!(await deliverNext(queue))) return;
      }
      if (queue.isFailing) await delay(failingPauseMs);
    }
  }

  /** Delivers one event; false where its lane is to end. */
  async function deliverNext(queue: EndpointQueue): Promise<boolean> {
    const { scope, endpointId } = queue;
    if (isEnding || queue.isBroken) return false;
    const delivery = await nextDelivery(queue);
    if (!delivery) return false;
    const beganMs = ports.clock();
    // Read before each attempt, because the endpoint's address, secret or status may have changed.
    const endpoint = await ports.store.findEndpoint(scope, endpointId);
    if (endpoint?.status !== "enabled") queue.leased = [];
    if (endpoint?.status !== "enabled" || isEnding || queue.isBroken) return false;
    const outcome = await attempt(scope, endpoint, delivery);
    if (isEnding && outcome.outcome === "failed") return false; // this process cut it off, not the endpoint
    await recordAttempt(ports, observe, { scope, endpoint, delivery, outcome });
    queue.lastAttemptMs = ports.clock() - beganMs;
    if (outcome === eventPurged) return true;
    const wasFailing = queue.isFailing;
    queue.isFailing = outcome.outcome === "failed";
    // An endpoint that has recovered is started anew, with all its lanes.
    return queue.isFailing ? queue.lanes <= maxConcurrent.failing : !wasFailing;
  }

  async function nextDelivery(queue: EndpointQueue): Promise<LeasedDelivery | undefined> {
    queue.idleLanes++;
    try {
      for (;;) {
        if (ports.clock() > queue.leasedAtMs + leaseMs - attemptMs) queue.leased = [];
        const next = queue.leased.shift();
        if (next) return next;
        queue.leasing ??= leaseMore(queue).finally(() => (queue.leasing = undefined));
        if (!(await queue.leasing)) return undefined;
      }
    } finally {
      queue.idleLanes--;
    }
  }

  async function leaseMore(queue: EndpointQueue): Promise<boolean> {
    await Promise.resolve(); // lanes that begin together lease together
    const nowMs = ports.clock();
    // More than one each only where the endpoint is quick enough for all of them to begin in time.
    const isQuick = !queue.isFailing && queue.lastAttemptMs * batchSize <= leaseMs - attemptMs;
    const limit = isQuick ? batchSize : queue.idleLanes;
    const due = { nowMs, untilMs: nowMs + leaseMs, limit };
    queue.leased = await ports.store.leaseDeliveries(queue.scope, queue.endpointId, due);
    queue.leasedAtMs = nowMs;
    return queue.leased.length > 0;
  }

  async function attempt(
    scope: Scope,
    endpoint: Endpoint,
    { event, eventId }: LeasedDelivery,
  ): Promise<SendOutcome> {
    if (event === undefined || endpoint.url === null) return eventPurged;
    const nowMs = ports.clock();
    return await sender.send({
      url: endpoint.url,
      secrets: listActiveSecrets(endpoint, nowMs),
      eventId,
      body: event,
      nowMs,
      allowHttp: !scope.livemode || ports.webhooks.allowsPrivate,
    });
  }

  return {
    deliver,
    /** Starts nothing more; an attempt under way counts only if it succeeds. */
    end: (): void => {
      isEnding = true;
    },
    /** Resolves when nothing is under way. */
    idle: async (): Promise<void> => {
      while (lanes.size > 0) await Promise.all(lanes);
    },
  };
}

function createQueue(endpoint: DueEndpoint): EndpointQueue {
  return {
    ...endpoint,
    lanes: 0,
    idleLanes: 0,
    leased: [],
    leasedAtMs: 0,
    leasing: undefined,
    lastAttemptMs: Infinity,
    isDueAgain: false,
    isBroken: false,
  };
}
