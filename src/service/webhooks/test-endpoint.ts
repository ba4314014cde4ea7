import type { WebhooksService } from "./webhooks-service.ts";
import { testEventType } from "../../contract/field-values.ts";
import type { TestEvent } from "../../contract/event.ts";
import type { WebhookTest } from "../../contract/delivery.ts";
import type { Actor } from "../../contract/administration.ts";
import { buildAuditEntries } from "../accounts/accounts-service.ts";
import { type Endpoint, buildTry, toWebhookEndpoint } from "./delivery-state.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type Response,
} from "../idempotency/run-idempotently.ts";
import type { Scope } from "../database/scope.ts";
import { noResponseYet } from "../idempotency/idempotency-store.ts";
import { buildWebhook } from "./record-attempt.ts";
import { getStoredEndpoint } from "./find-endpoints.ts";

/** Longer than a request to an endpoint may take: until then a replay waits for the outcome. */
const lockMs = 20_000;

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
    const lockedUntilMs = service.clock() + lockMs;
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
