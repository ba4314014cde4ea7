import type { WebhooksService } from "./webhooks-service.ts";
import { batchSize, repeatWhileFull } from "../database/repeat-work.ts";
import { maxDeliveryMs } from "./delivery-state.ts";

/**
 * Events and their deliveries stay in the store while a delivery may be retried, even after their retention. Answers
 * how many were deleted.
 */
export async function purgeEvents(service: WebhooksService, signal?: AbortSignal): Promise<number> {
  const { store, clock, webhooks } = service;
  const retentionMs = Math.max(webhooks.eventRetentionMs, maxDeliveryMs(webhooks.schedule));
  const before = Math.floor((clock() - retentionMs) / 1000);
  let sum = 0;
  for (const { id: accountId } of await store.listAccounts()) {
    for (const livemode of [false, true]) {
      const scope = { accountId, livemode };
      sum += await repeatWhileFull(async () => store.purgeEvents(scope, before, batchSize), signal);
    }
  }
  return sum;
}
