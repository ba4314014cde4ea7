import type { RequestsService } from "./log-requests.ts";
import { maxIdOf } from "../database/ids.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import type { Scope } from "../database/scope.ts";
import { computeOldestRequest } from "./list-requests.ts";

/**
 * Purges logged requests past their retention, and the oldest of an account and mode that has more than the maximum.
 * Answers how many were deleted.
 */
export async function purgeRequests(
  service: RequestsService,
  signal?: AbortSignal,
): Promise<number> {
  const accounts = await service.store.listAccounts();
  const scopes = accounts.flatMap(({ id: accountId }) =>
    [false, true].map((livemode) => ({ accountId, livemode })),
  );
  return await purgeRequestsOf(service, scopes, signal);
}

/** The same for some accounts and modes. */
export async function purgeRequestsOf(
  service: RequestsService,
  scopes: readonly Scope[],
  signal?: AbortSignal,
): Promise<number> {
  let sum = 0;
  for (const scope of scopes) {
    if (signal?.aborted) break;
    const retained = computeOldestRequest(service);
    const kept = (await findOldestWithinMax(service, scope, signal)) ?? "";
    const below = kept > retained ? kept : retained;
    sum += await repeatWhileFull(
      async () => service.store.purgeRequests(scope, below, batchSize),
      signal,
    );
  }
  return sum;
}

/** The maximum number of rows that one statement may skip, so that it does not hold up others. */
const maxSkipped = 10_000;

/** The oldest request among the newest of an account and mode that may be stored; undefined where there are fewer. */
async function findOldestWithinMax(
  { store, requestLog: { maxStored } }: RequestsService,
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
