import { createHash } from "node:crypto";
import { chmodSync, globSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { PaymentsClient } from "../../client/client.ts";
import { ApiError, UnexpectedAnswerError } from "../../client/errors.ts";
import {
  type Mode,
  type Subscription,
  endpointIdPattern,
  sandboxKeys,
  webhookSecretPattern,
} from "../../contract/field-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { makePrivateFile } from "../../runtime/user-files.ts";
import { embedded, fileFailure, readJsonFile, writeJsonFile } from "../config/profile.ts";
import type { Keyring } from "../config/keyring.ts";
import type { Settings } from "../config/resolve-settings.ts";
import { CommandError } from "../output/command-error.ts";

type Endpoints = Pick<PaymentsClient, "webhookEndpoints">;
type Options = {
  /** The subscription of a new listener. */
  events: Subscription;
  keyring: Keyring;
  /** Whether the key has the permission to read. */
  mayRead: boolean;
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
  { events, keyring, mayRead, signal }: Options,
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
  const found = mayRead
    ? webhookEndpoints.retrieve(endpointId, { signal })
    : webhookEndpoints.update(endpointId, { events, status: "enabled" }, { signal });
  const endpoint = await found.catch(unlessMissing);
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

/** The published key's account has another id in each sandbox; its listener, and so its secret, stays. */
const sandboxAccount = "sandbox";

/** The listener of a name, for the account of the settings' key. */
export function findOwnListener(settings: Settings, accountId: string, name: string): OwnListener {
  const { key, mode } = settings;
  const isPublished = key?.value() === sandboxKeys[mode];
  return { ...settings, accountId: isPublished ? sandboxAccount : accountId, name };
}

/** The name of a listener of this home, account and service that is running. */
export function findRunning(own: OwnListener): string | undefined {
  const stored = globSync(join(own.directories.config, "listener-*.json"));
  const names = stored.flatMap((file) => readJsonFile(file, isListener)?.name ?? []);
  return names.find((name) => {
    const named = { ...own, name };
    if (!stored.includes(listenerFile(named))) return false;
    using lock = lockFile(lockFilesOf(named).listening);
    return lock === undefined;
  });
}

/** A listener of this home: its name is unique for an account, a mode and a service. */
export type OwnListener = { accountId: string; name: string } & Pick<
  Settings,
  "directories" | "mode" | "baseUrl" | "database"
>;

/** The endpoint at the service, and its secret; undefined where the keyring no longer has it. */
type StoredListener = { endpointId: string; secret: string | undefined };

/** A file's content, checked by hand as a login is. */
type ListenerFile = { endpoint: string; mode: Mode; name: string } & (
  | { secret: string }
  | { keyring: true }
);

/** Errors: the secret is stored in the keyring, but the keyring does not return it. */
export function readListener(own: OwnListener, keyring: Keyring): StoredListener | undefined {
  const stored = readJsonFile(listenerFile(own), isListener);
  if (!stored) return undefined;
  const endpointId = stored.endpoint;
  if ("secret" in stored) return { endpointId, secret: stored.secret };
  const answer = keyring.get(toEntry(endpointId));
  if ("reason" in answer) {
    throw new CommandError(
      "unavailable",
      `The listener's secret is stored in the keyring, but ${answer.reason}.`,
      "Try again where the keyring can be reached and is unlocked, or give another --name.",
    );
  }
  const isKnown = answer.answer === "secret" && webhookSecretPattern.test(answer.secret);
  return { endpointId, secret: isKnown ? answer.secret : undefined };
}

/** Stores a listener: its secret in the keyring if that works, else in the file. */
export function storeListener(
  own: OwnListener,
  { endpointId, secret }: { endpointId: string; secret: string },
  keyring: Keyring,
): void {
  const { mode, name } = own;
  const inKeyring = keyring.set(toEntry(endpointId), secret).answer === "done";
  const secretField = inKeyring ? { keyring: true } : { secret };
  writeJsonFile(listenerFile(own), { endpoint: endpointId, mode, name, ...secretField });
}

/** Deletes the secret of an endpoint that no longer exists. A failure does no harm: the secret is useless. */
export function deleteSecret(endpointId: string, keyring: Keyring): void {
  keyring.remove(toEntry(endpointId));
}

/** The files that a process locks while it listens, and while it creates the listener. */
export function lockFilesOf(own: OwnListener): { listening: string; creating: string } {
  const file = join(own.directories.data, `listener-${fingerprint(own)}`);
  return { listening: `${file}.lock`, creating: `${file}.making` };
}

function listenerFile(own: OwnListener): string {
  return join(own.directories.config, `listener-${fingerprint(own)}.json`);
}

/**
 * Names a listener's own file, so that two never undo each other. A hash, since a database's name may hold a password.
 */
function fingerprint({ accountId, mode, baseUrl, database, name }: OwnListener): string {
  const scheme = "sqlite:";
  const isFile = database.startsWith(scheme);
  // A relative and an absolute path to the same file must give the same fingerprint.
  const path = isFile ? scheme + resolve(database.slice(scheme.length)) : database;
  const service = baseUrl === embedded ? path : baseUrl;
  const whole = JSON.stringify([accountId, mode, service, name]);
  return createHash("sha256").update(whole).digest("hex").slice(0, 16);
}

function toEntry(endpointId: string): string {
  return `listener ${endpointId}`;
}

function isListener(value: unknown): value is ListenerFile {
  const { endpoint, secret, keyring } = Object(value) as Record<string, unknown>;
  if (typeof endpoint !== "string" || !endpointIdPattern.test(endpoint)) return false;
  return keyring === true || (typeof secret === "string" && webhookSecretPattern.test(secret));
}

const sqliteBusy = 5;

/**
 * Locks a file until the lock is disposed of; undefined if another process still has the lock after `waitMs`.
 * The lock is SQLite's: the operating system releases it when the process ends, even by a crash.
 */
export function lockFile(file: string, { waitMs = 0 } = {}): Disposable | undefined {
  let database: DatabaseSync | undefined;
  try {
    makePrivateFile(file); // else another user could hold the lock
    chmodSync(file, 0o600); // of an earlier version
    database = new DatabaseSync(file, { timeout: waitMs });
    database.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: database.close.bind(database) };
  } catch (error) {
    database?.close();
    if (Error.isError(error) && "errcode" in error && error.errcode === sqliteBusy)
      return undefined;
    throw fileFailure(file, error);
  }
}
