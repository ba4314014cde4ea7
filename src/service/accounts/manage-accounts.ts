import type { KeyAccount } from "../../contract/account.ts";
import {
  type Account,
  type Actor,
  type ApiKey,
  type IssuedKey,
  type KeyGrant,
  defaultAccountName,
  findExpiryMistake,
  keyPrefix,
} from "../../contract/administration.ts";
import { ServiceError } from "../../contract/error.ts";
import { type Mode, permissions } from "../../contract/field-values.ts";
import { type Version, newestVersion } from "../../contract/route.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { Scope } from "../database/scope.ts";
import {
  type AccountsService,
  type AuditEvent,
  type Principal,
  type RequestContext,
  buildAuditEntries,
  secretLength,
} from "./accounts-service.ts";
import type { StoredAccount, StoredKey } from "./accounts-store.ts";
import { createInvalidKeyError, hashKey } from "./authenticate.ts";

type AccountRequest = { name?: string; defaultVersion?: Version };

/** An account that is not stored yet, by default as a new database has it. */
export function buildAccount(
  { ids, clock }: Pick<AccountsService, "ids" | "clock">,
  { name = defaultAccountName, defaultVersion = newestVersion }: AccountRequest = {},
): StoredAccount {
  const account: Account = {
    id: ids.account(),
    object: "account",
    name,
    default_version: defaultVersion,
    created: Math.floor(clock() / 1000),
  };
  return { account, fingerprintSecret: ids.secret(secretLength) };
}

export async function createAccount(
  service: AccountsService,
  request: AccountRequest,
  actor?: Actor,
): Promise<Account> {
  const created = buildAccount(service, request);
  const { id, name } = created.account;
  const event = { accountId: id, action: "account.created", subject: { id, name } } as const;
  await service.store.insertAccount(created, buildAuditEntries(service, actor, event));
  return created.account;
}

/** Every account, oldest first. */
export async function listAccounts({ store }: AccountsService): Promise<Account[]> {
  return await store.listAccounts();
}

/** Answers the account under its new name, or undefined where there is none. */
export async function renameAccount(
  service: AccountsService,
  id: string,
  name: string,
  actor?: Actor,
): Promise<Account | undefined> {
  const event = { accountId: id, action: "account.renamed", subject: { id, name } } as const;
  return await service.store.renameAccount(id, name, buildAuditEntries(service, actor, event));
}

/** The context of a request that comes without a key: from the dashboard, or from the embedded service. */
export async function toPrincipal(
  { store }: AccountsService,
  scope: Scope,
): Promise<RequestContext | undefined> {
  const found = await store.findAccount(scope.accountId);
  if (!found) return undefined;
  const { account, fingerprintSecret } = found;
  return { scope, defaultVersion: account.default_version, fingerprintSecret };
}

/** The account of the request's key, and what the key may do (GET /v1/account). Errors: invalid_api_key. */
export async function getAccount(
  { store }: AccountsService,
  { scope, permissions: allowed, maxRefund }: Principal,
): Promise<KeyAccount> {
  const found = await store.findAccount(scope.accountId);
  if (!found) throw createInvalidKeyError();
  const { id, object, name, default_version } = found.account;
  return {
    id,
    object,
    name,
    default_version,
    livemode: scope.livemode,
    permissions: [...allowed],
    max_refund: maxRefund,
  };
}

/** The oldest account: the one that a new database begins with. */
async function findFirstAccount({ store }: AccountsService): Promise<Account> {
  const [first] = await store.listAccounts();
  if (first) return first;
  throw new Unavailable("The database has no account.", {
    hint: "Make one with payments accounts create.",
  });
}

/**
 * A new key; `account` is the id of one that exists, by default the first. It may everything, without a limit and without
 * an end, unless the rest says otherwise.
 */
type KeyRequest = { account?: string; mode: Mode; name: string } & Partial<
  KeyGrant & Pick<ApiKey, "expires_at">
>;

type KeyName = Pick<ApiKey, "account" | "id">;

/** Makes a key. Only this response contains the whole key. Errors: parameter_invalid for an end after the year 9999. */
export async function createKey(
  service: AccountsService,
  request: KeyRequest,
  actor?: Actor,
): Promise<IssuedKey> {
  const mistake = findExpiryMistake(request.expires_at ?? 0);
  if (mistake !== undefined) {
    throw new ServiceError("parameter_invalid", `The expiry ${mistake}.`, "expires_at");
  }
  const secret = createSecret(service, request.mode);
  const stored = await buildKey(service, secret, request);
  await service.store.insertKey(
    stored,
    buildAuditEntries(service, actor, toAuditEvent("api_key.created", stored.key)),
  );
  return toIssuedKey(stored.key, secret);
}

/** Stores a key that was made elsewhere, unless it is stored already. Returns whether the key can be used. */
export async function adoptKey(
  service: AccountsService,
  secret: string,
  request: KeyRequest,
): Promise<boolean> {
  const known = await service.store.findKey(hashKey(secret));
  if (known) return !isKeyEnded(known.key, service.clock());
  await service.store.insertKey(await buildKey(service, secret, request));
  return true;
}

/** Every key of an account, or of all accounts, oldest first, with the revoked and expired ones. */
export async function listKeys({ store }: AccountsService, account?: string): Promise<ApiKey[]> {
  return await store.listKeys(account);
}

/**
 * Makes a successor of a key, with its mode, name, permissions and limits; the old key works for `overlapMs` more.
 * Answers undefined where there is no such key, or it has ended.
 */
export async function rollKey(
  service: AccountsService,
  keyName: KeyName,
  overlapMs: number,
  actor?: Actor,
): Promise<IssuedKey | undefined> {
  const old = await findKey(service, keyName);
  if (!old || isKeyEnded(old, service.clock())) return undefined;
  const secret = createSecret(service, old.mode);
  const successor = await buildKey(service, secret, old);
  const expiresAt = Math.ceil((service.clock() + overlapMs) / 1000);
  const event = { ...toAuditEvent("api_key.rolled", old), detail: successor.key.id };
  const activity = buildAuditEntries(service, actor, event);
  const isRolled = await service.store.rollKey(old.id, successor, expiresAt, activity);
  evictKey(service, old.id);
  return isRolled ? toIssuedKey(successor.key, secret) : undefined;
}

/** Ends a key for good; every replica refuses it within a second. Undefined: no such key. */
export async function revokeKey(
  service: AccountsService,
  keyName: KeyName,
  actor?: Actor,
): Promise<ApiKey | undefined> {
  const key = await findKey(service, keyName);
  if (!key) return undefined;
  const activity = buildAuditEntries(service, actor, toAuditEvent("api_key.revoked", key));
  const revokedAt = Math.floor(service.clock() / 1000);
  const revoked = await service.store.revokeKey(key.account, key.id, revokedAt, activity);
  evictKey(service, key.id);
  return revoked;
}

/** Whether a key was revoked, or has expired. */
export function isKeyEnded(key: Pick<ApiKey, "expires_at" | "revoked_at">, nowMs: number): boolean {
  return key.revoked_at !== null || (key.expires_at !== null && key.expires_at * 1000 <= nowMs);
}

/** A cached key is trusted for a while of the service's time, which may stand still. */
function evictKey({ keys: { cached } }: AccountsService, id: string): void {
  for (const [hash, { storedKey }] of cached) if (storedKey.key.id === id) cached.delete(hash);
}

async function findKey(
  { store }: AccountsService,
  { account, id }: KeyName,
): Promise<ApiKey | undefined> {
  return (await store.listKeys(account)).find((key) => key.id === id);
}

function toAuditEvent(
  action: AuditEvent["action"],
  { account, mode, id, name }: ApiKey,
): AuditEvent {
  return { accountId: account, livemode: mode === "live", action, subject: { id, name } };
}

function createSecret({ ids }: AccountsService, mode: Mode): string {
  return keyPrefix(mode) + ids.secret(secretLength);
}

async function buildKey(
  service: AccountsService,
  secret: string,
  request: KeyRequest,
): Promise<StoredKey> {
  const key: ApiKey = {
    id: service.ids.apiKey(),
    object: "api_key",
    account: request.account ?? (await findFirstAccount(service)).id,
    mode: request.mode,
    name: request.name,
    last4: secret.slice(-4),
    created: Math.floor(service.clock() / 1000),
    expires_at: request.expires_at ?? null,
    revoked_at: null,
    last_used_at: null,
    permissions: request.permissions ?? permissions,
    max_refund: request.max_refund ?? null,
  };
  return { hash: hashKey(secret), key };
}

function toIssuedKey(key: ApiKey, secret: string): IssuedKey {
  const { id, object, account, mode, name, ...rest } = key;
  return { id, object, account, mode, name, key: secret, ...rest };
}
