import { type AccountsService, buildAuditEntries, secretLength } from "./accounts-service.ts";
import type { Account, Actor, Operator } from "../../contract/administration.ts";
import { lastSeenIntervalMs, computeSessionEnd } from "./operator-state.ts";
import type { StoredSession } from "./operators-sql.ts";
import { hashKey } from "./authenticate.ts";
import { toAuditEvents } from "./manage-operators.ts";

/** An operator who is signed in, and when the session ends unless it is used before. */
export type Session = { operator: Operator; accounts: Account[]; expiresAtMs: number };

/** Signs in by a link, which works once; undefined where it is unknown, used or expired. */
export async function acceptInvitation(
  service: AccountsService,
  token: string,
): Promise<{ secret: string; session: Session } | undefined> {
  const { store, clock, ids, guests } = service;
  const nowMs = clock();
  const invitationHash = hashKey((await guests?.renewInvitation?.(token)) ?? token);
  const invited = await store.findInvitation(invitationHash, nowMs);
  if (!invited) return undefined;
  const { accounts } = invited;
  const secret = ids.secret(secretLength);
  const expiresAtMs = computeSessionEnd(nowMs, nowMs);
  const session: StoredSession = {
    hash: hashKey(secret),
    operatorId: invited.operator.id,
    begunAtMs: nowMs,
    usedAtMs: nowMs,
    expiresAtMs,
  };
  const operator: Operator = {
    ...invited.operator,
    status: "active",
    last_seen_at: Math.floor(nowMs / 1000),
  };
  const events = toAuditEvents("signed_in", operator);
  const activity = buildAuditEntries(service, toActor(operator), ...events);
  const isAccepted = await store.acceptInvitation({ invitationHash, session, activity });
  return isAccepted ? { secret, session: { operator, accounts, expiresAtMs } } : undefined;
}

/**
 * The session of a secret. Each request reads it from the store, so that a session that has ended is refused on
 * every replica. Its use is recorded once a minute at most.
 */
export async function findSession(
  { store, clock, sessionUses }: AccountsService,
  secret: string,
): Promise<Session | undefined> {
  const nowMs = clock();
  const found = await store.findSession(hashKey(secret), nowMs);
  if (!found) return undefined;
  const { session, operator, accounts } = found;
  const expiresAtMs = computeSessionEnd(session.begunAtMs, nowMs);
  if (nowMs - session.usedAtMs >= lastSeenIntervalMs) {
    sessionUses.set(session.hash, { ...session, usedAtMs: nowMs, expiresAtMs });
  }
  return { operator, accounts, expiresAtMs };
}

/** Writes when sessions were last used, apart from the requests that use them, which only read. */
export async function recordSessionUses({ store, sessionUses }: AccountsService): Promise<void> {
  const used = [...sessionUses.values()];
  sessionUses.clear(); // if the write fails, the next use of the session is recorded instead
  for (const session of used) await store.recordSessionUse(session);
}

export async function signOut({ store }: AccountsService, secret: string): Promise<void> {
  await store.endSession(hashKey(secret));
}

/** Ends every session of an operator, at the operator's own request. */
export async function signOutEverywhere(
  service: AccountsService,
  operatorId: string,
): Promise<void> {
  const operator = await service.store.findOperator(operatorId);
  if (!operator) return;
  const events = toAuditEvents("signed_out_everywhere", operator);
  const activity = buildAuditEntries(service, toActor(operator), ...events);
  await service.store.endSessions({ operatorId, activity });
}

function toActor({ id, name }: Operator): Actor {
  return { type: "operator", id, name };
}
