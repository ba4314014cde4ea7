import type { Delivery, ListDeliveriesQuery } from "../../contract/delivery.ts";
import type { StoredDelivery } from "../ports/event-store.ts";
import { resolveRange, type Listed } from "../domain/list-range.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";

/** A delivery as the API shows it. */
export function toDelivery(delivery: StoredDelivery): Delivery {
  const { id, eventId, type, status, attempts, dueAtMs, lastStatus, lastError } = delivery;
  return {
    id,
    object: "delivery",
    event: eventId,
    type,
    status,
    attempts,
    next_attempt_at: dueAtMs === null ? null : Math.floor(dueAtMs / 1000),
    last_status: lastStatus,
    last_error: lastError,
    created: Math.floor(delivery.createdMs / 1000),
  };
}

/**
 * One page of an endpoint's deliveries, newest first in both directions. Errors: resource_missing,
 * parameter_invalid where the cursor names no delivery.
 */
export async function listDeliveries(
  ports: Ports,
  scope: Scope,
  endpointId: string,
  query: ListDeliveriesQuery,
): Promise<Listed<Delivery>> {
  const { store } = ports;
  await getStoredEndpoint(ports, scope, endpointId);
  const range = await resolveRange("del_", query, async (id) => {
    const found = await store.findDelivery(scope, id);
    return found?.endpointId === endpointId;
  });
  const { items, hasMore } = await store.listDeliveries(scope, endpointId, range);
  return { items: items.map(toDelivery), hasMore };
}

/**
 * How far each endpoint has been told of an event, by the deliveries that it made itself; those that somebody
 * asked for later are listed with their endpoint.
 */
export async function listEventDeliveries(
  { store }: Ports,
  scope: Scope,
  eventId: string,
): Promise<{ endpointId: string; delivery: Delivery }[]> {
  const deliveries = await store.listEventDeliveries(scope, eventId);
  return deliveries.map((each) => ({
    endpointId: each.endpointId,
    delivery: toDelivery(each),
  }));
}
