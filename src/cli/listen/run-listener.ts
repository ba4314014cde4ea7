import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../client/client.ts";
import type { Forwarded, WebhookForwarder } from "../../client/webhook-forwarder.ts";
import type { ListenerDelivery } from "../../contract/listener.ts";
import type { Event } from "../../contract/event.ts";
import {
  type Subscription,
  allEventTypes,
  maxDeliveriesPerRequest,
} from "../../contract/field-values.ts";
import { maxTimerMs, withTimeout } from "../../runtime/promises.ts";
import { computeBackoff } from "../../runtime/time.ts";
import { CommandError } from "../output/command-error.ts";
import type { AwaitedEvent } from "./listen-flags.ts";
import { unlessMissing } from "./open-listener.ts";
import {
  type ConnectionState,
  createReconnectingCaller,
  reconnectBackoff,
} from "./reconnecting-caller.ts";

type Listening = {
  endpointId: string;
  /**
   * Opens another listener where the service no longer has this one. `startsOver`: a sandbox has forgotten everything,
   * and with a seed its new events have the ids of earlier ones.
   */
  reopen: () => Promise<{ endpointId: string; startsOver: boolean }>;
  /** Deliveries of other events, queued under an earlier subscription, are reported as delivered unseen. */
  events: Subscription;
  /** How long the service waits for an event before it responds. */
  waitSeconds: number;
  /** How long the service leaves a delivery to this listener; undefined: as long as by default. */
  leaseSeconds: number | undefined;
  /** Undefined: an event counts as delivered once it is printed. */
  forwarder: WebhookForwarder | undefined;
  /** Whether the key may read, which tells of a delivery that has ended while nobody answers at the forwarder's address. */
  mayRead?: boolean;
  show: (event: Event, forwarded: Forwarded | undefined) => Promise<void>;
  /** Called once the service knows the outcome of a delivery. */
  onReported: (event: Event, forwarded: Forwarded | undefined) => void;
  connection: ConnectionState;
};

/** The pause after an empty response from a service that could not wait for an event. */
const pollMs = 1_000;
/** How long deliveries in flight may take once the listener ends. */
const drainMs = 1_000;

/** How many events are remembered, of which another listener is not shown again what this one had. */
const maxRemembered = 10_000;

/**
 * Leases the deliveries of a listener, and forwards, prints and reports each, until the signal: one at a time where they
 * are forwarded, in the order in which the events happened. While nobody answers at an address, later ones wait; what it
 * answers with an error is due again alone, after the pause that the service makes. The service repeats a delivery that
 * was not reported, so that even a crash loses nothing. It goes on with another listener where the service has lost this
 * one: a sandbox was reset, or a database restored. Errors: permanent ones.
 */
export async function runListener(
  { listeners, webhookEndpoints }: Pick<PaymentsClient, "listeners" | "webhookEndpoints">,
  listening: Listening,
  signal: AbortSignal,
): Promise<void> {
  const {
    events,
    waitSeconds,
    leaseSeconds,
    forwarder,
    mayRead = true,
    show,
    connection,
  } = listening;
  let source: Source = { endpointId: listening.endpointId, taken: new Map() };
  const lease = leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds };
  const callWithRetries = createReconnectingCaller(connection, signal);
  const take = async (limit: number, ended: AbortSignal) => {
    const query = { limit, wait_seconds: waitSeconds, ...lease };
    const nextMs = performance.now() + Math.min(pollMs, waitSeconds * 1000);
    const from = source;
    const leased = await callWithRetries(async () =>
      listeners.take(from.endpointId, query, { signal: ended }),
    ).catch(unlessMissing);
    if (!leased) {
      const { endpointId, startsOver } = await callWithRetries(listening.reopen);
      source = { endpointId, taken: startsOver ? new Map() : from.taken };
    }
    const data = (leased?.data ?? []).map((delivery) => ({ from, delivery }));
    const pauseMs = Math.max(0, nextMs - performance.now());
    if (data.length === 0) await delay(pauseMs, undefined, { signal: ended });
    return data;
  };
  /** Forwards an event until somebody answers; without a status where nobody did before it, or the listener, ended. */
  const forward = async ({ from, delivery: { id, event } }: Taken, ended: AbortSignal) => {
    let shown: string | undefined;
    for (let attempt = 0; ; attempt++) {
      const forwarded = await forwarder?.forward(event);
      if (forwarded?.status !== null || ended.aborted) return forwarded;
      if (forwarded.failure !== shown) await show(event, forwarded);
      shown = forwarded.failure;
      await delay(computeBackoff(attempt, reconnectBackoff), undefined, { signal: ended });
      if (!mayRead) continue;
      const found = await callWithRetries(async () =>
        webhookEndpoints.delivery(from.endpointId, id, { signal: ended }),
      ).catch(unlessMissing);
      if (found?.status !== "pending") return forwarded;
    }
  };
  const deliver = async (taken: Taken, { ended, over }: Ends) => {
    const { from, delivery } = taken;
    const { id, attempts, event } = delivery;
    const isRepeated = attempts <= (from.taken.get(event.id) ?? -1) && isFirstDelivery(id, event);
    const isSubscribed =
      !isRepeated && events.some((type) => type === allEventTypes || type === event.type);
    const forwarded = isSubscribed ? await forward(taken, ended) : undefined;
    if (over.aborted || forwarded?.status === null) return;
    if (isSubscribed) await show(event, forwarded);
    if (isSubscribed && isTaken(forwarded)) remember(from, event.id, attempts);
    const report = { delivery: id, attempts, ...toReport(forwarded) };
    await callWithRetries(async () => listeners.report(from.endpointId, report)).catch(
      unlessMissing,
    );
    if (isSubscribed) listening.onReported(event, forwarded);
  };
  const remember = ({ taken }: Source, eventId: string, attempts: number) => {
    taken.set(eventId, attempts);
    const [oldest] = taken.keys();
    if (taken.size > maxRemembered && oldest !== undefined) taken.delete(oldest);
  };
  const maxAtOnce = forwarder ? 1 : maxDeliveriesPerRequest;
  await deliverAsTaken({ take, deliver, maxAtOnce }, signal);
}

/** Whether a delivery is no resend: its id then has the digits of its event. */
function isFirstDelivery(id: string, event: Event): boolean {
  return id.startsWith(event.id.replace("evt_", "del_"));
}

/**
 * An endpoint, and the events that it and those before it have brought, as far back as they are remembered, with the
 * attempts that the service had counted. Where it counts more it had no answer, as with a fault of a sandbox.
 */
type Source = { endpointId: string; taken: Map<string, number> };

/** A delivery, and what it was taken from. */
type Taken = { from: Source; delivery: ListenerDelivery };

/** `ended`: the listener is to end. `over`: it has ended without waiting any longer for its deliveries. */
type Ends = { ended: AbortSignal; over: AbortSignal };

type Delivering = {
  /** Leases up to `limit` deliveries, as soon as there are any. */
  take: (limit: number, ended: AbortSignal) => Promise<readonly Taken[]>;
  deliver: (delivery: Taken, ends: Ends) => Promise<void>;
  /** Also the limit of leased deliveries: one that had to wait here would lose its lease. */
  maxAtOnce: number;
};

async function deliverAsTaken(
  { take, deliver, maxAtOnce }: Delivering,
  signal: AbortSignal,
): Promise<void> {
  const [failing, over] = [new AbortController(), new AbortController()];
  const ended = AbortSignal.any([signal, failing.signal]);
  /** Ends the wait for a delivery under way. */
  let proceed: (() => void) | undefined;
  ended.addEventListener("abort", () => proceed?.(), { once: true });
  const underWay = new Set<Promise<void>>();
  const start = (delivery: Taken) => {
    const delivering = deliver(delivery, { ended, over: over.signal })
      .catch((error: unknown) => failing.abort(error))
      .finally(() => {
        underWay.delete(delivering);
        proceed?.();
      });
    underWay.add(delivering);
  };
  try {
    while (!ended.aborted) {
      if (underWay.size === maxAtOnce) await new Promise<void>((resolve) => (proceed = resolve));
      else for (const delivery of await take(maxAtOnce - underWay.size, ended)) start(delivery);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    await withTimeout(Promise.all(underWay), drainMs, () => {});
    over.abort();
  }
  if (!signal.aborted) failing.signal.throwIfAborted();
}

/** Whether the address has taken an event, or there is none. */
function isTaken(forwarded: Forwarded | undefined): boolean {
  if (!forwarded) return true;
  return forwarded.status !== null && forwarded.status >= 200 && forwarded.status < 300;
}

/** The answer to a forwarded event, as the service stores it with its try. */
function toReport(forwarded: Extract<Forwarded, { status: number }> | undefined) {
  if (!forwarded) return { delivered: true, last_status: null };
  const { status, tookMs: duration_ms } = forwarded;
  const delivered = isTaken(forwarded);
  const last_error = delivered ? null : `the address answered ${status}`;
  const answer = forwarded.response?.body ?? null;
  return { delivered, last_status: status, last_error, duration_ms, answer };
}

export type EventWait = Disposable & {
  /** Aborted once the event has come, or the time is over. */
  signal: AbortSignal;
  see: (event: Event, forwarded: Forwarded | undefined) => void;
  /** Errors: the time is over. */
  assertCame: () => void;
};

/**
 * Waits, from now on, for an event of a type, which the address has taken where events are forwarded. Without a type
 * it never ends.
 */
export function awaitEvent(awaited: AwaitedEvent | undefined): EventWait {
  const over = new AbortController();
  let hasCome = false;
  const timer = awaited && setTimeout(() => over.abort(), Math.min(awaited.timeoutMs, maxTimerMs));
  return {
    signal: over.signal,
    see: (event, forwarded) => {
      if (event.type !== awaited?.type || !isTaken(forwarded)) return;
      hasCome = true;
      over.abort();
    },
    assertCame: () => {
      if (!awaited || hasCome) return;
      const { type, timeout } = awaited;
      throw new CommandError(
        "still_pending",
        `No ${type} event has come within ${timeout}, or the address has not taken it.`,
      );
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
