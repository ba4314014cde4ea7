import type { Account } from "../../contract/account.ts";
import type { Operator } from "../../contract/operator.ts";
import { lastSeenIntervalMs, computeSessionEnd } from "../domain/operator-rights.ts";
import { hashKey } from "./authenticate.ts";
import type { StoredSession } from "../ports/operator-store.ts";
import { forEachAccount } from "./manage-operators.ts";
import { secretLength, type Ports } from "../ports/ports.ts";

/** Who is signed in, where, and until when if nothing more is asked. */
export type Session = { operator: Operator; accounts: Account[]; expiresAtMs: number };

/** Signs in by a link, which works once; undefined where it is unknown, used or expired. */
export async function acceptInvitation(
  ports: Ports,
  token: string,
): Promise<{ secret: string; session: Session } | undefined> {
  const { store, clock, ids } = ports;
  const nowMs = clock();
  const invitationHash = hashKey(token);
  const invited = await store.findInvitation(invitationHash, nowMs);
  if (!invited) return undefined;
  const secret = ids.secret(secretLength);
  const session: StoredSession = {
    hash: hashKey(secret),
    operatorId: invited.operator.id,
    begunAtMs: nowMs,
    usedAtMs: nowMs,
    expiresAtMs: computeSessionEnd(nowMs, nowMs),
  };
  const operator: Operator = {
    ...invited.operator,
    status: "active",
    last_seen_at: Math.floor(nowMs / 1000),
  };
  const { id, name } = operator;
  const actor = { type: "operator", id, name } as const;
  const activity = forEachAccount(ports, actor, operator, { action: "operator.signed_in" });
  if (!(await store.acceptInvitation({ invitationHash, session, activity }))) return undefined;
  const { accounts } = invited;
  return { secret, session: { operator, accounts, expiresAtMs: session.expiresAtMs } };
}

/**
 * Who is signed in by this secret. The store is asked each time, so that a session that was ended is on every
 * replica; that it is used is to be noted once a minute at the most.
 */
export async function findSession(
  { store, clock, sessionUses }: Ports,
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

/** Notes the sessions that were used: apart from the requests that use them, which only read. */
export async function recordSessionUses({ store, sessionUses }: Ports): Promise<void> {
  const used = [...sessionUses.values()];
  sessionUses.clear(); // what cannot be noted now is used again soon, or no more
  for (const session of used) await store.recordSessionUse(session);
}

export async function signOut({ store }: Ports, secret: string): Promise<void> {
  await store.endSession(hashKey(secret));
}

/** Ends every session of an operator, who does it. */
export async function signOutEverywhere(ports: Ports, operatorId: string): Promise<void> {
  const operator = await ports.store.findOperator(operatorId);
  if (!operator) return;
  const { id, name } = operator;
  const actor = { type: "operator", id, name } as const;
  const activity = forEachAccount(ports, actor, operator, {
    action: "operator.signed_out_everywhere",
  });
  await ports.store.endSessions({ operatorId, activity });
}
