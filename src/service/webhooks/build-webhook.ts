import { listActiveSecrets, type Endpoint } from "./endpoint-state.ts";
import type { Scope } from "../database/scope.ts";
import type { Ports } from "../ports/ports.ts";
import type { Webhook } from "./webhook-sender.ts";

/** The request that takes an event to an endpoint. */
export function buildWebhook(
  { webhooks }: Ports,
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
