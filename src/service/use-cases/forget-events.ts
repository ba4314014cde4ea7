import type { Ports } from "./ports.ts";

/** So few that nobody who writes meanwhile waits for long. */
const forgottenAtOnce = 500;

/** Forgets the events, and their deliveries, that have been kept for long enough, or until it is stopped. */
export async function forgetEvents(ports: Ports, signal?: AbortSignal): Promise<void> {
  const { store, clock, webhooks } = ports;
  const before = Math.floor((clock() - webhooks.eventRetentionMs) / 1000);
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
