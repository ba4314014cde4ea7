import { setTimeout as delay } from "node:timers/promises";
import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import { listActiveSecrets, type Endpoint } from "../domain/endpoint-state.ts";
import { endTry, eventGone, type DeliveryObserver } from "./end-delivery.ts";
import type { DueEndpoint, LeasedDelivery } from "../ports/event-store.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import type { WebhookSender } from "../ports/webhook-sender.ts";

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
/** An endpoint to which something is being delivered. */
type Queue = DueEndpoint & {
  /** How many deliveries are under way, each of which goes on with the next one when it has ended. */
  lanes: number;
  /** How many of them wait for a delivery. */
  asking: number;
  /** Deliveries that were taken together and are not begun yet, and when they were. */
  taken: LeasedDelivery[];
  takenAtMs: number;
  /** How long the last delivery took. */
  tookMs: number;
  /** Under way while more are taken: whether there were any. */
  taking: Promise<boolean> | undefined;
  /** Something was found due while no lane could be added for it. */
  isDueAgain: boolean;
  /** The store has failed: no lane goes on. */
  isBroken: boolean;
};

/**
 * Delivers what is due, in the background: at most 4 at once to an endpoint, 1 while it fails, 64 in all. Each goes by
 * itself, and slots are shared by account and then by endpoint: so one that is slow or dead keeps only its own
 * waiting. `wake` is to run `deliver` again soon.
 */
export function createWebhookWorker(
  ports: Ports,
  { sender, observe, wake }: { sender: WebhookSender; observe: DeliveryObserver; wake: () => void },
) {
  const slots = createFairSemaphore({ slots: atOnce.inAll });
  const queues = new Map<string, Queue>();
  const lanes = new Set<Promise<void>>();
  let isEnding = false;

  /** Begins with every endpoint for which something is due; resolves before what it began has ended. */
  async function deliver(): Promise<void> {
    let after: string | undefined = "";
    while (after !== undefined) {
      const due = await ports.store.findDueEndpoints(ports.clock(), after);
      if (isEnding) return;
      for (const endpoint of due.found) addLanes(endpoint);
      after = due.next;
    }
  }

  function addLanes(due: DueEndpoint): void {
    const queue = queues.get(due.endpointId) ?? newQueue(due);
    queues.set(due.endpointId, queue);
    queue.isBroken = false;
    const missing = mostLanes(queue) - queue.lanes;
    queue.isDueAgain = missing <= 0;
    for (let added = 0; added < missing; added++) {
      queue.lanes++;
      const lane = runLane(queue)
        .catch((error: unknown) => {
          if (!queue.isBroken) observe.broken(error);
          queue.isBroken = true;
        })
        .finally(() => {
          lanes.delete(lane);
          endLane(queue);
        });
      lanes.add(lane);
    }
  }

  function endLane(queue: Queue): void {
    queue.lanes--;
    if (queue.lanes === 0) queues.delete(queue.endpointId);
    // Where the store fails there is no hurry: it would be asked again and again.
    if (!queue.isBroken && (queue.lanes === 0 || queue.isDueAgain)) wake();
  }

  /** Delivers one after another, until nothing is due. Each time it gives way to those who hold fewer slots. */
  async function runLane(queue: Queue): Promise<void> {
    for (;;) {
      {
        using _ = await slots.acquire([queue.scope.accountId, queue.endpointId]);
        if (!(await deliverNext(queue))) return;
      }
      if (queue.isFailing) await delay(failingPauseMs);
    }
  }

  /** Delivers one; answers whether its lane goes on. */
  async function deliverNext(queue: Queue): Promise<boolean> {
    const { scope, endpointId } = queue;
    if (isEnding || queue.isBroken) return false;
    const delivery = await nextOf(queue);
    if (!delivery) return false;
    const beganMs = ports.clock();
    // Before each: so it is sent and signed as the endpoint is to be by now.
    const endpoint = await ports.store.findEndpoint(scope, endpointId);
    if (endpoint?.status !== "enabled") queue.taken = [];
    if (endpoint?.status !== "enabled" || isEnding || queue.isBroken) return false;
    const outcome = await tryOnce(scope, endpoint, delivery);
    if (isEnding && outcome.outcome === "failed") return false; // it was cut off here, not there
    await endTry(ports, observe, { scope, endpoint, delivery, outcome });
    queue.tookMs = ports.clock() - beganMs;
    if (outcome === eventGone) return true;
    const wasFailing = queue.isFailing;
    queue.isFailing = outcome.outcome === "failed";
    // Where it fails no longer it is begun with anew, with as many lanes as it may have then.
    return queue.isFailing ? queue.lanes <= atOnce.failing : !wasFailing;
  }

  async function nextOf(queue: Queue): Promise<LeasedDelivery | undefined> {
    queue.asking++;
    try {
      for (;;) {
        // What is too late for a try is left to whoever takes it when it is due again.
        if (ports.clock() > queue.takenAtMs + takenMs - tryMs) queue.taken = [];
        const next = queue.taken.shift();
        if (next) return next;
        queue.taking ??= takeMore(queue).finally(() => (queue.taking = undefined));
        if (!(await queue.taking)) return undefined;
      }
    } finally {
      queue.asking--;
    }
  }

  async function takeMore(queue: Queue): Promise<boolean> {
    await Promise.resolve(); // lanes that begin together take together
    const { scope, endpointId } = queue;
    const nowMs = ports.clock();
    const due = { nowMs, untilMs: nowMs + takenMs, limit: begunInTime(queue) };
    queue.taken = await ports.store.leaseDeliveries(scope, endpointId, due);
    queue.takenAtMs = nowMs;
    return queue.taken.length > 0;
  }

  async function tryOnce(scope: Scope, endpoint: Endpoint, delivery: LeasedDelivery) {
    if (delivery.event === undefined || endpoint.url === null) return eventGone;
    const nowMs = ports.clock();
    return await sender.send({
      url: endpoint.url,
      secrets: listActiveSecrets(endpoint, nowMs),
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
      while (lanes.size > 0) await Promise.all(lanes);
    },
  };
}

function newQueue(endpoint: DueEndpoint): Queue {
  return {
    ...endpoint,
    lanes: 0,
    asking: 0,
    taken: [],
    takenAtMs: 0,
    tookMs: Infinity,
    taking: undefined,
    isDueAgain: false,
    isBroken: false,
  };
}

function mostLanes({ isFailing }: Queue): number {
  return isFailing ? atOnce.failing : atOnce.usually;
}

/** How many to take next: more than are begun at once only where all of them are begun in time. */
function begunInTime({ isFailing, tookMs, asking }: Queue): number {
  const areQuick = !isFailing && tookMs * atOnce.taken <= takenMs - tryMs;
  return areQuick ? atOnce.taken : asking;
}
