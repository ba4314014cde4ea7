import { hostname } from "node:os";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { Subscription } from "../../contract/field-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import type { Keyring } from "../config/keyring.ts";
import {
  deleteSecret,
  lockFilesOf,
  readListener,
  storeListener,
  type OwnListener,
  lockFile,
} from "../config/listener-store.ts";
import { CommandError } from "../errors/command-error.ts";

type Endpoints = Pick<PaymentsClient, "webhookEndpoints">;
type Options = {
  /** The subscription of a new listener. */
  events: Subscription;
  keyring: Keyring;
  signal: AbortSignal;
};

export type Listener = {
  endpoint: WebhookEndpoint;
  secret: string;
  /** A note for the user where the stored listener had to be replaced. */
  change?: string;
};

/** How long this process waits for another one that creates the listener. */
const creatingMs = 10_000;

/**
 * Opens the stored listener of this home, or creates one. Of several processes that start at once, only one creates
 * it. One that the service no longer has is replaced, and its secret stays: the command signs, not the service.
 */
export async function openListener(
  { webhookEndpoints }: Endpoints,
  own: OwnListener,
  { events, keyring, signal }: Options,
): Promise<Listener> {
  using lock = lockFile(lockFilesOf(own).creating, { waitMs: creatingMs });
  if (!lock) throw new CommandError("conflict", "Another process is still creating this listener.");
  const create = async (known?: string) => {
    const description = `payments listen --name ${own.name} on ${hostname()}`;
    const created = await webhookEndpoints.create({ url: null, events, description }, { signal });
    return store(created, known);
  };
  const store = (endpoint: WebhookEndpoint, known?: string): Listener => {
    const { id } = endpoint;
    const secret = known ?? endpoint.secret;
    if (secret === undefined) {
      throw new UnexpectedAnswerError(200, "The service created a listener without a secret.");
    }
    storeListener(own, { endpointId: id, secret }, keyring);
    return { endpoint, secret };
  };

  const stored = readListener(own, keyring);
  if (!stored) return await create();
  const { endpointId, secret } = stored;
  const endpoint = await webhookEndpoints.retrieve(endpointId, { signal }).catch(unlessMissing);
  if (!endpoint) {
    const created = await create(secret);
    deleteSecret(endpointId, keyring);
    const isSame = created.secret === secret;
    const change = `The listener was no longer at the service: there is a new one, with ${isSame ? "the same" : "a new"} secret.`;
    return { ...created, change };
  }
  if (secret !== undefined) return { endpoint, secret };
  // Rolling the secret preserves the queued deliveries; a new endpoint would lose them.
  const rolled = await webhookEndpoints.roll(endpointId, { overlap_hours: 0 }, { signal });
  const change = "The listener's secret was no longer in the keyring: there is a new one.";
  return { ...store(rolled), change };
}

/** Enables the endpoint and subscribes it to these events, unless it already is. */
export async function subscribe(
  { webhookEndpoints }: Endpoints,
  endpoint: WebhookEndpoint,
  events: Subscription,
  signal: AbortSignal,
): Promise<WebhookEndpoint> {
  const isSame = endpoint.events.join() === events.join();
  if (isSame && endpoint.status === "enabled") return endpoint;
  return await webhookEndpoints.update(endpoint.id, { events, status: "enabled" }, { signal });
}

/** Turns a 404 into undefined, for an endpoint or a delivery that may have been deleted. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
