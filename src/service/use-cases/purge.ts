import { maxDeliveryMs } from "../domain/delivery-schedule.ts";
import type { Ports } from "../ports/ports.ts";

// What is kept for a time only: each forgets all of it that is old enough, or until it is stopped.

/** So few that nobody who writes meanwhile waits for long. */
const forgottenAtOnce = 500;
const activityKeptDays = 365;

/** Forgets idempotency records that have expired; answers how many. */
export async function purgeIdempotencyRecords(ports: Ports, signal?: AbortSignal): Promise<number> {
  return await untilFew(async () => purgeSomeIdempotencyRecords(ports), signal);
}

/** Forgets some of them, which takes no time that a command would notice. */
export async function purgeSomeIdempotencyRecords({ store, clock }: Ports): Promise<number> {
  return await store.purgeIdempotencyRecords(clock(), forgottenAtOnce);
}

/**
 * Forgets events, and their deliveries, that have been kept for long enough. What may still be on its way
 * stays, though nobody is shown it any more.
 */
export async function purgeEvents(ports: Ports, signal?: AbortSignal): Promise<void> {
  const { store, clock, webhooks } = ports;
  const keptMs = Math.max(webhooks.eventRetentionMs, maxDeliveryMs(webhooks.schedule));
  const before = Math.floor((clock() - keptMs) / 1000);
  for (const { id: accountId } of await store.listAccounts()) {
    for (const livemode of [false, true]) {
      const scope = { accountId, livemode };
      await untilFew(async () => store.purgeEvents(scope, before, forgottenAtOnce), signal);
    }
  }
}

/** Forgets what was done more than a year ago, and links and sessions that are over. */
export async function purgeAuditLog({ store, clock }: Ports, signal?: AbortSignal): Promise<void> {
  const before = Math.floor(clock() / 1000) - activityKeptDays * 24 * 60 * 60;
  await untilFew(async () => store.purgeSessions(clock(), forgottenAtOnce), signal);
  for (const { id } of await store.listAccounts()) {
    await untilFew(async () => store.purgeActivity(id, before, forgottenAtOnce), signal);
  }
}

/** Forgets again and again, until there are few left to forget; answers how many there were. */
async function untilFew(forget: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let sum = 0; ;) {
    if (signal?.aborted) return sum;
    const count = await forget();
    sum += count;
    if (count < forgottenAtOnce) return sum;
  }
}
