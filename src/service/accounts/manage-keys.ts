import type { Actor } from "../ports/activity.ts";
import { keyPrefix, type ApiKey, type IssuedKey, type Mode } from "../../contract/key.ts";
import { findFirstAccount } from "./manage-accounts.ts";
import { buildAuditEntries, type AuditEvent } from "./audit-log.ts";
import { hashKey } from "./authenticate.ts";
import type { StoredKey } from "../ports/account-store.ts";
import { secretLength, type Ports } from "../ports/ports.ts";

/**
 * What a new key is for: its account by the id, the first one where that is left out. An account that is
 * not there is the caller's mistake.
 */
type KeyRequest = { account?: string; mode: Mode; name: string };

/** Which key is meant. */
export type KeyName = Pick<ApiKey, "account" | "id">;

/** Makes a key. The answer is the only place where it is ever shown whole. */
export async function createKey(
  ports: Ports,
  request: KeyRequest,
  actor?: Actor,
): Promise<IssuedKey> {
  const secret = newSecret(ports, request.mode);
  const stored = await storedKey(ports, secret, request);
  const activity = buildAuditEntries(ports, actor, deed("api_key.created", stored.key));
  await ports.store.insertKey(stored, activity);
  return issued(stored.key, secret);
}

/**
 * Makes sure that a key made elsewhere is known; one that is known already stays as it is. Answers
 * whether it can be used, which one that has ended cannot.
 */
export async function adoptKey(
  ports: Ports,
  secret: string,
  request: KeyRequest,
): Promise<boolean> {
  const known = await ports.store.findKey(hashKey(secret));
  if (known) return !isKeyEnded(known.key, ports.clock());
  await ports.store.insertKey(await storedKey(ports, secret, request));
  return true;
}

/** Every key of an account, or of all where none is named, oldest first, also the ended ones. */
export async function listKeys(ports: Ports, account?: string): Promise<ApiKey[]> {
  return await ports.store.listKeys(account);
}

/**
 * Makes a successor of a key, with its mode and name, and lets the old one live for `overlapMs`.
 * Answers undefined where there is no such key, or it has ended.
 */
export async function rollKey(
  ports: Ports,
  { account, id }: KeyName,
  overlapMs: number,
  actor?: Actor,
): Promise<IssuedKey | undefined> {
  const old = (await ports.store.listKeys(account)).find((key) => key.id === id);
  if (!old || isKeyEnded(old, ports.clock())) return undefined;
  const secret = newSecret(ports, old.mode);
  const successor = await storedKey(ports, secret, old);
  const expiresAt = Math.ceil((ports.clock() + overlapMs) / 1000);
  const activity = buildAuditEntries(ports, actor, {
    ...deed("api_key.rolled", old),
    detail: successor.key.id,
  });
  const rolled = await ports.store.rollKey(id, successor, expiresAt, activity);
  return rolled ? issued(successor.key, secret) : undefined;
}

/** Ends a key for good; every running service refuses it within a second. Undefined: no such key. */
export async function revokeKey(
  ports: Ports,
  { account, id }: KeyName,
  actor?: Actor,
): Promise<ApiKey | undefined> {
  const key = (await ports.store.listKeys(account)).find((each) => each.id === id);
  if (!key) return undefined;
  const activity = buildAuditEntries(ports, actor, deed("api_key.revoked", key));
  return await ports.store.revokeKey(account, id, Math.floor(ports.clock() / 1000), activity);
}

function deed(action: AuditEvent["action"], { account, mode, id, name }: ApiKey): AuditEvent {
  return { accountId: account, livemode: mode === "live", action, subject: { id, name } };
}

/** Whether a key was revoked, or has expired. */
export function isKeyEnded(key: Pick<ApiKey, "expires_at" | "revoked_at">, nowMs: number): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && key.expires_at * 1000 <= nowMs);
}

function newSecret(ports: Ports, mode: Mode): string {
  return keyPrefix(mode) + ports.ids.secret(secretLength);
}

async function storedKey(ports: Ports, secret: string, request: KeyRequest): Promise<StoredKey> {
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

function issued(key: ApiKey, secret: string): IssuedKey {
  const { last4, created, expires_at, revoked_at, last_used_at, ...rest } = key;
  return { ...rest, key: secret, last4, created, expires_at, revoked_at, last_used_at };
}
