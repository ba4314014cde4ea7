import type { Clock, Ids } from "../database/ids.ts";
import type { AccountStore, StoredKey } from "./accounts-store.ts";
import type { StoredSession } from "./operators-sql.ts";
import type { OperatorStore } from "./operators-store.ts";
import type { Actor } from "../../contract/administration.ts";
import type { Version } from "../../contract/headers.ts";
import type { Scope } from "../database/scope.ts";

/** How many base62 characters hold 256 bits. */
export const secretLength = 43;

/** The account and mode of a request. `fingerprintSecret` keys the account's idempotency fingerprints. */
export type RequestContext = { scope: Scope; defaultVersion: Version; fingerprintSecret: string };

/** The caller of a request with an API key. */
export type Principal = RequestContext & { keyId: string; actor: Actor };

/**
 * A key that was looked up; after `untilMs` it is looked up again. `recordedAtMs` is the last use that the store
 * knows of.
 */
export type CachedKey = {
  storedKey: StoredKey;
  principal: Principal;
  untilMs: number;
  usedAtMs: number;
  recordedAtMs: number;
};

/**
 * `cached`: recently used keys, by their hash, the latest one last; `lookUps`: those that are being looked up.
 */
export type KeyCache = {
  cached: Map<string, CachedKey>;
  lookUps: Map<string, Promise<CachedKey>>;
};

export function createKeyCache(): KeyCache {
  return { cached: new Map(), lookUps: new Map() };
}

/** Sessions whose last use is not yet stored, by their hash. */
export type SessionUses = Map<string, StoredSession>;

export function createSessionUses(): SessionUses {
  return new Map();
}

/** The ways into a sandbox, none of which is in its database. */
type Guests = {
  /** By the Authorization header of a published key. */
  principals: ReadonlyMap<string, Principal>;
  /** Another invitation for each use of the link to the dashboard; other tokens stay as they are. */
  renewInvitation?: (token: string) => Promise<string>;
};

/** The service, as use cases of accounts take it. */
export type AccountsService = {
  store: AccountStore & OperatorStore;
  clock: Clock;
  ids: Ids;
  keys: KeyCache;
  sessionUses: SessionUses;
  guests?: Guests | undefined;
};
