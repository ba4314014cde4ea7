import { ServiceError } from "../../contract/error.ts";
import { endpointIdPattern } from "../../contract/field-values.ts";
import type { ListEndpointsQuery, WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { type Listed, resolveRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import { type Endpoint, listActiveSecrets, toWebhookEndpoint } from "./delivery-state.ts";
import type { WebhooksService } from "./webhooks-service.ts";

/** An endpoint by its id. Errors: resource_missing. */
export async function getEndpoint(
  service: WebhooksService,
  scope: Scope,
  id: string,
): Promise<WebhookEndpoint> {
  return toWebhookEndpoint(await getStoredEndpoint(service, scope, id), scope);
}

export async function getStoredEndpoint(
  { store }: WebhooksService,
  scope: Scope,
  id: string,
): Promise<Endpoint> {
  const endpoint = endpointIdPattern.test(id) ? await store.findEndpoint(scope, id) : undefined;
  if (endpoint) return endpoint;
  throw new ServiceError(
    "resource_missing",
    "There is no webhook endpoint with this id in this mode. Check the id, and that the key is of the mode in which it was created.",
    "id",
  );
}

/** One page of endpoints, newest first in both directions. Errors: parameter_invalid. */
export async function listEndpoints(
  { store }: WebhooksService,
  scope: Scope,
  query: ListEndpointsQuery,
): Promise<Listed<WebhookEndpoint>> {
  const all = await store.listEndpoints(scope);
  const { below, above, direction, limit } = await resolveRange("we_", query, async (cursor) =>
    all.some(({ id }) => id === cursor),
  );
  const within = all.filter(({ id }) => id < below && id > above);
  const items = direction === "forward" ? within.slice(0, limit) : within.slice(-limit);
  return {
    items: items.map((endpoint) => toWebhookEndpoint(endpoint, scope)),
    hasMore: items.length < within.length,
  };
}

/** An endpoint, and the end of its old secret in Unix seconds. */
export type EndpointWithHealth = {
  endpoint: WebhookEndpoint;
  oldSecretUntil: number | null;
};

/** Every endpoint and listener of a mode, newest first. */
export async function listEndpointsWithHealth(
  { store, clock }: WebhooksService,
  scope: Scope,
): Promise<EndpointWithHealth[]> {
  const nowMs = clock();
  return (await store.listEndpoints(scope)).map((each) => ({
    endpoint: toWebhookEndpoint(each, scope),
    oldSecretUntil:
      listActiveSecrets(each, nowMs).length > 1 ? Math.floor(each.oldSecretUntilMs / 1000) : null,
  }));
}
