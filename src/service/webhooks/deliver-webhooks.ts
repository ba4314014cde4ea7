import { setTimeout as delay } from "node:timers/promises";
import type { SendOutcome, WebhookSender, WebhooksService } from "./webhooks-service.ts";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { Endpoint } from "./delivery-state.ts";
import type { DueEndpoint, LeasedDelivery } from "./deliveries-sql.ts";
import type { Scope } from "../database/scope.ts";
import {
  type DeliveryObserver,
  buildWebhook,
  eventPurged,
  recordAttempt,
} from "./record-attempt.ts";

/** Concurrent deliveries: to an endpoint that fails, to any other, and in total. */
const maxConcurrent = { failing: 1, healthy: 4, total: 64 };
/** How many deliveries are leased together. */
const batchSize = 16;
const leaseMs = 20_000;
/** The part of a lease for one attempt; a delivery that cannot begin in time is left to the next owner. */
const attemptMs = 15_000;
/** How long a failing endpoint rests between two attempts, by default. */
const defaultFailingPauseMs = 250;

/** An endpoint with deliveries in progress. */
type EndpointQueue = DueEndpoint & {
  /** The number of lanes; each delivers one event after another. */
  lanes: number;
  /** The number of lanes that wait for a delivery. */
  idleLanes: number;
  /** Deliveries that were leased together and have not begun. */
  leased: LeasedDelivery[];
  leasedAtMs: number;
  /** Set while the next batch is leased; resolves with whether there was one. */
  leasing: Promise<boolean> | undefined;
  lastAttemptMs: number;
  /** A delivery came due when no lane could be added. */
  hasMoreDue: boolean;
  /** The store failed: every lane stops. */
  isBroken: boolean;
};

type WorkerOptions = {
  sender: WebhookSender;
  observe: DeliveryObserver;
  wake: () => void;
  failingPauseMs?: number;
};

/**
 * Sends due deliveries in the background: at most 4 at once to an endpoint, 1 while it fails, 64 in total. Slots are
 * shared by account and then by endpoint, so that a slow or dead endpoint delays only its own deliveries. `wake`
 * schedules another run of `deliver`.
 */
export function createWebhookWorker(
  service: WebhooksService,
  { sender, observe, wake, failingPauseMs = defaultFailingPauseMs }: WorkerOptions,
) {
  const semaphore = createFairSemaphore({ slots: maxConcurrent.total });
  const queues = new Map<string, EndpointQueue>();
  const lanes = new Set<Promise<void>>();
  let isEnding = false;

  /** Starts every endpoint with due deliveries; resolves before the deliveries have ended. */
  async function deliver(): Promise<void> {
    let after: string | undefined = "";
    while (after !== undefined) {
      const due = await service.store.findDueEndpoints(service.clock(), after);
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
    queue.hasMoreDue = queue.lanes >= max;
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
          // After an error of the store, waking would repeat the failing query without a pause.
          if (!queue.isBroken && (queue.lanes === 0 || queue.hasMoreDue)) wake();
        });
      lanes.add(lane);
    }
  }

  /** Delivers one event after another until nothing is due, and releases its slot after each. */
  async function drainEndpoint(queue: EndpointQueue): Promise<void> {
    for (;;) {
      {
        using _ = await semaphore.acquire([queue.scope.accountId, queue.endpointId]);
        if (!(await deliverNext(queue))) return;
      }
      if (queue.isFailing) await delay(failingPauseMs);
    }
  }

  /** Delivers one event; returns false if its lane should end. */
  async function deliverNext(queue: EndpointQueue): Promise<boolean> {
    const { scope, endpointId } = queue;
    if (isEnding || queue.isBroken) return false;
    const delivery = await takeNextDelivery(queue);
    if (!delivery) return false;
    const startMs = service.clock();
    // Read before each attempt, because the endpoint's address, secret or status may have changed.
    const endpoint = await service.store.findEndpoint(scope, endpointId);
    if (endpoint?.status !== "enabled") queue.leased = [];
    if (endpoint?.status !== "enabled" || isEnding || queue.isBroken) return false;
    const sentMs = service.clock();
    const outcome = await attempt(scope, endpoint, delivery, sentMs);
    if (isEnding && outcome.outcome === "failed") return false; // this process cut it off, not the endpoint
    const attempted = { scope, endpoint, delivery, outcome, startMs: sentMs };
    await recordAttempt(service, observe, attempted);
    queue.lastAttemptMs = service.clock() - startMs;
    if (outcome === eventPurged) return true;
    const wasFailing = queue.isFailing;
    queue.isFailing = outcome.outcome === "failed";
    // An endpoint that has recovered is started anew, with all its lanes.
    return queue.isFailing ? queue.lanes <= maxConcurrent.failing : !wasFailing;
  }

  async function takeNextDelivery(queue: EndpointQueue): Promise<LeasedDelivery | undefined> {
    queue.idleLanes++;
    try {
      for (;;) {
        if (service.clock() > queue.leasedAtMs + leaseMs - attemptMs) queue.leased = [];
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
    const nowMs = service.clock();
    // A lane leases more than one delivery only if the endpoint is quick enough for all of them to begin in time.
    const isQuick = !queue.isFailing && queue.lastAttemptMs * batchSize <= leaseMs - attemptMs;
    const limit = isQuick ? batchSize : queue.idleLanes;
    const due = { nowMs, untilMs: nowMs + leaseMs, limit };
    queue.leased = await service.store.leaseDeliveries(queue.scope, queue.endpointId, due);
    queue.leasedAtMs = nowMs;
    return queue.leased.length > 0;
  }

  async function attempt(
    scope: Scope,
    endpoint: Endpoint,
    { event, eventId }: LeasedDelivery,
    nowMs: number,
  ): Promise<SendOutcome> {
    if (event === undefined || endpoint.url === null) return eventPurged;
    const { url } = endpoint;
    return await sender.send(
      buildWebhook(service, scope, { ...endpoint, url }, { id: eventId, body: event, nowMs }),
    );
  }

  return {
    deliver,
    /** Starts nothing more; an attempt in progress counts only if it succeeds. */
    end: (): void => {
      isEnding = true;
    },
    /** Resolves when no delivery is in progress. */
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
    hasMoreDue: false,
    isBroken: false,
  };
}
