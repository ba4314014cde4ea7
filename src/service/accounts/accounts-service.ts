import type { Action, Activity, Actor } from "../../contract/administration.ts";
import { type Permission, permissions } from "../../contract/field-values.ts";
import type { Version } from "../../contract/route.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import type { Clock, Ids } from "../database/ids.ts";
import { type ListQuery, type Listed, resolveRange } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import type { AccountStore, StoredKey } from "./accounts-store.ts";
import type { StoredSession } from "./operators-sql.ts";
import type { OperatorStore } from "./operators-store.ts";

/** How many base62 characters hold 256 bits. */
export const secretLength = 43;

/** The account and mode of a request. `fingerprintSecret` keys the account's idempotency fingerprints. */
export type RequestContext = { scope: Scope; defaultVersion: Version; fingerprintSecret: string };

/** What a caller may do. `maxRefund` bounds each refund, in minor units; null without a limit. */
export type Grant = { permissions: readonly Permission[]; maxRefund: number | null };

/** What a key without restrictions may do, and the commands and operators that act without a key. */
export const fullGrant: Grant = { permissions, maxRefund: null };

/** The caller of a request with an API key. */
export type Principal = RequestContext & Grant & { keyId: string; actor: Actor };

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

/** An action in an account, in one of its modes or in neither. */
export type AuditEvent = Pick<Activity, "action" | "subject"> & {
  accountId: string;
  livemode?: boolean;
  detail?: string | undefined;
};

/** Audit entries, to be written together with the change that they record; none where the service acts on its own. */
export function buildAuditEntries(
  service: AccountsService,
  actor: Actor | undefined,
  ...events: AuditEvent[]
): Activity[] {
  if (!actor) return [];
  return events.map(({ accountId, livemode = null, action, subject, detail = null }) => ({
    id: service.ids.activity(),
    object: "activity",
    account: accountId,
    livemode,
    actor,
    action,
    subject,
    detail,
    created: Math.floor(service.clock() / 1000),
  }));
}

/** `actor` is the id or the name of an operator or a key, or the name of a system's user. */
type ActivityQuery = ListQuery & { action?: Action | undefined; actor?: string | undefined };

/** One page of an account's audit log, newest first in both directions. */
export async function listActivity(
  { store }: AccountsService,
  accountId: string,
  query: ActivityQuery,
): Promise<Listed<Activity>> {
  const { action, actor } = query;
  const range = await resolveRange("act_", query, async () => true);
  const isId = actor !== undefined && /^(?:op|key)_/.test(actor);
  const by = isId ? { actorId: actor } : { actorName: actor };
  return await store.listActivity(accountId, { ...range, action, ...by });
}

const auditRetentionDays = 365;

/**
 * Purges audit entries that are older than a year, and the invitations and sessions that have ended. Answers how many
 * were deleted.
 */
export async function purgeAuditLog(
  { store, clock }: AccountsService,
  signal?: AbortSignal,
): Promise<number> {
  const before = Math.floor(clock() / 1000) - auditRetentionDays * 24 * 60 * 60;
  let sum = await repeatWhileFull(async () => store.purgeSessions(clock(), batchSize), signal);
  for (const { id } of await store.listAccounts()) {
    sum += await repeatWhileFull(async () => store.purgeActivity(id, before, batchSize), signal);
  }
  return sum;
}
