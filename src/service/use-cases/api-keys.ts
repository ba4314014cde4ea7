import { keyPrefix, type ApiKey, type IssuedKey, type Mode } from "../../contract/key.ts";
import { hashOf } from "./authenticate.ts";
import { newestVersion } from "../../contract/headers.ts";
import type { Account, Ports, StoredKey } from "./ports.ts";

const secretLength = 43; // 43 base62 characters hold 256 bits

/** Makes a key of the account. The answer is the only place where it is ever shown whole. */
export async function createKey(
  ports: Ports,
  request: { mode: Mode; name: string },
): Promise<IssuedKey> {
  const account = await theAccount(ports);
  const secret = newSecret(ports, request.mode);
  const stored = storedKey(ports, account.id, secret, request);
  await ports.store.insertKey(stored);
  return issued(stored.key, secret);
}

/**
 * Makes sure that a key made elsewhere is known; one that is known already stays as it is. Answers
 * whether it can be used, which one that has ended cannot.
 */
export async function adoptKey(
  ports: Ports,
  secret: string,
  request: { mode: Mode; name: string },
): Promise<boolean> {
  const known = await ports.store.findKey(hashOf(secret));
  if (known) return !hasEnded(known.key, ports.clock());
  const account = await theAccount(ports);
  await ports.store.insertKey(storedKey(ports, account.id, secret, request));
  return true;
}

/** Every key of the account, oldest first, also the ended ones. */
export async function listKeys(ports: Ports): Promise<ApiKey[]> {
  const account = await theAccount(ports);
  return await ports.store.listKeys(account.id);
}

/**
 * Makes a successor of a key, with its mode and name, and lets the old one live for `overlapMs`.
 * Answers undefined where there is no such key, or it has ended.
 */
export async function rollKey(
  ports: Ports,
  id: string,
  overlapMs: number,
): Promise<IssuedKey | undefined> {
  const account = await theAccount(ports);
  const old = (await ports.store.listKeys(account.id)).find((key) => key.id === id);
  if (!old || hasEnded(old, ports.clock())) return undefined;
  const secret = newSecret(ports, old.mode);
  const successor = storedKey(ports, account.id, secret, old);
  const expiresAt = Math.ceil((ports.clock() + overlapMs) / 1000);
  const rolled = await ports.store.rollKey(id, successor, expiresAt);
  return rolled ? issued(successor.key, secret) : undefined;
}

/** Ends a key for good; every running service refuses it within a second. Undefined: no such key. */
export async function revokeKey(ports: Ports, id: string): Promise<ApiKey | undefined> {
  const account = await theAccount(ports);
  return await ports.store.revokeKey(account.id, id, Math.floor(ports.clock() / 1000));
}

/** Whether a key was revoked, or has expired. */
function hasEnded(key: Pick<ApiKey, "expires_at" | "revoked_at">, nowMs: number): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && key.expires_at * 1000 <= nowMs);
}

function newSecret(ports: Ports, mode: Mode): string {
  return keyPrefix(mode) + ports.ids.secret(secretLength);
}

function storedKey(
  ports: Ports,
  accountId: string,
  secret: string,
  request: { mode: Mode; name: string },
): StoredKey {
  const key: ApiKey = {
    id: ports.ids.apiKey(),
    object: "api_key",
    mode: request.mode,
    name: request.name,
    last4: secret.slice(-4),
    created: Math.floor(ports.clock() / 1000),
    expires_at: null,
    revoked_at: null,
  };
  return { accountId, hash: hashOf(secret), key };
}

function issued(key: ApiKey, secret: string): IssuedKey {
  const { id, object, mode, name, ...rest } = key;
  return { id, object, mode, name, key: secret, ...rest };
}

const fingerprintSecretLength = 43;

/** The database's one account, made at its first use. */
async function theAccount({ store, ids, clock }: Ports): Promise<Account> {
  return await store.account({
    defaultVersion: newestVersion,
    fingerprintSecret: ids.secret(fingerprintSecretLength),
    created: Math.floor(clock() / 1000),
  });
}
