import { setTimeout as delay } from "node:timers/promises";
import {
  type SendOutcome,
  type WebhookSender,
  type WebhooksService,
  buildWebhook,
} from "./webhooks-service.ts";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { DueEndpoint, LeasedDelivery } from "./deliveries-sql.ts";
import {
  type Concurrency,
  type Endpoint,
  attemptTimeoutMs,
  adaptConcurrency,
  createConcurrency,
  getMaxConcurrent,
  isPausing,
} from "./delivery-state.ts";
import type { Scope } from "../database/scope.ts";
import {
  type Attempt,
  type DeliveryObserver,
  eventPurged,
  recordAttempts,
} from "./record-attempt.ts";

/** Concurrent deliveries to all endpoints. */
const maxConcurrent = 64;
/** How many deliveries are leased together, and how many results wait to be written together. */
const batchSize = 64;
/** About how many deliveries of all endpoints are leased and have not begun; each has an event of up to 68 KiB. */
const maxLeased = 1024;
/** How long a result waits for others. */
const gatherMs = 10;
/** Longer than an attempt; a delivery that cannot end in time is left to the next owner. */
const leaseMs = 20_000;
/** How long a failing endpoint rests between two attempts, by default. */
const defaultFailingPauseMs = 250;

/** An endpoint with deliveries in progress. */
type EndpointQueue = {
  scope: Scope;
  endpointId: string;
  concurrency: Concurrency;
  /** The number of lanes; each delivers one event after another. */
  lanes: number;
  /** The number of lanes that wait for a delivery. */
  idleLanes: number;
  /** Deliveries that were leased together and have not begun. */
  leased: LeasedDelivery[];
  leasedAtMs: number;
  /** As many were leased as were asked for. */
  wasLeaseFull: boolean;
  /** Set while the next batch is leased; resolves with whether there was one. */
  leasing: Promise<boolean> | undefined;
  /** Set while the endpoint is looked up. */
  lookUp: Promise<Endpoint | undefined> | undefined;
  lastAttemptMs: number;
  /** Attempts whose results are not written yet. */
  ended: Attempt[];
  gathering: NodeJS.Timeout | undefined;
  /** Resolves once the results so far are written. */
  written: Promise<void>;
  /** Deliveries came due while it had as many lanes as it may have: they may not have been leased. */
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
 * Sends due deliveries in the background: to an endpoint as many at once as it has shown that it takes, 64 in total.
 * Slots are shared by account and then by endpoint, so that a slow or dead endpoint delays only its own deliveries.
 * `wake` schedules another run of `deliver`.
 */
export function createWebhookWorker(
  service: WebhooksService,
  { sender, observe, wake, failingPauseMs = defaultFailingPauseMs }: WorkerOptions,
) {
  const semaphore = createFairSemaphore({ slots: maxConcurrent });
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
    queue.hasMoreDue = queue.lanes >= getMaxConcurrent(queue.concurrency);
    startLanes(queue);
  }

  function startLanes(queue: EndpointQueue): void {
    while (queue.lanes < getMaxConcurrent(queue.concurrency)) {
      queue.lanes++;
      const lane = runLane(queue).finally(() => lanes.delete(lane));
      lanes.add(lane);
    }
  }

  async function runLane(queue: EndpointQueue): Promise<void> {
    await drainEndpoint(queue).catch((error: unknown) => stopQueue(queue, error));
    if (queue.lanes === 0) await writeResults(queue);
    const isOver = queue.lanes === 0 && queues.get(queue.endpointId) === queue;
    if (isOver) queues.delete(queue.endpointId);
    // After an error of the store, waking would repeat the failing query without a pause.
    if (!queue.isBroken && (isOver || queue.hasMoreDue)) wake();
  }

  function stopQueue(queue: EndpointQueue, error: unknown): void {
    if (!queue.isBroken) observe.broken(error);
    queue.isBroken = true;
  }

  /** Delivers one event after another until nothing is due, and releases its slot after each. */
  async function drainEndpoint(queue: EndpointQueue): Promise<void> {
    try {
      for (;;) {
        {
          using _ = await semaphore.acquire([queue.scope.accountId, queue.endpointId]);
          if (isLaneTooMany(queue) || !(await deliverNext(queue)) || isLaneTooMany(queue)) return;
        }
        if (isPausing(queue.concurrency)) await delay(failingPauseMs);
      }
    } finally {
      queue.lanes--; // at once, so that of lanes that are too many only these end
    }
  }

  /** Delivers one event; returns false if nothing is due, or nothing more may be sent. */
  async function deliverNext(queue: EndpointQueue): Promise<boolean> {
    if (isEnding || queue.isBroken) return false;
    const delivery = await takeNextDelivery(queue);
    if (!delivery) return false;
    const endpoint = await lookUpEndpoint(queue);
    // A listener's has no url, and is never due here.
    if (endpoint?.status !== "enabled" || endpoint.url === null) {
      queue.leased = [];
      return false;
    }
    if (isEnding || queue.isBroken) return false;
    const { url } = endpoint;
    const startMs = service.clock();
    const outcome = await attempt(queue.scope, { ...endpoint, url }, delivery, startMs);
    const isDelivered = outcome.outcome === "delivered";
    if (isEnding && !isDelivered) return false; // this process cut it off, not the endpoint
    const endMs = service.clock();
    queue.ended.push({ endpoint, delivery, outcome, startMs, endMs });
    if (outcome !== eventPurged) {
      const durationMs = endMs - startMs;
      queue.lastAttemptMs = durationMs;
      const areMoreDue = queue.leased.length > 0 || queue.wasLeaseFull;
      const ended = { isDelivered, durationMs, areMoreDue };
      queue.concurrency = adaptConcurrency(queue.concurrency, ended);
      if (areMoreDue) startLanes(queue);
    }
    // A failure is written first: the endpoint may be disabled by it.
    if (!isDelivered || queue.ended.length >= batchSize) await writeResults(queue);
    else queue.gathering ??= setTimeout(() => void writeResults(queue), gatherMs);
    return true;
  }

  /** Writes the results so far together, after those before them; resolves once they are written. */
  async function writeResults(queue: EndpointQueue): Promise<void> {
    clearTimeout(queue.gathering);
    queue.gathering = undefined;
    queue.written = queue.written
      .then(async () => recordAttempts(service, observe, queue, queue.ended.splice(0)))
      .catch((error: unknown) => stopQueue(queue, error));
    await queue.written;
  }

  /** Lanes that begin together look up together: its address, secret or status may have changed since the last time. */
  async function lookUpEndpoint(queue: EndpointQueue): Promise<Endpoint | undefined> {
    queue.lookUp ??= service.store
      .findEndpoint(queue.scope, queue.endpointId)
      .finally(() => (queue.lookUp = undefined));
    return await queue.lookUp;
  }

  async function takeNextDelivery(queue: EndpointQueue): Promise<LeasedDelivery | undefined> {
    queue.idleLanes++;
    try {
      for (;;) {
        if (service.clock() > queue.leasedAtMs + leaseMs - attemptTimeoutMs) queue.leased = [];
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
    const { scope, endpointId, concurrency, lastAttemptMs, idleLanes } = queue;
    // More than the lanes take at once are leased only if the endpoint is quick enough for all to begin in time.
    const allBegunMs = (lastAttemptMs * batchSize) / getMaxConcurrent(concurrency);
    const isQuick = !isPausing(concurrency) && allBegunMs <= leaseMs - attemptTimeoutMs;
    const maxShare = Math.min(batchSize, Math.floor(maxLeased / queues.size));
    const limit = isQuick ? Math.max(maxShare, idleLanes) : idleLanes;
    const due = { nowMs, untilMs: nowMs + leaseMs, limit };
    queue.leased = await service.store.leaseDeliveries(scope, endpointId, due);
    queue.leasedAtMs = nowMs;
    queue.wasLeaseFull = queue.leased.length === limit;
    return queue.leased.length > 0;
  }

  async function attempt(
    scope: Scope,
    endpoint: Endpoint & { url: string },
    { event, eventId }: LeasedDelivery,
    nowMs: number,
  ): Promise<SendOutcome> {
    if (event === undefined) return eventPurged;
    const sent = { id: eventId, body: event, nowMs };
    return await sender.send(buildWebhook(service, scope, endpoint, sent));
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

/** Whether an endpoint has more lanes than it may get deliveries at once. */
function isLaneTooMany({ lanes, concurrency }: EndpointQueue): boolean {
  return lanes > getMaxConcurrent(concurrency);
}

function createQueue({ scope, endpointId, isFailing }: DueEndpoint): EndpointQueue {
  return {
    scope,
    endpointId,
    concurrency: createConcurrency({ isFailing }),
    lanes: 0,
    idleLanes: 0,
    leased: [],
    leasedAtMs: 0,
    wasLeaseFull: false,
    leasing: undefined,
    lookUp: undefined,
    lastAttemptMs: Infinity, // unknown: the first lease is small
    ended: [],
    gathering: undefined,
    written: Promise.resolve(),
    hasMoreDue: false,
    isBroken: false,
  };
}
