import type { Actor } from "../ports/activity.ts";
import type { DeliveryList } from "../../contract/delivery.ts";
import type { ListEventsQuery, ResendEventBody } from "../../contract/event.ts";
import { eventIdPattern } from "../../contract/event-values.ts";
import { toIdBound } from "../domain/object-id.ts";
import { buildAuditEntries } from "../accounts/audit-log.ts";
import {
  runIdempotently,
  type Response,
  type IdempotentRequest,
} from "../idempotency/run-idempotently.ts";
import { toDelivery } from "./deliveries.ts";
import type { EventJson, EventTimes, NewEvent, StoredDelivery } from "../ports/event-store.ts";
import { resolveRange, type Listed } from "../domain/list-range.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** When an event happens that is made now. */
export function computeEventTimes({ clock, webhooks }: Ports): EventTimes {
  const nowMs = clock();
  return { nowMs, dueAtMs: nowMs + (webhooks.schedule[0] ?? 0) };
}

/** The event of a payment that is about to come to be in another state. */
export function buildEvent(ports: Ports): NewEvent {
  return { id: ports.ids.event(), ...computeEventTimes(ports) };
}

/** Retrieves an event by id. Errors: resource_missing. */
export async function getEvent(ports: Ports, scope: Scope, id: string): Promise<EventJson> {
  const mayBeKept = eventIdPattern.test(id) && id > keptFrom(ports);
  const event = mayBeKept ? await ports.store.findEvent(scope, id) : undefined;
  if (event !== undefined) return event;
  throw new ServiceError(
    "resource_missing",
    "There is no event with this id in this mode. Check the id, and the key; events are kept for a limited time.",
    "id",
  );
}

/** One page of events, as payments are listed. Errors: parameter_invalid where the cursor names no event. */
export async function listEvents(
  ports: Ports,
  scope: Scope,
  query: ListEventsQuery,
): Promise<Listed<EventJson>> {
  const { store } = ports;
  const { above, ...range } = await resolveRange("evt_", query, async (id) =>
    store.findEvent(scope, id),
  );
  return await store.listEvents(scope, {
    ...range,
    above: [above, keptFrom(ports)].toSorted().at(-1) ?? above,
    type: query.type,
    paymentId: query.payment,
  });
}

/** Sorts before the events that are kept: others may be there, since a payment stands for its first one. */
function keptFrom({ clock, webhooks }: Ports): string {
  return toIdBound("evt_", Math.floor((clock() - webhooks.eventRetentionMs) / 1000));
}

/**
 * Queues an event again, for one endpoint or for all that are enabled. Answers 200 with the deliveries.
 * Errors: resource_missing, parameter_invalid where the endpoint is disabled.
 */
export async function resendEvent(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: ResendEventBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(ports, scope, request, async (toRecord) => {
    const event = JSON.parse(await getEvent(ports, scope, id)) as { type: StoredDelivery["type"] };
    const nowMs = ports.clock();
    const deliveries = (await endpointsFor(ports, scope, body.endpoint)).map((endpointId) => ({
      id: ports.ids.delivery(),
      endpointId,
      eventId: id,
      type: event.type,
      status: "pending" as const,
      attempts: 0,
      dueAtMs: nowMs,
      lastStatus: null,
      lastError: null,
      createdMs: nowMs,
    }));
    const list: DeliveryList = {
      object: "list",
      url: `/v1/events/${id}/resend`,
      data: deliveries.map(toDelivery),
      has_more: false,
    };
    const idempotency = toRecord({ status: 200, body: JSON.stringify(list) });
    const activity = buildAuditEntries(ports, actor, {
      ...scope,
      action: "event.resent",
      subject: { id, name: null },
      ...(body.endpoint && { detail: body.endpoint }),
    });
    return await ports.store.queueDeliveries({ scope, deliveries, idempotency, activity });
  });
}

async function endpointsFor(
  { store }: Ports,
  scope: Scope,
  endpointId: string | null | undefined,
): Promise<string[]> {
  const endpoints = await store.listEndpoints(scope);
  if (typeof endpointId !== "string") {
    return endpoints.filter(({ status }) => status === "enabled").map(({ id }) => id);
  }
  const named = endpoints.find(({ id }) => id === endpointId);
  if (!named) {
    throw new ServiceError(
      "resource_missing",
      "There is no webhook endpoint with this id in this mode.",
      "endpoint",
    );
  }
  if (named.status === "enabled") return [endpointId];
  throw new ServiceError(
    "parameter_invalid",
    "endpoint is disabled: nothing is sent to it. Enable it first.",
    "endpoint",
  );
}
