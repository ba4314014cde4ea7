import { hostname } from "node:os";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { Subscription } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import type { Keyring } from "../config/keyring.ts";
import {
  deleteSecret,
  lockFilesOf,
  readListener,
  storeListener,
  type OwnListener,
} from "../config/listener-store.ts";
import { lockFile } from "../config/lock-file.ts";
import { CommandError } from "../errors/command-error.ts";

type Endpoints = Pick<PaymentsClient, "webhookEndpoints">;
type Options = {
  /** What a new listener is subscribed to. */
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

/** How long another process may take to create the listener. */
const creatingMs = 10_000;

/**
 * The listener of this home as it is stored, or a new one. One process of several that start at once
 * creates it.
 */
export async function openListener(
  { webhookEndpoints }: Endpoints,
  own: OwnListener,
  { events, keyring, signal }: Options,
): Promise<Listener> {
  using lock = lockFile(lockFilesOf(own).creating, { waitMs: creatingMs });
  if (!lock) throw new CommandError("conflict", "Another process is still making this listener.");
  const create = async () => {
    const description = `payments listen --name ${own.name} on ${hostname()}`;
    return store(await webhookEndpoints.create({ url: null, events, description }, { signal }));
  };
  const store = (endpoint: WebhookEndpoint): Listener => {
    const { id, secret } = endpoint;
    if (secret === undefined) {
      throw new UnexpectedAnswerError(200, "The service made a listener without a secret.");
    }
    storeListener(own, { endpointId: id, secret }, keyring);
    return { endpoint, secret };
  };

  const stored = readListener(own, keyring);
  if (!stored) return await create();
  const { endpointId, secret } = stored;
  const endpoint = await webhookEndpoints.retrieve(endpointId, { signal }).catch(unlessMissing);
  if (!endpoint) {
    const created = await create();
    deleteSecret(endpointId, keyring);
    const change = "The listener was no longer at the service: there is a new one.";
    return { ...created, change };
  }
  if (secret !== undefined) return { endpoint, secret };
  // A new secret for the same endpoint keeps the deliveries that wait for it.
  const rolled = await webhookEndpoints.roll(endpointId, { overlap_hours: 0 }, { signal });
  const change = "The listener's secret was no longer in the keyring: there is a new one.";
  return { ...store(rolled), change };
}

/** The endpoint, enabled and subscribed to these events. */
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

/** For a request about an endpoint or a delivery that may have been deleted. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
