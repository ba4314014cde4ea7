import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../client/client.ts";
import { PaymentsError } from "../../client/errors.ts";
import type { Delivery } from "../../contract/delivery.ts";
import { computeBackoff } from "../../runtime/time.ts";
import { maxTimerMs } from "../../runtime/promises.ts";
import { createReconnectingCaller, type ConnectionState } from "./reconnecting-caller.ts";

/**
 * How the deliveries of a recovery stand: those that were not tried twice yet, those that failed twice and are tried
 * again later, and those that failed for good again.
 */
type Standing = { waiting: number; retried: number; failed: number };

/** Resolves once each of the `queued` was delivered or has failed twice, or the time is over. */
export type UntilSent = (queued: number, options: Awaiting) => Promise<Standing>;

type Awaiting = {
  onProgress: (waiting: number) => void;
  timeoutMs: number | undefined;
  connection: ConnectionState;
};

type Missed = { endpointId: string; since: number };

/** The second attempt follows the first within seconds, further ones after minutes and hours. */
const awaitedAttempts = 2;
const backoff = { minMs: 250, maxMs: 2_000, factor: 1.5 };

/**
 * Watches the deliveries that a recovery queues of an endpoint's events since a time in Unix seconds. It begins before
 * the recovery, to tell those that the recovery leaves alone: what is pending already, or failed and is not queued
 * again, and what comes later.
 */
export async function watchRecovery(
  { webhookEndpoints, events }: Pick<PaymentsClient, "webhookEndpoints" | "events">,
  { endpointId, since }: Missed,
  signal: AbortSignal,
): Promise<UntilSent> {
  const call = { signal };
  const [newest] = (await events.list({ limit: 1 }, call)).data;
  async function* list(status: Delivery["status"]) {
    const query = { status, "created[gte]": since };
    for await (const { data } of webhookEndpoints.deliveryPages(
      endpointId,
      query,
      undefined,
      call,
    )) {
      yield* data;
    }
  }
  const before = new Map<string, number>();
  for (const status of ["failed", "pending"] as const) {
    for await (const { id, created } of list(status)) before.set(id, created);
  }
  /** A delivery that is queued again has another time. */
  const isRecovered = ({ id, event, created }: Delivery) =>
    event <= (newest?.id ?? "") && before.get(id) !== created;

  const countPending = async () => {
    const counts = { waiting: 0, retried: 0 };
    for await (const delivery of list("pending")) {
      if (!isRecovered(delivery)) continue;
      if (delivery.attempts < awaitedAttempts) counts.waiting++;
      else counts.retried++;
    }
    return counts;
  };
  const countFailed = async () => {
    let failed = 0;
    for await (const delivery of list("failed")) if (isRecovered(delivery)) failed++;
    return failed;
  };

  return async (queued, { onProgress, timeoutMs = maxTimerMs, connection }) => {
    const deadline = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), maxTimerMs));
    const ending = AbortSignal.any([signal, deadline]);
    const callWithRetries = createReconnectingCaller(connection, ending);
    const standing: Standing = { waiting: queued, retried: 0, failed: 0 };
    try {
      for (let attempt = 0; ; attempt++) {
        const startMs = performance.now();
        const pending = await callWithRetries(countPending);
        Object.assign(standing, pending);
        onProgress(pending.waiting);
        if (pending.waiting === 0 || ending.aborted) {
          const failed = await callWithRetries(countFailed);
          return { ...pending, failed };
        }
        // A look at many deliveries takes its time: the pause is as long.
        const pauseMs = Math.max(computeBackoff(attempt, backoff), performance.now() - startMs);
        await delay(pauseMs, undefined, { signal: ending }).catch(() => signal.throwIfAborted());
      }
    } catch (error) {
      // The service is away at the end of the time: what is known of the deliveries stands.
      const isAway = error instanceof PaymentsError && error.retryable;
      if (!isAway || !deadline.aborted) throw error;
    }
    return standing;
  };
}
