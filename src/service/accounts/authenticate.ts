import { hash as digest } from "node:crypto";
import { apiKeyPattern } from "../../contract/key.ts";
import type { CachedKey, Ports, Principal } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** How long a key that was seen is trusted: so a revocation holds within a second. */
const trustMs = 500;
const maxCached = 1_000;
/** How often the use of a key is noted. */
const noteEveryMs = 60_000;

/**
 * Tells who makes a request from its Authorization header (specification: Authentication).
 * Errors: invalid_api_key, the same for a missing, malformed, unknown, expired and revoked key.
 */
export async function authenticate(
  ports: Ports,
  authorization: string | undefined,
): Promise<Principal> {
  const key = /^bearer +([^ ]+) *$/i.exec(authorization ?? "")?.[1];
  if (!key || !apiKeyPattern.test(key)) throw invalidKeyError();
  const hash = hashKey(key);
  const nowMs = ports.clock();
  const cached = ports.keyCache.get(hash);
  const isTrusted = cached && cached.untilMs > nowMs && cached.untilMs <= nowMs + trustMs;
  const entry = isTrusted ? cached : await lookOnce(ports, hash, nowMs);
  keep(ports.keyCache, hash, entry);
  const { expires_at } = entry.storedKey.key;
  if (expires_at !== null && expires_at * 1000 <= nowMs) throw invalidKeyError();
  entry.usedAtMs = nowMs;
  return entry.principal;
}

/** Keys are stored by this: a key has 256 random bits, so that no slow hash is needed. */
export function hashKey(key: string): string {
  return digest("sha256", key, "hex");
}

/** Those who send the same key while it is looked up share the answer. */
async function lookOnce(ports: Ports, hash: string, nowMs: number): Promise<CachedKey> {
  const { keyLookups } = ports;
  const running = keyLookups.get(hash);
  if (running) return running;
  const looking = look(ports, hash, nowMs).finally(() => keyLookups.delete(hash));
  keyLookups.set(hash, looking);
  return looking;
}

async function look(ports: Ports, hash: string, nowMs: number): Promise<CachedKey> {
  const recordedAtMs = ports.keyCache.get(hash)?.recordedAtMs;
  ports.keyCache.delete(hash);
  const stored = await ports.store.findKey(hash);
  if (!stored || stored.key.revoked_at !== null) throw invalidKeyError();
  const found = await ports.store.findAccount(stored.key.account);
  if (!found) throw invalidKeyError();
  const { account, fingerprintSecret } = found;
  const { id: keyId, name, mode, last_used_at } = stored.key;
  const scope = { accountId: account.id, livemode: mode === "live" };
  const actor = { type: "api_key", id: keyId, name } as const;
  const defaultVersion = account.default_version;
  return {
    storedKey: stored,
    principal: { scope, keyId, actor, defaultVersion, fingerprintSecret },
    untilMs: nowMs + trustMs,
    usedAtMs: 0,
    recordedAtMs: recordedAtMs ?? (last_used_at ?? 0) * 1000,
  };
}

/** In a full cache the key used last is the last: where there are too many, the one used least lately goes. */
function keep(cache: Ports["keyCache"], hash: string, entry: CachedKey): void {
  if (cache.size < maxCached && cache.has(hash)) return; // none has to go
  cache.delete(hash);
  cache.set(hash, entry);
  const [eldest] = cache.keys();
  if (cache.size > maxCached && eldest !== undefined) cache.delete(eldest);
}

/** Notes the keys that were used, each once a minute at the most: apart from the requests that they make. */
export async function recordKeyUses({ store, keyCache, clock }: Ports): Promise<void> {
  const nowMs = clock();
  const due = [...keyCache.values()].filter(
    ({ usedAtMs, recordedAtMs }) => usedAtMs > recordedAtMs && nowMs >= recordedAtMs + noteEveryMs,
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

export function invalidKeyError(): ServiceError {
  return new ServiceError(
    "invalid_api_key",
    "The API key is missing, malformed, unknown, expired or revoked. Send it as `Authorization: Bearer <key>`.",
  );
}
