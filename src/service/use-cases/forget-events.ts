import { longestWayMs } from "../domain/delivery-schedule.ts";
import type { Ports } from "./ports.ts";

/** So few that nobody who writes meanwhile waits for long. */
const forgottenAtOnce = 500;

/**
 * Forgets the events, and their deliveries, that have been kept for long enough, or until it is stopped. What
 * may still be on its way stays, though nobody is shown it any more.
 */
export async function forgetEvents(ports: Ports, signal?: AbortSignal): Promise<void> {
  const { store, clock, webhooks } = ports;
  const keptMs = Math.max(webhooks.eventRetentionMs, longestWayMs(webhooks.schedule));
  const before = Math.floor((clock() - keptMs) / 1000);
  for (const { id: accountId } of await store.listAccounts()) {
    for (const livemode of [false, true]) {
      const forget = async () =>
        store.forgetEvents({ accountId, livemode }, before, forgottenAtOnce);
      for (;;) {
        if (signal?.aborted) return;
        if ((await forget()) < forgottenAtOnce) break;
      }
    }
  }
}
