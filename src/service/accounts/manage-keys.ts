import {
  type Actor,
  type ApiKey,
  type IssuedKey,
  keyPrefix,
} from "../../contract/administration.ts";
import type { Mode } from "../../contract/field-values.ts";
import type { StoredKey } from "./account-types.ts";
import { secretLength, type Ports } from "../ports/ports.ts";
import { buildAuditEntries, type AuditEvent } from "./audit-log.ts";
import { hashKey } from "./authenticate.ts";
import { findFirstAccount } from "./manage-accounts.ts";

/** A new key; `account` is the id of one that exists, by default the first. */
type KeyRequest = { account?: string; mode: Mode; name: string };

type KeyName = Pick<ApiKey, "account" | "id">;

/** Makes a key. Only this response contains the whole key. */
export async function createKey(
  ports: Ports,
  request: KeyRequest,
  actor?: Actor,
): Promise<IssuedKey> {
  const secret = createSecret(ports, request.mode);
  const stored = await buildKey(ports, secret, request);
  await ports.store.insertKey(
    stored,
    buildAuditEntries(ports, actor, toAuditEvent("api_key.created", stored.key)),
  );
  return toIssuedKey(stored.key, secret);
}

/** Stores a key that was made elsewhere, unless it is stored already. Returns whether the key can be used. */
export async function adoptKey(
  ports: Ports,
  secret: string,
  request: KeyRequest,
): Promise<boolean> {
  const known = await ports.store.findKey(hashKey(secret));
  if (known) return !isKeyEnded(known.key, ports.clock());
  await ports.store.insertKey(await buildKey(ports, secret, request));
  return true;
}

/** Every key of an account, or of all accounts, oldest first, with the revoked and expired ones. */
export async function listKeys({ store }: Ports, account?: string): Promise<ApiKey[]> {
  return await store.listKeys(account);
}

/**
 * Makes a successor of a key, with its mode and name; the old key works for `overlapMs` more.
 * Answers undefined where there is no such key, or it has ended.
 */
export async function rollKey(
  ports: Ports,
  keyName: KeyName,
  overlapMs: number,
  actor?: Actor,
): Promise<IssuedKey | undefined> {
  const old = await findKey(ports, keyName);
  if (!old || isKeyEnded(old, ports.clock())) return undefined;
  const secret = createSecret(ports, old.mode);
  const successor = await buildKey(ports, secret, old);
  const expiresAt = Math.ceil((ports.clock() + overlapMs) / 1000);
  const event = { ...toAuditEvent("api_key.rolled", old), detail: successor.key.id };
  const activity = buildAuditEntries(ports, actor, event);
  const isRolled = await ports.store.rollKey(old.id, successor, expiresAt, activity);
  evictKey(ports, old.id);
  return isRolled ? toIssuedKey(successor.key, secret) : undefined;
}

/** Ends a key for good; every replica refuses it within a second. Undefined: no such key. */
export async function revokeKey(
  ports: Ports,
  keyName: KeyName,
  actor?: Actor,
): Promise<ApiKey | undefined> {
  const key = await findKey(ports, keyName);
  if (!key) return undefined;
  const activity = buildAuditEntries(ports, actor, toAuditEvent("api_key.revoked", key));
  const revokedAt = Math.floor(ports.clock() / 1000);
  const revoked = await ports.store.revokeKey(key.account, key.id, revokedAt, activity);
  evictKey(ports, key.id);
  return revoked;
}

/** Whether a key was revoked, or has expired. */
export function isKeyEnded(key: Pick<ApiKey, "expires_at" | "revoked_at">, nowMs: number): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && key.expires_at * 1000 <= nowMs);
}

/** A cached key is trusted for a while of the service's time, which may stand still. */
function evictKey({ keyCache }: Ports, id: string): void {
  for (const [hash, { storedKey }] of keyCache) if (storedKey.key.id === id) keyCache.delete(hash);
}

async function findKey({ store }: Ports, { account, id }: KeyName): Promise<ApiKey | undefined> {
  return (await store.listKeys(account)).find((key) => key.id === id);
}

function toAuditEvent(
  action: AuditEvent["action"],
  { account, mode, id, name }: ApiKey,
): AuditEvent {
  return { accountId: account, livemode: mode === "live", action, subject: { id, name } };
}

function createSecret({ ids }: Ports, mode: Mode): string {
  return keyPrefix(mode) + ids.secret(secretLength);
}

async function buildKey(ports: Ports, secret: string, request: KeyRequest): Promise<StoredKey> {
  const key: ApiKey = {
    id: ports.ids.apiKey(),
    object: "api_key",
    account: request.account ?? (await findFirstAccount(ports)).id,
    mode: request.mode,
    name: request.name,
    last4: secret.slice(-4),
    created: Math.floor(ports.clock() / 1000),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
  };
  return { hash: hashKey(secret), key };
}

function toIssuedKey(key: ApiKey, secret: string): IssuedKey {
  const { last4, created, expires_at, revoked_at, last_used_at, ...rest } = key;
  return { ...rest, key: secret, last4, created, expires_at, revoked_at, last_used_at };
}
