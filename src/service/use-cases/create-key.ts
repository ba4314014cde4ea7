import { keyPrefix, type ApiKey, type IssuedKey, type Mode } from "../../contract/key.ts";
import { hashOf } from "./authenticate.ts";
import type { StoredKey } from "./ports.ts";
import type { Ports } from "./service.ts";

const secretLength = 43; // 43 base62 characters hold 256 bits

/** Makes a key of the account. The answer is the only place where it is ever shown whole. */
export async function createKey(
  ports: Ports,
  request: { mode: Mode; name: string },
): Promise<IssuedKey> {
  const account = await ports.store.account();
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
  const account = await ports.store.account();
  await ports.store.insertKey(storedKey(ports, account.id, secret, request));
  return true;
}

/** Whether a key was revoked, or has expired. */
export function hasEnded(key: Pick<ApiKey, "expires_at" | "revoked_at">, nowMs: number): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && key.expires_at * 1000 <= nowMs);
}

export function newSecret(ports: Ports, mode: Mode): string {
  return keyPrefix(mode) + ports.ids.secret(secretLength);
}

export function storedKey(
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

export function issued(key: ApiKey, secret: string): IssuedKey {
  const { id, object, mode, name, ...rest } = key;
  return { id, object, mode, name, key: secret, ...rest };
}
