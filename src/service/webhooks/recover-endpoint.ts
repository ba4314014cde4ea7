import type { WebhooksService } from "./webhooks-service.ts";
import { maxRecovered } from "../../contract/field-values.ts";
import type { RecoverEndpointBody, Recovery } from "../../contract/delivery.ts";
import type { Actor } from "../../contract/administration.ts";
import { buildAuditEntries } from "../accounts/accounts-service.ts";
import { toIdBound } from "../database/ids.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type Response,
} from "../idempotency/run-idempotently.ts";
import type { Scope } from "../database/scope.ts";
import { assertRunning } from "./deliveries.ts";
import { computeOldestId } from "./event-log.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";
import { createListenerError } from "./manage-endpoints.ts";

/** Few enough for one write that other writers do not wait long. */
const batchSize = 500;
/** Deliveries that are only read. */
const resentBatchSize = 2_000;
/** Ids in memory: nobody resends so many one by one. */
const maxResent = 100_000;

/**
 * Queues again, in order of creation, the events since a time in Unix seconds that an endpoint has missed: those whose
 * deliveries failed, and those that were never queued because it was disabled. Two requests at once queue each event
 * once. Answers 200 with how many. Errors: resource_missing; parameter_invalid for a disabled endpoint or a listener.
 */
export async function recoverEndpoint(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: RecoverEndpointBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    const { url, status } = await getStoredEndpoint(service, scope, id);
    if (url === null) throw createListenerError("recovered");
    if (status === "disabled") throw createDisabledError();
    const { queued, hasMore } = await queueMissedEvents(service, scope, id, body.since);
    const recovery: Recovery = { object: "recovery", queued, has_more: hasMore };
    const activity = buildAuditEntries(service, actor, {
      ...scope,
      action: "webhook_endpoint.recovered",
      subject: { id, name: url },
      detail: String(queued),
    });
    const record = toRecord({ status: 200, body: JSON.stringify(recovery) });
    return await service.store.storeResponse(scope, record, activity);
  });
}

async function queueMissedEvents(
  service: WebhooksService,
  scope: Scope,
  endpointId: string,
  since: number,
): Promise<{ queued: number; hasMore: boolean }> {
  const { store, clock, shutdown } = service;
  // The endpoint has not missed what happened before it was created.
  const created = `evt_${endpointId.slice("we_".length, "we_00000000-0000".length)}`;
  const start =
    [toIdBound("evt_", since), computeOldestId(service), created].toSorted().at(-1) ?? "";
  const except = await findResentEvents(service, scope, endpointId, start);
  const missed = { scope, endpointId, except, includesFailed: true, limit: batchSize };
  let queued = 0;
  for (let above: string | undefined = start; above !== undefined;) {
    assertRunning(shutdown);
    const batch = { above, nowMs: clock(), max: maxRecovered - queued };
    const outcome = await store.requeueEvents({ ...missed, ...batch });
    queued += outcome.queued;
    if (outcome.isFull) return { queued, hasMore: true };
    above = outcome.last;
  }
  return { queued, hasMore: false };
}

/** The events after another one that an endpoint was resent: these it has not missed. */
async function findResentEvents(
  { store, shutdown }: WebhooksService,
  scope: Scope,
  endpointId: string,
  start: string,
): Promise<Set<string>> {
  const found = new Set<string>();
  // A resend is later than its event.
  let above: string | undefined = start.replace(/^evt_/, "del_");
  while (above !== undefined && found.size < maxResent) {
    assertRunning(shutdown);
    const batch = { above, limit: resentBatchSize };
    const { last, events } = await store.findResentEvents(scope, endpointId, batch);
    for (const id of events) found.add(id);
    above = last;
  }
  return found;
}

function createDisabledError(): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    "The endpoint is disabled: nothing is sent to it. Enable it first.",
    "id",
  );
}
