import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../client/client.ts";
import { PaymentsError } from "../../client/errors.ts";
import type { Delivery } from "../../contract/delivery.ts";
import { computeBackoff } from "../../runtime/backoff.ts";
import { maxTimerMs } from "../../runtime/timeouts.ts";
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
 * Watches the deliveries of an endpoint's events since a time in Unix seconds. It begins before a recovery, to tell
 * those that fail again from those that the recovery leaves alone.
 */
export async function watchRecovery(
  { webhookEndpoints }: Pick<PaymentsClient, "webhookEndpoints">,
  { endpointId, since }: Missed,
  signal: AbortSignal,
): Promise<UntilSent> {
  const call = { signal };
  async function* list(status: Delivery["status"], upTo?: string) {
    const query = { status, "created[gte]": since };
    for await (const { data } of webhookEndpoints.deliveryPages(
      endpointId,
      query,
      undefined,
      call,
    )) {
      for (const delivery of data) if (upTo === undefined || delivery.id <= upTo) yield delivery;
    }
  }
  const before = new Map<string, number>();
  for await (const { id, created } of list("failed")) before.set(id, created);

  const findNewest = async () => {
    const { data } = await webhookEndpoints.deliveries(endpointId, { limit: 1 }, call);
    return data[0]?.id ?? "";
  };
  const countPending = async (last: string) => {
    const counts = { waiting: 0, retried: 0 };
    for await (const { attempts } of list("pending", last)) {
      if (attempts < awaitedAttempts) counts.waiting++;
      else counts.retried++;
    }
    return counts;
  };
  const countFailed = async (last: string) => {
    let failed = 0;
    for await (const { id, created } of list("failed", last)) {
      if (before.get(id) !== created) failed++;
    }
    return failed;
  };

  return async (queued, { onProgress, timeoutMs = maxTimerMs, connection }) => {
    const deadline = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), maxTimerMs));
    const ending = AbortSignal.any([signal, deadline]);
    const callWithRetries = createReconnectingCaller(connection, ending);
    const standing: Standing = { waiting: queued, retried: 0, failed: 0 };
    try {
      const last = await callWithRetries(findNewest); // later deliveries are no part of the recovery
      for (let attempt = 0; ; attempt++) {
        const startMs = performance.now();
        const pending = await callWithRetries(async () => countPending(last));
        Object.assign(standing, pending);
        onProgress(pending.waiting);
        if (pending.waiting === 0 || ending.aborted) {
          const failed = await callWithRetries(async () => countFailed(last));
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
