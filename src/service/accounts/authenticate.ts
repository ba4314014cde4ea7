import { hash as digest } from "node:crypto";
import type { AccountsService, CachedKey, KeyCache, Principal } from "./accounts-service.ts";
import { apiKeyPattern } from "../../contract/administration.ts";
import { ServiceError } from "../../contract/error.ts";

/**
 * How long a cached key is trusted without a look-up; short, so that every replica refuses a revoked key within a
 * second.
 */
const trustMs = 500;
const maxCachedKeys = 1_000;
const recordIntervalMs = 60_000;

/**
 * The principal of a request, by its Authorization header (specification: Authentication); a promise only where the key
 * has to be looked up. Errors: invalid_api_key, the same for a missing, malformed, unknown, expired and revoked key.
 */
export function authenticate(
  service: AccountsService,
  authorization: string | undefined,
): Principal | Promise<Principal> {
  const guest = service.guests?.principals.get(authorization ?? "");
  if (guest) return guest;
  const key = /^bearer +([^ ]+) *$/i.exec(authorization ?? "")?.[1];
  if (!key || !apiKeyPattern.test(key)) throw createInvalidKeyError();
  const hash = hashKey(key);
  const nowMs = service.clock();
  const cached = service.keys.cached.get(hash);
  const isTrusted = cached && cached.untilMs > nowMs && cached.untilMs <= nowMs + trustMs;
  return isTrusted
    ? useKey(service, hash, cached, nowMs)
    : lookUpOnce(service, hash, nowMs).then((entry) => useKey(service, hash, entry, nowMs));
}

function useKey(
  { keys }: AccountsService,
  hash: string,
  entry: CachedKey,
  nowMs: number,
): Principal {
  cacheKey(keys.cached, hash, entry);
  const { expires_at } = entry.storedKey.key;
  if (expires_at !== null && expires_at * 1000 <= nowMs) throw createInvalidKeyError();
  entry.usedAtMs = nowMs;
  return entry.principal;
}

/** The form in which a key is stored: it has 256 random bits, so that no slow hash is needed. */
export function hashKey(key: string): string {
  return digest("sha256", key, "hex");
}

/** Requests that send the same key while it is looked up share the look-up. */
async function lookUpOnce(
  service: AccountsService,
  hash: string,
  nowMs: number,
): Promise<CachedKey> {
  const { lookUps } = service.keys;
  const running = lookUps.get(hash);
  if (running) return running;
  const lookup = lookUp(service, hash, nowMs).finally(() => lookUps.delete(hash));
  lookUps.set(hash, lookup);
  return lookup;
}

async function lookUp(
  { store, keys: { cached } }: AccountsService,
  hash: string,
  nowMs: number,
): Promise<CachedKey> {
  const recordedAtMs = cached.get(hash)?.recordedAtMs;
  cached.delete(hash);
  const storedKey = await store.findKey(hash);
  if (!storedKey || storedKey.key.revoked_at !== null) throw createInvalidKeyError();
  const { id: keyId, account: accountId, name, mode, last_used_at } = storedKey.key;
  const { permissions, max_refund: maxRefund } = storedKey.key;
  const found = await store.findAccount(accountId);
  if (!found) throw createInvalidKeyError();
  return {
    storedKey,
    principal: {
      scope: { accountId, livemode: mode === "live" },
      permissions,
      maxRefund,
      keyId,
      actor: { type: "api_key", id: keyId, name },
      defaultVersion: found.account.default_version,
      fingerprintSecret: found.fingerprintSecret,
    },
    untilMs: nowMs + trustMs,
    usedAtMs: 0,
    recordedAtMs: recordedAtMs ?? (last_used_at ?? 0) * 1000,
  };
}

/** Evicts the least recently used key of a full cache; the order of use matters only there. */
function cacheKey(cache: KeyCache["cached"], hash: string, entry: CachedKey): void {
  if (cache.size < maxCachedKeys && cache.has(hash)) return;
  cache.delete(hash);
  cache.set(hash, entry);
  const [oldest] = cache.keys();
  if (cache.size > maxCachedKeys && oldest !== undefined) cache.delete(oldest);
}

/** Writes when keys were last used, each once a minute at most, apart from the requests that use them. */
export async function recordKeyUses({ store, keys, clock }: AccountsService): Promise<void> {
  const nowMs = clock();
  const due = [...keys.cached.values()].filter(
    ({ usedAtMs, recordedAtMs }) =>
      usedAtMs > recordedAtMs && nowMs >= recordedAtMs + recordIntervalMs,
  );
  if (due.length === 0) return;
  for (const entry of due) entry.recordedAtMs = nowMs;
  await store.recordKeyUses(
    due.map(({ storedKey: { key }, usedAtMs }) => ({
      account: key.account,
      id: key.id,
      usedAt: Math.floor(usedAtMs / 1000),
    })),
  );
}

export function createInvalidKeyError(): ServiceError {
  return new ServiceError(
    "invalid_api_key",
    "The API key is missing, malformed, unknown, expired or revoked. Send it as `Authorization: Bearer <key>`.",
  );
}
