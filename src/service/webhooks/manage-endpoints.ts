import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../../contract/administration.ts";
import type { WebhookTest } from "../../contract/delivery.ts";
import { ServiceError } from "../../contract/error.ts";
import type { TestEvent } from "../../contract/event.ts";
import {
  allEventTypes,
  maxEndpoints,
  maxListeners,
  testEventType,
} from "../../contract/field-values.ts";
import type {
  CreateEndpointBody,
  DeletedEndpoint,
  RollEndpointBody,
  UpdateEndpointBody,
} from "../../contract/webhook-endpoint.ts";
import { type AuditEvent, buildAuditEntries } from "../accounts/accounts-service.ts";
import type { Scope } from "../database/scope.ts";
import { noResponseYet } from "../idempotency/idempotency-store.ts";
import {
  type IdempotentRequest,
  type Response,
  runIdempotently,
} from "../idempotency/run-idempotently.ts";
import { abandonDeliveries, endpointDisabled } from "./deliveries.ts";
import {
  type DisabledReason,
  type Endpoint,
  applyChange,
  buildTry,
  disableEndpointState,
  listenerTimeoutMs,
  rollSecret,
  toWebhookEndpoint,
} from "./delivery-state.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";
import { type WebhooksService, buildWebhook } from "./webhooks-service.ts";

const hourMs = 60 * 60 * 1000;

const defaultOverlapHours = 24;

/**
 * Creates a webhook endpoint, or without `url` a listener. Answers 201 with the endpoint and its secret.
 * Errors: parameter_invalid where there are too many, or plain http is not allowed.
 */
export async function createEndpoint(
  service: WebhooksService,
  scope: Scope,
  { url, events, description }: CreateEndpointBody,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  assertSecureUrl(service, scope, url);
  return await runIdempotently(service, scope, request, async (toRecord) => {
    for (;;) {
      const slot = findFreeSlot(await service.store.listEndpoints(scope), url === null);
      const nowMs = service.clock();
      const endpoint: Endpoint = {
        id: service.ids.endpoint(),
        url,
        events: events ?? [allEventTypes],
        description: description ?? null,
        status: "enabled",
        disabledReason: null,
        secret: service.ids.webhookSecret(),
        oldSecret: null,
        oldSecretUntilMs: 0,
        queuesUntilMs: url === null ? nowMs + listenerTimeoutMs : Number.MAX_SAFE_INTEGER,
        failingSinceMs: null,
        lastSuccessAt: null,
        created: Math.floor(nowMs / 1000),
        revision: 1,
      };
      const body = toWebhookEndpoint(endpoint, { ...scope, withSecret: true });
      const written = await service.store.createEndpoint({
        scope,
        endpoint,
        slot,
        idempotency: toRecord({ status: 201, body: JSON.stringify(body) }),
        activity: buildAuditEntries(service, actor, toAuditEvent(scope, "created", endpoint)),
      });
      if (written.outcome !== "conflict") return written;
    }
  });
}

/** Changes an endpoint. Answers 200 with it. Errors: resource_missing, parameter_invalid. */
export async function updateEndpoint(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: UpdateEndpointBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  const { url, events, description, status } = body;
  if (url !== undefined) assertSecureUrl(service, scope, url);
  return await changeEndpoint(service, scope, { id, request, actor }, (endpoint) => {
    if (url !== undefined && endpoint.url === null) {
      throw createUrlError(
        "url cannot be set: this endpoint is a listener. Create an endpoint with the url.",
      );
    }
    return applyChange(endpoint, {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(description !== undefined && { description }),
      ...(status && { status }),
    });
  });
}

/** Gives an endpoint a new secret. Answers 200 with the endpoint and its secret. Errors: resource_missing. */
export async function rollEndpoint(
  service: WebhooksService,
  scope: Scope,
  { id, body }: { id: string; body: RollEndpointBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  const overlapMs = (body.overlap_hours ?? defaultOverlapHours) * hourMs;
  return await changeEndpoint(service, scope, { id, request, actor }, (endpoint) =>
    rollSecret(endpoint, service.ids.webhookSecret(), service.clock() + overlapMs),
  );
}

/** Deletes an endpoint; its queued deliveries are never sent. Errors: resource_missing. */
export async function deleteEndpoint(
  service: WebhooksService,
  scope: Scope,
  id: string,
  actor?: Actor,
): Promise<DeletedEndpoint> {
  const endpoint = await getStoredEndpoint(service, scope, id);
  const activity = buildAuditEntries(service, actor, toAuditEvent(scope, "deleted", endpoint));
  await service.store.deleteEndpoint(scope, id, activity);
  return { id, object: "webhook_endpoint", deleted: true };
}

/**
 * Disables an endpoint after an attempt. Returns false if the endpoint was changed after the attempt began: the
 * outcome then belongs to the old configuration.
 */
export async function disableEndpoint(
  service: WebhooksService,
  scope: Scope,
  attempted: Endpoint,
  reason: DisabledReason,
): Promise<boolean> {
  const endpoint = disableEndpointState(attempted, reason);
  const written = await service.store.changeEndpoint({ scope, endpoint, idempotency: undefined });
  if (written.outcome === "conflict") return false;
  await abandonDeliveries(service, scope, endpoint.id, endpointDisabled);
  return true;
}

/**
 * Changes an endpoint, once for each idempotency key, on top of any concurrent change. The response contains the
 * secret if it is new.
 */
async function changeEndpoint(
  service: WebhooksService,
  scope: Scope,
  {
    id,
    request,
    actor,
  }: { id: string; request: IdempotentRequest | undefined; actor: Actor | undefined },
  change: (endpoint: Endpoint) => Endpoint,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    for (;;) {
      const beforeMs = service.clock() + 1;
      const before = await getStoredEndpoint(service, scope, id);
      const endpoint = change(before);
      const changes = listChanges(before, endpoint);
      // An enabled endpoint receives only events from now on, and no older deliveries.
      if (changes.includes("enabled")) {
        await abandonDeliveries(service, scope, id, { beforeMs, ...endpointDisabled });
      }
      const withSecret = changes.includes("rolled");
      const body = JSON.stringify(toWebhookEndpoint(endpoint, { ...scope, withSecret }));
      const written = await service.store.changeEndpoint({
        scope,
        endpoint,
        idempotency: toRecord({ status: 200, body }),
        activity: buildAuditEntries(
          service,
          actor,
          ...changes.map((each) => toAuditEvent(scope, each, endpoint)),
        ),
      });
      if (written.outcome === "conflict") continue;
      if (changes.includes("disabled") && written.outcome === "written") {
        await abandonDeliveries(service, scope, id, endpointDisabled);
      }
      return written;
    }
  });
}

type Change = "created" | "updated" | "enabled" | "disabled" | "rolled" | "deleted";

/** The changes from one state of an endpoint to the next. */
function listChanges(before: Endpoint, after: Endpoint): Change[] {
  const { url, events, description } = before;
  return [
    ...(isDeepStrictEqual({ ...after, url, events, description }, after)
      ? []
      : (["updated"] as const)),
    ...(before.secret === after.secret ? [] : (["rolled"] as const)),
    ...(before.status === after.status ? [] : [after.status]),
  ];
}

function toAuditEvent(scope: Scope, change: Change, { id, url }: Endpoint): AuditEvent {
  return { ...scope, action: `webhook_endpoint.${change}`, subject: { id, name: url } };
}

/** The first free slot: endpoints and listeners have slots of their own. */
function findFreeSlot(endpoints: { slot: number }[], isListener: boolean): number {
  const first = isListener ? maxEndpoints : 0;
  const count = isListener ? maxListeners : maxEndpoints;
  for (let slot = first; slot < first + count; slot++) {
    if (!endpoints.some((endpoint) => endpoint.slot === slot)) return slot;
  }
  throw createUrlError(
    isListener
      ? `There are ${maxListeners} listeners in this mode, which is the maximum. Delete one that no longer listens.`
      : `url cannot be added: there are ${maxEndpoints} webhook endpoints in this mode, which is the maximum. Delete one.`,
  );
}

/** An attacker could read and change events over plain http, so only those of test mode may use it. */
function assertSecureUrl({ webhooks }: WebhooksService, scope: Scope, url: string | null): void {
  const isPlain = url !== null && new URL(url).protocol === "http:";
  if (!isPlain || !scope.livemode || webhooks.allowsPrivate) return;
  throw createUrlError("url must be an https address in live mode.");
}

function createUrlError(message: string): ServiceError {
  return new ServiceError("parameter_invalid", message, "url");
}

/** Longer than a request to an endpoint may take: until then a replay waits for the outcome. */
const testLockMs = 20_000;

/**
 * Sends one test event to an endpoint at once, whatever its status and subscription; nothing of it is stored but the
 * response. Answers 200 with the outcome; a replay sends nothing. Errors: resource_missing; parameter_invalid for a
 * listener; rate_limit_exceeded while too many tests run.
 */
export async function testEndpoint(
  service: WebhooksService,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord) => {
    const { url, ...endpoint } = await getStoredEndpoint(service, scope, id);
    if (url === null) throw createListenerError("tested");
    using _ = takeTestSlot(service, scope);
    const activity = buildAuditEntries(service, actor, {
      ...scope,
      action: "webhook_endpoint.tested",
      subject: { id, name: url },
    });
    const lockedUntilMs = service.clock() + testLockMs;
    const claim = toRecord(noResponseYet, lockedUntilMs);
    const claimed = await service.store.storeResponse(scope, claim, activity);
    if (claimed.outcome !== "written") return claimed;
    const test = await sendTest(service, scope, { ...endpoint, url });
    const response = { status: 200, body: JSON.stringify(test) };
    if (request) await service.store.releaseLock(scope, { ...request, response });
    return { outcome: "written", response };
  });
}

async function sendTest(
  service: WebhooksService,
  scope: Scope,
  endpoint: Endpoint & { url: string },
): Promise<WebhookTest> {
  const startMs = service.clock();
  const event: TestEvent = {
    id: service.ids.event(),
    object: "event",
    type: testEventType,
    created: Math.floor(startMs / 1000),
    livemode: scope.livemode,
    sequence: 1,
    data: { object: toWebhookEndpoint(endpoint, scope) },
  };
  const sent = { id: event.id, body: JSON.stringify(event), nowMs: startMs };
  const outcome = await service.sender.send(buildWebhook(service, scope, endpoint, sent));
  const { created: _, ...result } = buildTry(outcome, { startMs, endMs: service.clock() });
  return { object: "webhook_test", event: event.id, ...result };
}

/** Tests wait for endpoints, so they are limited, and shared by account. Error: rate_limit_exceeded. */
function takeTestSlot({ tests }: WebhooksService, { accountId }: Scope): Disposable {
  const owner = [accountId];
  if (!tests.canTake(owner)) {
    throw new ServiceError(
      "rate_limit_exceeded",
      "Too many webhook endpoints are being tested at the moment. Try again after the seconds in Retry-After.",
    );
  }
  tests.change(owner, 1);
  return { [Symbol.dispose]: () => tests.change(owner, -1) };
}

/** The error of what a listener, which has no address, cannot be. */
export function createListenerError(done: string): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    `This endpoint is a listener: it fetches its deliveries, and cannot be ${done}. payments listen --since brings what it missed.`,
    "id",
  );
}
