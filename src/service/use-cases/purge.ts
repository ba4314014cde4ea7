import { maxDeliveryMs } from "../domain/delivery-schedule.ts";
import { maxIdOf } from "../domain/object-id.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { computeOldestRequest } from "../requests/list-requests.ts";

// Each purge deletes all expired rows, or stops when `signal` is aborted.

/** Few enough for one write that other writers do not wait long. */
const batchSize = 500;
const auditRetentionDays = 365;

/** Answers how many idempotency records were deleted. */
export async function purgeIdempotencyRecords(ports: Ports, signal?: AbortSignal): Promise<number> {
  return await repeatWhileFull(async () => purgeSomeIdempotencyRecords(ports), signal);
}

/** Purges one batch, which is too short to slow a command down. */
export async function purgeSomeIdempotencyRecords({ store, clock }: Ports): Promise<number> {
  return await store.purgeIdempotencyRecords(clock(), batchSize);
}

/**
 * Events and their deliveries stay in the store while a delivery may be retried, even after their retention. Answers
 * how many were deleted.
 */
export async function purgeEvents(ports: Ports, signal?: AbortSignal): Promise<number> {
  const { store, clock, webhooks } = ports;
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

/**
 * Purges audit entries that are older than a year, and the invitations and sessions that have ended. Answers how many
 * were deleted.
 */
export async function purgeAuditLog(
  { store, clock }: Ports,
  signal?: AbortSignal,
): Promise<number> {
  const before = Math.floor(clock() / 1000) - auditRetentionDays * 24 * 60 * 60;
  let sum = await repeatWhileFull(async () => store.purgeSessions(clock(), batchSize), signal);
  for (const { id } of await store.listAccounts()) {
    sum += await repeatWhileFull(async () => store.purgeActivity(id, before, batchSize), signal);
  }
  return sum;
}

/**
 * Purges logged requests past their retention, and the oldest of an account and mode that has more than the maximum.
 * Answers how many were deleted.
 */
export async function purgeRequests(ports: Ports, signal?: AbortSignal): Promise<number> {
  const accounts = await ports.store.listAccounts();
  const scopes = accounts.flatMap(({ id: accountId }) =>
    [false, true].map((livemode) => ({ accountId, livemode })),
  );
  return await purgeRequestsOf(ports, scopes, signal);
}

/** The same for some accounts and modes. */
export async function purgeRequestsOf(
  ports: Ports,
  scopes: readonly Scope[],
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0;
  for (const scope of scopes) {
    if (signal?.aborted) break;
    const retained = computeOldestRequest(ports);
    const kept = (await findOldestWithinMax(ports, scope, signal)) ?? "";
    const below = kept > retained ? kept : retained;
    sum += await repeatWhileFull(
      async () => ports.store.purgeRequests(scope, below, batchSize),
      signal,
    );
  }
  return sum;
}

/** The maximum number of rows that one statement may skip, so that it does not hold up others. */
const maxSkipped = 10_000;

/** The oldest request among the newest of an account and mode that may be stored; undefined where there are fewer. */
async function findOldestWithinMax(
  { store, requestLog: { maxStored } }: Ports,
  scope: Scope,
  signal?: AbortSignal,
): Promise<string | undefined> {
  let found: string | undefined = maxIdOf("req_");
  for (let left = maxStored; left > 0 && found !== undefined; left -= maxSkipped) {
    if (signal?.aborted) return undefined;
    found = await store.skipRequests(scope, found, Math.min(left, maxSkipped) - 1);
  }
  return found;
}

async function repeatWhileFull(
  purge: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let sum = 0; ;) {
    if (signal?.aborted) return sum;
    const count = await purge();
    sum += count;
    if (count < batchSize) return sum;
  }
}
