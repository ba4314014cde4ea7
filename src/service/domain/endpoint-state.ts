import type { Subscription } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";

/**
 * Where events are sent to, or without `url` kept for. `revision` counts its changes. The old secret signs, too,
 * until `oldSecretUntilMs`; `queuesUntilMs` is when events stop being queued for a listener that is gone;
 * `failingSinceMs` is since when nothing has reached it, null where the last try did.
 */
export type Endpoint = {
  id: string;
  url: string | null;
  events: Subscription;
  description: string | null;
  status: "enabled" | "disabled";
  disabledReason: DisabledReason | null;
  secret: string;
  oldSecret: string | null;
  oldSecretUntilMs: number;
  queuesUntilMs: number;
  failingSinceMs: number | null;
  created: number;
  revision: number;
};

/** Its own answer 410, or days without a success; there is none where its owner has disabled it. */
export type DisabledReason = "gone" | "failing";

export type EndpointChange = Partial<Pick<Endpoint, "url" | "events" | "description" | "status">>;

/** An endpoint with some of it changed. */
export function changed(endpoint: Endpoint, { status, ...change }: EndpointChange): Endpoint {
  const next = { ...endpoint, ...change, revision: endpoint.revision + 1 };
  if (status === undefined || status === endpoint.status) return next;
  return { ...next, status, disabledReason: null, failingSinceMs: null };
}

/** An endpoint that nothing is sent to any more, and why. */
export function disableEndpointState(endpoint: Endpoint, disabledReason: DisabledReason): Endpoint {
  return { ...endpoint, status: "disabled", disabledReason, revision: endpoint.revision + 1 };
}

/** An endpoint with another secret, while the old one signs too until a time. */
export function rollSecret(endpoint: Endpoint, secret: string, oldSecretUntilMs: number): Endpoint {
  return {
    ...endpoint,
    secret,
    oldSecret: endpoint.secret,
    oldSecretUntilMs,
    revision: endpoint.revision + 1,
  };
}

/** What a delivery is signed with at a time, the newer one first. */
export function listActiveSecrets(
  { secret, oldSecret, oldSecretUntilMs }: Endpoint,
  nowMs: number,
): string[] {
  return oldSecret !== null && nowMs < oldSecretUntilMs ? [secret, oldSecret] : [secret];
}

/** An endpoint as the API shows it: with its secret only where that has just been made. */
export function toWebhookEndpoint(
  endpoint: Endpoint,
  { livemode, withSecret = false }: { livemode: boolean; withSecret?: boolean },
): WebhookEndpoint {
  const { id, url, events, description, status, disabledReason, secret, created } = endpoint;
  return {
    id,
    object: "webhook_endpoint",
    url,
    events,
    description,
    status,
    disabled_reason: disabledReason,
    ...(withSecret && { secret }),
    created,
    livemode,
  };
}
