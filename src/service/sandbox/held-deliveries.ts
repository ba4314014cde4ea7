import { parseDurationText } from "../../runtime/time.ts";
import type { DeliveryResult, LeasedDelivery } from "../webhooks/deliveries-sql.ts";
import type { Endpoint } from "../webhooks/delivery-state.ts";
import type { Scope } from "../database/scope.ts";
import type { Ids } from "../database/ids.ts";
import type { Store } from "../service.ts";
import type { SendOutcome, WebhookSender } from "../webhooks/webhooks-service.ts";
import type { Fault, Faults } from "./faults.ts";

/** How long an event waits for the one that it is to follow. */
const maxReorderMs = 60_000;

const lostAnswer: SendOutcome = {
  outcome: "failed",
  status: null,
  error: "the connection was closed before the answer",
  answer: null,
};

type Held = { scope: Scope; delivery: Pick<LeasedDelivery, "id" | "attempts"> };
/** Makes a delivery due at another time. */
type Postpone = (scope: Scope, delivery: Held["delivery"], untilMs: number) => Promise<void>;

/** When a listener gets an event again whose answer was lost. */
const listenerRetryMs = 1_000;

/**
 * Webhooks with the faults of the sandbox. A delivery that is late or out of order is held back where deliveries are
 * leased. One that is sent twice, or whose answer is lost, goes wrong where it is sent; at a listener, which sends it
 * itself, where it is reported. Listeners meet the faults of an account that has no endpoint: one that only watches must
 * not use up what an endpoint is to meet.
 */
export function createWebhookFaults(faults: Faults, now: () => number, postpone: Postpone) {
  /** Deliveries that were held back once, until they end: they are not held back again. */
  const heldBack = new Set<string>();
  /** By endpoint: the delivery that waits until the next event has been delivered. */
  const reordered = new Map<string, Held>();
  /** By event and address, or by a listener's delivery: what happens to the next attempt. */
  const attemptFaults = new Map<string, Fault["do"]>();

  async function holdBack(
    scope: Scope,
    { id: endpointId, url }: Pick<Endpoint, "id" | "url">,
    delivery: LeasedDelivery,
  ): Promise<boolean> {
    const fault = heldBack.has(delivery.id)
      ? undefined
      : faults.strike(scope.accountId, ["webhooks"]);
    if (!fault) return false;
    if (fault.do === "duplicate" || fault.do === "lost_answer") {
      attemptFaults.set(url === null ? delivery.id : `${delivery.eventId} ${url}`, fault.do);
      return false;
    }
    heldBack.add(delivery.id);
    if (fault.do === "reorder") reordered.set(endpointId, { scope, delivery });
    const waitMs = fault.do === "reorder" ? maxReorderMs : parseDurationText(fault.for ?? "");
    await postpone(scope, delivery, now() + (waitMs ?? 0));
    return true;
  }

  /** What a listener has delivered is due again where it is to be sent twice, or its answer was lost. */
  function failReport(result: DeliveryResult): DeliveryResult {
    const fault = attemptFaults.get(result.delivery.id);
    attemptFaults.delete(result.delivery.id);
    if (fault === undefined || result.status !== "delivered") return result;
    const again = { ...result, status: "pending" as const, dueAtMs: now() };
    if (fault === "duplicate") return again;
    const { status, error, answer } = lostAnswer;
    const tries = result.tries.map((made, at, { length }) =>
      at === length - 1 ? { ...made, status, error, answer } : made,
    );
    const dueAtMs = now() + listenerRetryMs;
    return { ...again, dueAtMs, lastStatus: status, lastError: error, tries };
  }

  return {
    /** The same store, which leases no delivery that is held back. */
    watchStore: (store: Store): Store => ({
      ...store,
      leaseDeliveries: async (scope, endpointId, due) => {
        const leased = await store.leaseDeliveries(scope, endpointId, due);
        const endpoints = leased.length > 0 ? await store.listEndpoints(scope) : [];
        const endpoint = endpoints.find(({ id }) => id === endpointId);
        const isWatching = endpoint?.url === null && endpoints.some(({ url }) => url !== null);
        if (!endpoint || isWatching) return leased;
        const sent: LeasedDelivery[] = [];
        for (const delivery of leased) {
          if (!(await holdBack(scope, endpoint, delivery))) sent.push(delivery);
        }
        return sent;
      },
      writeAttempts: async (reported) => {
        const ends = { ...reported, results: reported.results.map(failReport) };
        const ended = await store.writeAttempts(ends);
        for (const { delivery, status } of ends.results) {
          if (status !== "pending") heldBack.delete(delivery.id);
          const waiting = reordered.get(ends.endpointId);
          if (status !== "delivered" || !waiting || waiting.delivery.id === delivery.id) continue;
          reordered.delete(ends.endpointId);
          await postpone(waiting.scope, waiting.delivery, now());
        }
        return ended;
      },
    }),
    watchSender: (sender: WebhookSender): WebhookSender => ({
      ...sender,
      send: async (webhook) => {
        const key = `${webhook.eventId} ${webhook.url}`;
        const fault = attemptFaults.get(key);
        attemptFaults.delete(key);
        if (fault === "duplicate") await sender.send(webhook);
        const outcome = await sender.send(webhook);
        return fault === "lost_answer" ? lostAnswer : outcome;
      },
    }),
  };
}

const prefixLength = "del_".length;
const uuidLength = 36;

/**
 * Deliveries that are queued during a step of a move of the clock are no part of the step: it would not end while
 * requests cause more of them. They are held back until `release`. A delivery's id begins with the digits of its event,
 * and each id is greater than those before it; what is queued again for an old event is part of the step.
 */
export function createLateDeliveries(ids: Ids, postpone: Postpone) {
  let newest = "";
  /** The last one of the step, and the time to which later ones are postponed. */
  let limit: { id: string; untilMs: number } | undefined;
  const held = new Map<string, Held>();
  /** A release waits for what is being held back, and the other way round. */
  const runAlone = createQueue();

  function noting(make: () => string): () => string {
    return () => {
      const id = make();
      newest = id.slice(prefixLength);
      return id;
    };
  }

  return {
    /** The same ids, whose newest one is known here. */
    ids: {
      ...ids,
      payment: noting(ids.payment),
      event: noting(ids.event),
      delivery: noting(ids.delivery),
    },
    watchStore: (store: Store): Store => ({
      ...store,
      leaseDeliveries: async (scope, endpointId, due) => {
        const leased = await store.leaseDeliveries(scope, endpointId, due);
        if (limit === undefined) return leased;
        return await runAlone(async () => {
          const step = limit;
          if (step === undefined) return leased;
          const isLate = ({ id }: LeasedDelivery) =>
            id.slice(prefixLength, prefixLength + uuidLength) > step.id;
          for (const delivery of leased.filter(isLate)) {
            held.set(delivery.id, { scope, delivery });
            await postpone(scope, delivery, step.untilMs);
          }
          return leased.filter((delivery) => !isLate(delivery));
        });
      },
    }),
    /** Holds back the deliveries that are queued from now on, until a time that is after the move. */
    holdNewer: (untilMs: number): void => {
      limit = { id: newest, untilMs };
    },
    /** Makes the deliveries that were held back due at a time, and holds back none any more. */
    release: async (nowMs: number): Promise<void> =>
      runAlone(async () => {
        limit = undefined;
        for (const [id, { scope, delivery }] of held) {
          await postpone(scope, delivery, nowMs);
          held.delete(id);
        }
      }),
  };
}

export type LateDeliveries = ReturnType<typeof createLateDeliveries>;

/** The returned function runs one work at a time, each after those that were given to it before. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return await result;
  };
}
