import type { Subscription } from "../../contract/field-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";

/**
 * A webhook endpoint, or without `url` a listener. `revision` counts its changes. The old secret also signs until
 * `oldSecretUntilMs`. Events are queued for a listener until `queuesUntilMs`. Every attempt since `failingSinceMs`
 * has failed; null where the last one succeeded.
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

/** `gone`: the endpoint answered 410; `failing`: days without a success. Null where the merchant disabled it. */
export type DisabledReason = "gone" | "failing";

export type EndpointChange = Partial<Pick<Endpoint, "url" | "events" | "description" | "status">>;

export function applyChange(endpoint: Endpoint, { status, ...change }: EndpointChange): Endpoint {
  const next = { ...endpoint, ...change, revision: endpoint.revision + 1 };
  if (status === undefined || status === endpoint.status) return next;
  return { ...next, status, disabledReason: null, failingSinceMs: null };
}

export function disableEndpointState(endpoint: Endpoint, disabledReason: DisabledReason): Endpoint {
  return { ...endpoint, status: "disabled", disabledReason, revision: endpoint.revision + 1 };
}

/** Gives an endpoint another secret; the old one also signs until `oldSecretUntilMs`. */
export function rollSecret(endpoint: Endpoint, secret: string, oldSecretUntilMs: number): Endpoint {
  return {
    ...endpoint,
    secret,
    oldSecret: endpoint.secret,
    oldSecretUntilMs,
    revision: endpoint.revision + 1,
  };
}

/** The secrets that sign a delivery at a time, the newer one first. */
export function listActiveSecrets(
  { secret, oldSecret, oldSecretUntilMs }: Endpoint,
  nowMs: number,
): string[] {
  return oldSecret !== null && nowMs < oldSecretUntilMs ? [secret, oldSecret] : [secret];
}

/** An endpoint as the API returns it. Only the response that creates or rolls a secret includes it. */
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
