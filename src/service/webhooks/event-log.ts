import type { Actor } from "../../contract/administration.ts";
import type { Delivery, DeliveryList, ListAllDeliveriesQuery } from "../../contract/delivery.ts";
import { ServiceError } from "../../contract/error.ts";
import type { Event, ListEventsQuery, ResendEventBody } from "../../contract/event.ts";
import { deliveryStatuses, eventIdPattern, parseSeveral } from "../../contract/field-values.ts";
import { buildAuditEntries } from "../accounts/accounts-service.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import { toIdBound } from "../database/ids.ts";
import { type Listed, resolveRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import {
  type IdempotentRequest,
  type Response,
  runIdempotently,
} from "../idempotency/run-idempotently.ts";
import type { StoredDelivery } from "./deliveries-sql.ts";
import { toDelivery } from "./deliveries.ts";
import { maxDeliveryMs } from "./delivery-state.ts";
import type { EventJson } from "./events-sql.ts";
import type { WebhooksService } from "./webhooks-service.ts";

/** Retrieves an event by id. Errors: resource_missing, naming `param`. */
export async function getEvent(
  service: WebhooksService,
  scope: Scope,
  id: string,
  param = "id",
): Promise<EventJson> {
  const isRetained = eventIdPattern.test(id) && id > computeOldestId(service);
  const event = isRetained ? await service.store.findEvent(scope, id) : undefined;
  if (event !== undefined) return event;
  throw new ServiceError(
    "resource_missing",
    "There is no event with this id in this mode. Check the id and the key; old events are deleted.",
    param,
  );
}

/** The payment that an event is about; undefined where there is no such event. */
export async function findPaymentOfEvent(
  service: WebhooksService,
  scope: Scope,
  id: string,
): Promise<string | undefined> {
  const isRetained = eventIdPattern.test(id) && id > computeOldestId(service);
  const event = isRetained ? await service.store.findEvent(scope, id) : undefined;
  return event && (JSON.parse(event) as Event).data.object.id;
}

/** One page of events, as payments are listed. Errors: parameter_invalid where the cursor names no event. */
export async function listEvents(
  service: WebhooksService,
  scope: Scope,
  query: ListEventsQuery,
): Promise<Listed<EventJson>> {
  const range = await resolveRange("evt_", query, async (id) => service.store.findEvent(scope, id));
  const oldest = computeOldestId(service);
  return await service.store.listEvents(scope, {
    ...range,
    above: range.above > oldest ? range.above : oldest,
    type: query.type,
    paymentId: query.payment,
  });
}

/** More than a payment has. */
const maxEvents = 16;

/**
 * One page of the deliveries of an event, or of a payment's events, to every endpoint, newest first in both directions.
 * Errors: resource_missing where there is no such event, parameter_invalid where the cursor names no delivery.
 */
export async function listDeliveriesOfEvents(
  service: WebhooksService,
  scope: Scope,
  { payment, event, status, ...query }: ListAllDeliveriesQuery,
): Promise<Listed<Delivery>> {
  const { store } = service;
  const range = await resolveRange("del_", query, async (id) => store.findDelivery(scope, id));
  const events =
    event === undefined
      ? (await listEvents(service, scope, { payment, limit: maxEvents })).items
      : [await getEvent(service, scope, event, "event")];
  if (events.length === 0) return { items: [], hasMore: false };
  const ids = events.map((json) => (JSON.parse(json) as { id: string }).id);
  const statuses = parseSeveral(status, deliveryStatuses);
  const { items, hasMore } = await store.listDeliveriesOfEvents(scope, ids, { ...range, statuses });
  return { items: items.map(toDelivery), hasMore };
}

/** The bound of retention. Older events may be in the store: a payment's row contains its first event. */
export function computeOldestId({ clock, webhooks }: WebhooksService): string {
  return toIdBound("evt_", Math.floor((clock() - webhooks.eventRetentionMs) / 1000));
}

/**
 * Queues new deliveries of an event, to one endpoint or to all that are enabled. Answers 200 with the deliveries.
 * Errors: resource_missing, parameter_invalid where the endpoint is disabled.
 */
export async function resendEvent(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: ResendEventBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    const { type } = JSON.parse(await getEvent(service, scope, id)) as Pick<StoredDelivery, "type">;
    const nowMs = service.clock();
    const deliveries = (await findResendTargets(service, scope, body.endpoint)).map(
      (endpointId): StoredDelivery => ({
        id: service.ids.delivery(),
        endpointId,
        eventId: id,
        type,
        status: "pending",
        attempts: 0,
        dueAtMs: nowMs,
        lastStatus: null,
        lastError: null,
        createdMs: nowMs,
      }),
    );
    const list: DeliveryList = {
      object: "list",
      url: `/v1/events/${id}/resend`,
      data: deliveries.map(toDelivery),
      has_more: false,
    };
    return await service.store.queueDeliveries({
      scope,
      deliveries,
      idempotency: toRecord({ status: 200, body: JSON.stringify(list) }),
      activity: buildAuditEntries(service, actor, {
        ...scope,
        action: "event.resent",
        subject: { id, name: null },
        ...(body.endpoint && { detail: body.endpoint }),
      }),
    });
  });
}

async function findResendTargets(
  { store }: WebhooksService,
  scope: Scope,
  endpointId: string | null | undefined,
): Promise<string[]> {
  const endpoints = await store.listEndpoints(scope);
  const enabled = endpoints.filter(({ status }) => status === "enabled").map(({ id }) => id);
  if (typeof endpointId !== "string") return enabled;
  if (enabled.includes(endpointId)) return [endpointId];
  throw endpoints.some(({ id }) => id === endpointId)
    ? new ServiceError(
        "parameter_invalid",
        "endpoint is disabled: nothing is sent to it. Enable it first.",
        "endpoint",
      )
    : new ServiceError(
        "resource_missing",
        "There is no webhook endpoint with this id in this mode.",
        "endpoint",
      );
}

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
