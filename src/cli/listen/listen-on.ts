import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError } from "../../client/errors.ts";
import type { Forwarded, WebhookForwarder } from "../../client/webhook-forwarder.ts";
import type { ListenerDelivery } from "../../contract/delivery.ts";
import type { Event } from "../../contract/event.ts";
import {
  allEventTypes,
  maxErrorLength,
  maxDeliveriesPerRequest,
  type Subscription,
} from "../../contract/event-values.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import { createReconnectingCaller, type ConnectionState } from "./reconnecting-caller.ts";

type Listening = {
  endpointId: string;
  /** Others, which were queued before these were chosen, are over with. */
  events: Subscription;
  /** How long each asking waits for an event. */
  waitSeconds: number;
  /** Undefined: what is shown counts as delivered. */
  forwarder: WebhookForwarder | undefined;
  show: (event: Event, forwarded: Forwarded | undefined) => Promise<void>;
  news: ConnectionState;
};

const forwardsAtOnce = 4;
/** A service that cannot let it wait is asked again after so long. */
const askAgainMs = 1_000;
/** What is under way at the end has so long. */
const lastMs = 1_000;

/**
 * Takes the deliveries of a listener, forwards, shows and reports each, until the signal. What was not
 * reported is given again: nothing is lost, whatever ends this. Errors: what is not tried again.
 */
export async function runListener(
  { listeners }: Pick<PaymentsClient, "listeners">,
  { endpointId, events, waitSeconds, forwarder, show, news }: Listening,
  signal: AbortSignal,
): Promise<void> {
  const patiently = createReconnectingCaller(news, signal);
  const take = async (limit: number, ended: AbortSignal) => {
    const asked = { limit, wait_seconds: waitSeconds };
    const againMs = performance.now() + Math.min(askAgainMs, waitSeconds * 1000);
    const { data } = await patiently(async () =>
      listeners.take(endpointId, asked, { signal: ended }),
    );
    const pauseMs = Math.max(0, againMs - performance.now());
    if (data.length === 0) await delay(pauseMs, undefined, { signal: ended });
    return data;
  };
  const deliver = async ({ id, attempts, event }: ListenerDelivery, over: AbortSignal) => {
    const isMeant = events.some((type) => type === allEventTypes || type === event.type);
    const forwarded = isMeant ? await forwarder?.forward(event) : undefined;
    if (over.aborted) return;
    if (isMeant) await show(event, forwarded);
    const report = { delivery: id, attempts, ...reportOf(forwarded) };
    await patiently(async () => listeners.report(endpointId, report)).catch(unlessMissing);
  };
  const atOnce = forwarder ? forwardsAtOnce : maxDeliveriesPerRequest;
  await deliverAsTaken({ take, deliver, atOnce }, signal);
}

type Delivering = {
  /** So many at the most, as soon as there are any. */
  take: (limit: number, ended: AbortSignal) => Promise<readonly ListenerDelivery[]>;
  /** `over`: nobody waits for it any more. */
  deliver: (delivery: ListenerDelivery, over: AbortSignal) => Promise<void>;
  /** No more are taken than are delivered at once: the others would wait for a lease to end. */
  atOnce: number;
};

async function deliverAsTaken(
  { take, deliver, atOnce }: Delivering,
  signal: AbortSignal,
): Promise<void> {
  const [failing, over] = [new AbortController(), new AbortController()];
  const ended = AbortSignal.any([signal, failing.signal]);
  const underWay = new Set<Promise<void>>();
  const start = (delivery: ListenerDelivery) => {
    const delivering = deliver(delivery, over.signal)
      .catch((error: unknown) => failing.abort(error))
      .finally(() => underWay.delete(delivering));
    underWay.add(delivering);
  };
  try {
    while (!ended.aborted) {
      if (underWay.size === atOnce) await Promise.race(underWay);
      else for (const delivery of await take(atOnce - underWay.size, ended)) start(delivery);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    await withTimeout(Promise.all(underWay), lastMs, () => {});
    over.abort();
  }
  if (!signal.aborted) failing.signal.throwIfAborted();
}

function reportOf(forwarded: Forwarded | undefined) {
  if (!forwarded) return { delivered: true, last_status: null };
  const { status } = forwarded;
  if (status === null) {
    const last_error = [...forwarded.failure].slice(0, maxErrorLength).join("");
    return { delivered: false, last_status: null, last_error };
  }
  const delivered = status >= 200 && status < 300;
  const last_error = delivered ? null : `the address answered ${status}`;
  return { delivered, last_status: status, last_error };
}

/** A delivery that was deleted meanwhile needs no report. */
function unlessMissing(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
