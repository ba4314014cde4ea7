import type { StoredInvitation, StoredSession } from "./operator-types.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  findRow,
  type Statement,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-sql.ts";

export function insertInvitation(invitation: StoredInvitation): Statement<boolean> {
  return changeOne(
    `INSERT INTO invitations (hash, operator_id, expires_at_ms) VALUES ($1, $2, $3)
     ON CONFLICT (hash) DO NOTHING`,
    [invitation.hash, invitation.operatorId, invitation.expiresAtMs],
  );
}

/** The operator of an invitation that has not expired. */
export function selectInvitation(hash: string, nowMs: number): Statement<string | undefined> {
  return createStatement(
    "SELECT operator_id FROM invitations WHERE hash = $1 AND expires_at_ms > $2",
    [hash, nowMs],
    ([row]: { operator_id: string }[]) => row?.operator_id,
  );
}

/** Deletes an invitation that has not expired; of several concurrent requests only one succeeds. */
export function consumeInvitation(hash: string, nowMs: number): Statement<boolean> {
  return changeOne("DELETE FROM invitations WHERE hash = $1 AND expires_at_ms > $2", [hash, nowMs]);
}

export function insertSession(session: StoredSession): Statement<boolean> {
  return changeOne(
    `INSERT INTO operator_sessions (hash, operator_id, begun_at_ms, used_at_ms, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (hash) DO NOTHING`,
    [session.hash, session.operatorId, session.begunAtMs, session.usedAtMs, session.expiresAtMs],
  );
}

export function selectSession(hash: string, nowMs: number): Statement<StoredSession | undefined> {
  return findRow(
    `SELECT hash, operator_id AS "operatorId", begun_at_ms AS "begunAtMs", used_at_ms AS "usedAtMs", expires_at_ms AS "expiresAtMs"
     FROM operator_sessions WHERE hash = $1 AND expires_at_ms > $2`,
    [hash, nowMs],
  );
}

export function updateSession({ hash, usedAtMs, expiresAtMs }: StoredSession): Statement<boolean> {
  return changeOne(
    "UPDATE operator_sessions SET used_at_ms = $2, expires_at_ms = $3 WHERE hash = $1 AND used_at_ms < $2",
    [hash, usedAtMs, expiresAtMs],
  );
}

export function deleteSession(hash: string): Statement<boolean> {
  return changeOne("DELETE FROM operator_sessions WHERE hash = $1", [hash]);
}

type Table = "invitations" | "operator_sessions";

export function deleteSessionsOf(table: Table, operatorId: string): Statement<boolean> {
  return changeOne(`DELETE FROM ${table} WHERE operator_id = $1`, [operatorId]);
}

/** Deletes up to `limit` that have expired; returns how many. */
export function deleteExpiredSessions(
  table: Table,
  nowMs: number,
  limit: number,
): Statement<number> {
  const first = { key: "hash", where: "expires_at_ms <= $1", orderBy: "hash", limit };
  return countChanges(`DELETE FROM ${table} WHERE ${isAmongFirst(table, first)}`, [nowMs]);
}
