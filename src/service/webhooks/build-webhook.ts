import type { WebhooksService } from "./webhooks-service.ts";
import { listActiveSecrets, type Endpoint } from "./endpoint-state.ts";
import type { Scope } from "../database/scope.ts";
import type { Webhook } from "./webhook-sender.ts";

/** The request that takes an event to an endpoint. */
export function buildWebhook(
  { webhooks }: WebhooksService,
  { livemode }: Scope,
  endpoint: Endpoint & { url: string },
  { id, body, nowMs }: { id: string; body: string; nowMs: number },
): Webhook {
  return {
    url: endpoint.url,
    secrets: listActiveSecrets(endpoint, nowMs),
    eventId: id,
    body,
    nowMs,
    allowHttp: !livemode || webhooks.allowsPrivate,
  };
}
