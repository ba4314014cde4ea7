import { hostname } from "node:os";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, UnexpectedAnswerError } from "../../client/errors.ts";
import type { Subscription } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { CommandError } from "../errors/command-error.ts";
import { lockFile } from "../config/lock-file.ts";
import type { Keyring } from "../config/keyring.ts";
import {
  deleteSecret,
  lockFilesOf,
  readListener,
  storeListener,
  type OwnListener,
} from "../config/listener-store.ts";

type Endpoints = Pick<PaymentsClient, "webhookEndpoints">;
type Means = {
  /** What a new one is sent. */
  events: Subscription;
  keyring: Keyring;
  signal: AbortSignal;
};

export type Listener = {
  endpoint: WebhookEndpoint;
  secret: string;
  /** What is told of one that was there before, and now is another. */
  change?: string;
};

/** How long whoever makes the listener is waited for. */
const makingMs = 10_000;

/**
 * The listener of this home as it is stored, or a new one. What is missing of it is made: one process
 * of several that begin at once does that.
 */
export async function openListener(
  client: Endpoints,
  own: OwnListener,
  means: Means,
): Promise<Listener> {
  using held = lockFile(lockFilesOf(own).creating, { waitMs: makingMs });
  if (!held) throw new CommandError("conflict", "Another process is still making this listener.");
  const { keyring, signal } = means;
  const stored = readListener(own, keyring);
  if (!stored) return await newListener(client, own, means);
  const { endpointId, secret } = stored;
  const endpoint = await endpointAt(client, endpointId, signal);
  if (!endpoint) {
    const change = "The listener was no longer at the service: there is a new one.";
    const made = await newListener(client, own, means);
    deleteSecret(endpointId, keyring);
    return { ...made, change };
  }
  if (secret !== undefined) return { endpoint, secret };
  // What waits for it stays.
  const rolled = await client.webhookEndpoints.roll(endpointId, { overlap_hours: 0 }, { signal });
  const change = "The listener's secret was no longer in the keyring: there is a new one.";
  return { ...kept(own, rolled, keyring), change };
}

/** The endpoint as it is to listen: to these events, and enabled. */
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

/** Undefined where it was deleted. */
async function endpointAt(
  { webhookEndpoints }: Endpoints,
  id: string,
  signal: AbortSignal,
): Promise<WebhookEndpoint | undefined> {
  try {
    return await webhookEndpoints.retrieve(id, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function newListener(
  { webhookEndpoints }: Endpoints,
  own: OwnListener,
  { events, keyring, signal }: Means,
): Promise<Listener> {
  const description = `payments listen --name ${own.name} on ${hostname()}`;
  const made = await webhookEndpoints.create({ url: null, events, description }, { signal });
  return kept(own, made, keyring);
}

/** Stores what has just been made. */
function kept(own: OwnListener, endpoint: WebhookEndpoint, keyring: Keyring): Listener {
  const { id, secret } = endpoint;
  if (secret === undefined) {
    throw new UnexpectedAnswerError(200, "The service made a listener without a secret.");
  }
  storeListener(own, { endpointId: id, secret }, keyring);
  return { endpoint, secret };
}
