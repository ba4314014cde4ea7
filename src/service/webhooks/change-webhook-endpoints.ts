import { isDeepStrictEqual } from "node:util";
import type { Action, Actor } from "../ports/activity.ts";
import { allEventTypes, maxEndpoints, maxListeners } from "../../contract/event-values.ts";
import type {
  CreateEndpointBody,
  DeletedEndpoint,
  RollEndpointBody,
  UpdateEndpointBody,
} from "../../contract/webhook-endpoint.ts";
import { listenerTimeoutMs } from "../domain/delivery-schedule.ts";
import {
  changed,
  disableEndpointState,
  rollSecret,
  toWebhookEndpoint,
  type DisabledReason,
  type Endpoint,
} from "../domain/endpoint-state.ts";
import { buildAuditEntries, type AuditEvent } from "../accounts/audit-log.ts";
import {
  runIdempotently,
  type Response,
  type IdempotentRequest,
} from "../idempotency/run-idempotently.ts";
import { disabledResult, abandonDeliveries } from "./abandon-deliveries.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";

const hourMs = 60 * 60 * 1000;
const usualOverlapHours = 24;

/**
 * Creates a webhook endpoint, or without `url` a listener. Answers 201 with the endpoint and its secret.
 * Errors: parameter_invalid where there are too many, or plain http is not allowed.
 */
export async function createEndpoint(
  ports: Ports,
  scope: Scope,
  body: CreateEndpointBody,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  refusePlainHttp(ports, scope, body.url);
  return await runIdempotently(ports, scope, request, async (toRecord) => {
    for (;;) {
      const slot = freePlace(await ports.store.listEndpoints(scope), body.url === null);
      const nowMs = ports.clock();
      const endpoint: Endpoint = {
        id: ports.ids.endpoint(),
        url: body.url,
        events: body.events ?? [allEventTypes],
        description: body.description ?? null,
        status: "enabled",
        disabledReason: null,
        secret: ports.ids.webhookSecret(),
        oldSecret: null,
        oldSecretUntilMs: 0,
        queuesUntilMs: body.url === null ? nowMs + listenerTimeoutMs : Number.MAX_SAFE_INTEGER,
        failingSinceMs: null,
        created: Math.floor(nowMs / 1000),
        revision: 1,
      };
      const idempotency = toRecord({ status: 201, body: textOf(scope, endpoint, true) });
      const activity = buildAuditEntries(ports, actor, deed(scope, "created", endpoint));
      const write = { scope, endpoint, slot, idempotency, activity };
      const written = await ports.store.createEndpoint(write);
      if (written.outcome !== "conflict") return written;
    }
  });
}

/** Changes an endpoint. Answers 200 with it. Errors: resource_missing, parameter_invalid. */
export async function updateEndpoint(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: UpdateEndpointBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  if (body.url !== undefined) refusePlainHttp(ports, scope, body.url);
  const { url, events, description, status } = body;
  const change = {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(description !== undefined && { description }),
    ...(status && { status }),
  };
  const asked = { id, request, actor, withSecret: false, done: changesOf };
  return await changeOnce(ports, scope, asked, (endpoint) => {
    if (url !== undefined && endpoint.url === null) throw withoutAddress();
    return changed(endpoint, change);
  });
}

/** Gives an endpoint a new secret. Answers 200 with the endpoint and its secret. Errors: resource_missing. */
export async function rollEndpoint(
  ports: Ports,
  scope: Scope,
  { id, body }: { id: string; body: RollEndpointBody },
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  const overlapMs = (body.overlap_hours ?? usualOverlapHours) * hourMs;
  return await changeOnce(
    ports,
    scope,
    { id, request, actor, withSecret: true, done: rollingAlone },
    (endpoint) => rollSecret(endpoint, ports.ids.webhookSecret(), ports.clock() + overlapMs),
  );
}

/** Deletes an endpoint; what was queued for it is never sent. Errors: resource_missing. */
export async function deleteEndpoint(
  ports: Ports,
  scope: Scope,
  id: string,
  actor?: Actor,
): Promise<DeletedEndpoint> {
  const endpoint = await getStoredEndpoint(ports, scope, id);
  const activity = buildAuditEntries(ports, actor, deed(scope, "deleted", endpoint));
  await ports.store.deleteEndpoint(scope, id, activity);
  return { id, object: "webhook_endpoint", deleted: true };
}

/**
 * Disables an endpoint that is not to be sent anything any more; false where it is no longer as it was tried:
 * its owner may have mended it, or somebody else has disabled it.
 */
export async function disableEndpoint(
  ports: Ports,
  scope: Scope,
  tried: Endpoint,
  reason: DisabledReason,
): Promise<boolean> {
  const endpoint = disableEndpointState(tried, reason);
  const written = await ports.store.changeEndpoint({ scope, endpoint, idempotency: undefined });
  if (written.outcome === "conflict") return false;
  await abandonDeliveries(ports, scope, tried.id, disabledResult);
  return true;
}

type Done =
  Extract<Action, `webhook_endpoint.${string}`> extends `webhook_endpoint.${infer Verb}`
    ? Verb
    : never;

function deed(scope: Scope, done: Done, { id, url }: Endpoint): AuditEvent {
  return { ...scope, action: `webhook_endpoint.${done}`, subject: { id, name: url } };
}

const rollingAlone = (): Done[] => ["rolled"];

/** What a change of an endpoint comes to; nothing where all is as it was. */
function changesOf(before: Endpoint, after: Endpoint): Done[] {
  const { url, events, description } = before;
  const isUpdated = !isDeepStrictEqual({ ...after, url, events, description }, after);
  return [
    ...(isUpdated ? (["updated"] as const) : []),
    ...(before.status === after.status ? [] : [after.status]),
  ];
}

/** Changes an endpoint whatever else does, once for each idempotency key. */
async function changeOnce(
  ports: Ports,
  scope: Scope,
  asked: {
    id: string;
    request: IdempotentRequest | undefined;
    actor: Actor | undefined;
    withSecret: boolean;
    done: (before: Endpoint, after: Endpoint) => readonly Done[];
  },
  change: (endpoint: Endpoint) => Endpoint,
): Promise<Response> {
  const { id, request, actor, withSecret } = asked;
  return await runIdempotently(ports, scope, request, async (toRecord) => {
    for (;;) {
      const beforeMs = ports.clock() + 1;
      const before = await getStoredEndpoint(ports, scope, id);
      const endpoint = change(before);
      // It starts from now: what was left when it was disabled is not sent.
      const isEnabled = before.status === "disabled" && endpoint.status === "enabled";
      if (isEnabled) await abandonDeliveries(ports, scope, id, { beforeMs, ...disabledResult });
      const body = textOf(scope, endpoint, withSecret);
      const idempotency = toRecord({ status: 200, body });
      const activity = asked
        .done(before, endpoint)
        .flatMap((done) => buildAuditEntries(ports, actor, deed(scope, done, endpoint)));
      const write = { scope, endpoint, idempotency, activity };
      const written = await ports.store.changeEndpoint(write);
      if (written.outcome === "conflict") continue;
      const isDisabled = before.status === "enabled" && endpoint.status === "disabled";
      if (isDisabled && written.outcome === "written")
        await abandonDeliveries(ports, scope, id, disabledResult);
      return written;
    }
  });
}

function textOf(scope: Scope, endpoint: Endpoint, withSecret: boolean): string {
  return JSON.stringify(toWebhookEndpoint(endpoint, { livemode: scope.livemode, withSecret }));
}

/** The first slot that is free: endpoints have theirs, and listeners have others. */
function freePlace(taken: { slot: number }[], isListener: boolean): number {
  const first = isListener ? maxEndpoints : 0;
  const count = isListener ? maxListeners : maxEndpoints;
  for (let slot = first; slot < first + count; slot++) {
    if (!taken.some((endpoint) => endpoint.slot === slot)) return slot;
  }
  throw new ServiceError(
    "parameter_invalid",
    isListener
      ? `There are ${maxListeners} listeners in this mode, which is the most there can be. Delete one that no longer listens.`
      : `url cannot be added: there are ${maxEndpoints} webhook endpoints in this mode, which is the most there can be. Delete one.`,
    "url",
  );
}

/** On plain http others could read the events, and change them: only those of test mode may go there. */
function refusePlainHttp({ webhooks }: Ports, scope: Scope, url: string | null): void {
  const isPlain = url !== null && new URL(url).protocol === "http:";
  if (!isPlain || !scope.livemode || webhooks.allowsPrivate) return;
  throw new ServiceError("parameter_invalid", "url must be an https address in live mode.", "url");
}

function withoutAddress(): ServiceError {
  return new ServiceError(
    "parameter_invalid",
    "url cannot be set: this endpoint is a listener. Create an endpoint with the address.",
    "url",
  );
}
