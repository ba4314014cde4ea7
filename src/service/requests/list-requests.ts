import { ServiceError, errorCodes } from "../../contract/error.ts";
import { parseStatusFilter, requestIdPattern } from "../../contract/field-values.ts";
import type { ListRequestsQuery, LoggedRequest } from "../../contract/logged-request.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import { maxIdOf, parseCreated, toIdBound } from "../database/ids.ts";
import { type Listed, resolveRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import type { RequestsService } from "./log-requests.ts";
import type { StoredRequest } from "./requests-store.ts";

/** Retrieves a logged request by id. Errors: resource_missing. */
export async function getRequest(
  service: RequestsService,
  scope: Scope,
  id: string,
): Promise<LoggedRequest> {
  const found = await findRequest(service, scope, id);
  if (found) return toLoggedRequest(found);
  throw new ServiceError(
    "resource_missing",
    "There is no request with this id in this mode. Reads that succeed are not logged; a request is found 2 seconds after its response, until it is deleted.",
    "id",
  );
}

/**
 * One page of logged requests, newest first in both directions. Errors: parameter_invalid where the cursor names no
 * request.
 */
export async function listRequests(
  service: RequestsService,
  scope: Scope,
  query: ListRequestsQuery,
): Promise<Listed<LoggedRequest>> {
  const range = await resolveRange("req_", query, async (id) => findRequest(service, scope, id));
  const oldest = computeOldestRequest(service);
  const statuses = query.status === undefined ? undefined : parseStatusFilter(query.status);
  if (statuses?.length === 0) return { items: [], hasMore: false };
  const { items, hasMore } = await service.store.listRequests(scope, {
    ...range,
    above: range.above > oldest ? range.above : oldest,
    statuses,
    method: query.method,
    paymentId: query.payment,
    idempotencyKey: query.idempotency_key,
  });
  return { items: items.map(toLoggedRequest), hasMore };
}

async function findRequest(
  service: RequestsService,
  scope: Scope,
  id: string,
): Promise<StoredRequest | undefined> {
  const isRetained = requestIdPattern.test(id) && id > computeOldestRequest(service);
  return isRetained ? await service.store.findRequest(scope, id) : undefined;
}

/** The bound of retention, as an id: older requests are deleted a little later. */
export function computeOldestRequest({
  clock,
  requestLog,
}: Pick<RequestsService, "clock" | "requestLog">): string {
  return toIdBound("req_", Math.ceil((clock() - requestLog.retentionMs) / 1000));
}

function toLoggedRequest(request: StoredRequest): LoggedRequest {
  const { id, method, path, status, errorCode: code } = request;
  return {
    id,
    object: "request",
    created: parseCreated(id),
    method,
    path,
    status,
    duration_ms: request.durationMs,
    key: { id: request.keyId, name: request.keyName },
    error: code && { type: errorCodes[code].type, code, param: request.errorParam },
    payment: request.paymentId,
    idempotency_key: request.idempotencyKey,
    replayed: request.isReplayed,
    livemode: request.scope.livemode,
  };
}

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
