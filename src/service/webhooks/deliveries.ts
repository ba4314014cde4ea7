import type { WebhooksService } from "./webhooks-service.ts";
import type { Delivery, DeliveryDetails, ListDeliveriesQuery } from "../../contract/delivery.ts";
import { deliveryIdPattern, deliveryStatuses, parseSeveral } from "../../contract/field-values.ts";
import { resolveRange, type Listed } from "../database/listing.ts";
import { ServiceError } from "../../contract/error.ts";
import type { AbandonedDeliveries, StoredDelivery } from "./deliveries-sql.ts";
import type { Scope } from "../database/scope.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";

/** A delivery as the API shows it. */
export function toDelivery(delivery: StoredDelivery): Delivery {
  const { id, eventId, endpointId, type, status, attempts, dueAtMs, lastStatus, lastError } =
    delivery;
  return {
    id,
    object: "delivery",
    event: eventId,
    type,
    status,
    attempts,
    // An event that was queued again is due as if it had been when it happened.
    next_attempt_at:
      dueAtMs === null ? null : Math.floor(Math.max(dueAtMs, delivery.createdMs) / 1000),
    last_status: lastStatus,
    last_error: lastError,
    created: Math.floor(delivery.createdMs / 1000),
    endpoint: endpointId,
  };
}

/** A delivery to an endpoint, with its tries. Errors: resource_missing, naming the id that leads nowhere. */
export async function getDelivery(
  service: WebhooksService,
  scope: Scope,
  { id, delivery }: { id: string; delivery: string },
): Promise<DeliveryDetails> {
  await getStoredEndpoint(service, scope, id);
  const found = deliveryIdPattern.test(delivery)
    ? await service.store.findDelivery(scope, delivery)
    : undefined;
  if (found?.endpointId === id) return { ...toDelivery(found), tries: [...found.tries] };
  throw new ServiceError(
    "resource_missing",
    "This endpoint has no delivery with this id. Check the id; deliveries are deleted with their events.",
    "delivery",
  );
}

/**
 * One page of an endpoint's deliveries, newest first in both directions. Errors: resource_missing,
 * parameter_invalid where the cursor names no delivery.
 */
export async function listDeliveries(
  service: WebhooksService,
  scope: Scope,
  endpointId: string,
  query: ListDeliveriesQuery,
): Promise<Listed<Delivery>> {
  const { store } = service;
  await getStoredEndpoint(service, scope, endpointId);
  const range = await resolveRange("del_", query, async (id) => {
    const found = await store.findDelivery(scope, id);
    return found?.endpointId === endpointId;
  });
  const statuses = parseSeveral(query.status, deliveryStatuses);
  const { items, hasMore } = await store.listDeliveries(scope, endpointId, { ...range, statuses });
  return { items: items.map(toDelivery), hasMore };
}

/** Few enough for one write that other writers do not wait long. */
const abandonBatchSize = 500;
export const endpointDisabled = { reason: "The endpoint was disabled.", isDisabled: true };

/**
 * Abandons the deliveries that were queued for an endpoint before a time, by default now. Error: service_unavailable
 * if `signal` aborts it half-way; the client's retry abandons the rest.
 */
export async function abandonDeliveries(
  { store, clock, shutdown }: WebhooksService,
  scope: Scope,
  endpointId: string,
  {
    beforeMs = clock() + 1,
    reason,
    isDisabled = false,
    signal = shutdown,
  }: Partial<AbandonedDeliveries> & { reason: string; signal?: AbortSignal },
): Promise<void> {
  const write = { scope, endpointId, beforeMs, reason, isDisabled, limit: abandonBatchSize };
  while ((await store.abandonDeliveries(write)) === abandonBatchSize) assertRunning(signal);
}

/** Error: service_unavailable, when the service shuts down during long work. */
export function assertRunning(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new ServiceError(
    "service_unavailable",
    "The service is shutting down. Try again after the seconds in Retry-After.",
  );
}
