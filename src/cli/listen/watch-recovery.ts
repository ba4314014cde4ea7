import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsClient } from "../../client/client.ts";
import type { Delivery } from "../../contract/delivery.ts";
import { computeBackoff } from "../../runtime/backoff.ts";

/** How the deliveries of a recovery stand: those that were not tried twice yet, and those that failed again. */
type Standing = { waiting: number; failed: number };

export type RecoveryWatch = {
  /** Resolves once each was delivered or has failed twice, or the time is over. `onProgress` gets how many wait. */
  untilSent: (
    onProgress: (waiting: number) => void,
    timeoutMs: number | undefined,
  ) => Promise<Standing>;
};

/** The second attempt follows the first within seconds, further ones after minutes and hours. */
const awaitedAttempts = 2;
const backoff = { minMs: 250, maxMs: 2_000, factor: 1.5 };

/**
 * Watches the deliveries of an endpoint's events since a time in Unix seconds. It begins before a recovery, to tell those
 * that fail again from those that the recovery leaves alone.
 */
export async function watchRecovery(
  { webhookEndpoints }: Pick<PaymentsClient, "webhookEndpoints">,
  { endpointId, since }: { endpointId: string; since: number },
  signal?: AbortSignal,
): Promise<RecoveryWatch> {
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

  return {
    untilSent: async (onProgress, timeoutMs = Infinity) => {
      const deadlineMs = performance.now() + timeoutMs;
      const newest = await webhookEndpoints.deliveries(endpointId, { limit: 1 }, call);
      const last = newest.data[0]?.id ?? ""; // what comes later is no part of the recovery
      for (let attempt = 0; ; attempt++) {
        const startMs = performance.now();
        const standing = { waiting: 0, failed: 0 };
        for await (const { attempts } of list("pending", last)) {
          if (attempts < awaitedAttempts) standing.waiting++;
          else standing.failed++;
        }
        onProgress(standing.waiting);
        const leftMs = deadlineMs - performance.now();
        if (standing.waiting === 0 || leftMs <= 0) {
          for await (const { id, created } of list("failed", last)) {
            if (before.get(id) !== created) standing.failed++;
          }
          return standing;
        }
        // A look at many deliveries takes its time: the pause is as long.
        const pauseMs = Math.max(computeBackoff(attempt, backoff), performance.now() - startMs);
        await delay(Math.min(pauseMs, leftMs), undefined, call);
      }
    },
  };
}
