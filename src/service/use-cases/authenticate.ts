import { createHash } from "node:crypto";
import { apiKeyPattern } from "../../contract/key.ts";
import type { Ports, Principal } from "./ports.ts";
import { ServiceError } from "./service-error.ts";

/** How long a key that was seen is trusted: so a revocation holds within a second. */
const trustMs = 500;
const maxCached = 1_000;

/**
 * Tells who makes a request from its Authorization header (specification: Authentication).
 * Errors: invalid_api_key, the same for a missing, malformed, unknown, expired and revoked key.
 */
export async function authenticate(
  ports: Ports,
  authorization: string | undefined,
): Promise<Principal> {
  const key = /^bearer +([^ ]+) *$/i.exec(authorization ?? "")?.[1];
  if (!key || !apiKeyPattern.test(key)) throw refused();
  const hash = hashOf(key);
  const nowMs = ports.clock();
  const cached = ports.keyCache.get(hash);
  const entry =
    cached && cached.untilMs > nowMs && cached.untilMs <= nowMs + trustMs
      ? cached
      : await look(ports, hash, nowMs);
  const { expires_at } = entry.stored.key;
  if (expires_at !== null && expires_at * 1000 <= nowMs) throw refused();
  return entry.principal;
}

/** Keys are stored by this: a key has 256 random bits, so that no slow hash is needed. */
export function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

async function look(ports: Ports, hash: string, nowMs: number) {
  ports.keyCache.delete(hash);
  const stored = await ports.store.findKey(hash);
  if (!stored || stored.key.revoked_at !== null) throw refused();
  const account = await ports.store.findAccount(stored.accountId);
  if (!account) throw refused();
  const { defaultVersion, fingerprintSecret } = account;
  const scope = { accountId: stored.accountId, livemode: stored.key.mode === "live" };
  const principal = { scope, keyId: stored.key.id, defaultVersion, fingerprintSecret };
  const entry = { stored, principal, untilMs: nowMs + trustMs };
  if (ports.keyCache.size >= maxCached) ports.keyCache.clear();
  ports.keyCache.set(hash, entry);
  return entry;
}

function refused(): ServiceError {
  return new ServiceError(
    "invalid_api_key",
    "The API key is missing, malformed, unknown, expired or revoked. Send it as `Authorization: Bearer <key>`.",
  );
}
