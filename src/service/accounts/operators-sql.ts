import type { Account, Operator, Role } from "../../contract/administration.ts";
import {
  type Statement,
  type Value,
  changeOne,
  countChanges,
  createStatement,
  findRow,
  rowExists,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import { selectAccounts } from "./accounts-store.ts";

type OperatorRow = Omit<Operator, "object" | "accounts"> & { account_id: string | null };

export function insertOperator(operator: Operator): Statement<boolean> {
  return changeOne(
    `INSERT INTO operators (id, name, role, status, created, last_seen_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
    [
      operator.id,
      operator.name,
      operator.role,
      operator.status,
      operator.created,
      operator.last_seen_at,
    ],
  );
}

export function grantAccount(operatorId: string, accountId: string): Statement<boolean> {
  return changeOne(
    `INSERT INTO operator_accounts (account_id, operator_id) VALUES ($1, $2)
     ON CONFLICT (account_id, operator_id) DO NOTHING`,
    [accountId, operatorId],
  );
}

export function selectOperator(id: string): Statement<Operator | undefined> {
  const { sql, params } = operatorsWhere("operators.id = $1", [id]);
  return createStatement(sql, params, (rows: OperatorRow[]) => readOperators(rows)[0]);
}

/** The operators of an account, or of all, who were not removed; the oldest first. */
export function selectOperators(accountId: string | undefined): Statement<Operator[]> {
  const isOfIt =
    "operators.id IN (SELECT operator_id FROM operator_accounts WHERE account_id = $1)";
  const { sql, params } =
    accountId === undefined
      ? operatorsWhere(isNotRemoved, [])
      : operatorsWhere(`${isNotRemoved} AND ${isOfIt}`, [accountId]);
  return createStatement(sql, params, readOperators);
}

/** The accounts of an operator, the oldest first. */
export function selectAccountsOf(operatorId: string): Statement<Account[]> {
  return selectAccounts(
    "WHERE id IN (SELECT account_id FROM operator_accounts WHERE operator_id = $1)",
    [operatorId],
  );
}

/** Locks an account until the transaction ends: another transaction that would remove its last admin waits for it. */
export function lockAccount(id: string): Statement<boolean> {
  return changeOne("UPDATE accounts SET name = name WHERE id = $1", [id]);
}

/** Locks an operator, and with it its invitations and sessions, until the transaction ends. */
export function lockOperator(id: string): Statement<boolean> {
  return changeOne(`UPDATE operators SET name = name WHERE id = $1 AND ${isNotRemoved}`, [id]);
}

/** Whether an account has another admin than this operator: one who has signed in, if this one has. */
export function hasOtherAdmin(
  accountId: string,
  { id, status }: Pick<Operator, "id" | "status">,
): Statement<boolean> {
  return rowExists(
    `SELECT operators.id FROM operators JOIN operator_accounts ON operator_id = operators.id
     WHERE account_id = $1 AND operators.id <> $2 AND role = 'admin' AND status IN ('active', $3) LIMIT 1`,
    [accountId, id, status],
  );
}

export function changeRole(id: string, role: Role): Statement<boolean> {
  return changeOne(`UPDATE operators SET role = $2 WHERE id = $1 AND ${isNotRemoved}`, [id, role]);
}

export function revokeAccount(operatorId: string, accountId: string): Statement<boolean> {
  return changeOne("DELETE FROM operator_accounts WHERE account_id = $1 AND operator_id = $2", [
    accountId,
    operatorId,
  ]);
}

/** Removes an operator who has no account left; returns whether that is so. */
export function removeWithoutAccounts(id: string): Statement<boolean> {
  return changeOne(
    `UPDATE operators SET status = 'removed'
     WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM operator_accounts WHERE operator_id = $1)`,
    [id],
  );
}

export function activate(id: string): Statement<boolean> {
  return changeOne("UPDATE operators SET status = 'active' WHERE id = $1 AND status = 'invited'", [
    id,
  ]);
}

export function recordSeen(id: string, atSeconds: number): Statement<boolean> {
  return changeOne(
    `UPDATE operators SET last_seen_at = $2 WHERE id = $1 AND COALESCE(last_seen_at, 0) < $2`,
    [id, atSeconds],
  );
}

const isNotRemoved = "status <> 'removed'";

/** A row for each account of an operator, and one for an operator who has none. */
function operatorsWhere(condition: string, params: Value[]): { sql: string; params: Value[] } {
  return {
    sql: `SELECT operators.id, operators.name, role, status, operators.created, last_seen_at, accounts.id AS account_id
     FROM operators LEFT JOIN operator_accounts ON operator_id = operators.id
     LEFT JOIN accounts ON accounts.id = account_id
     WHERE ${condition} ORDER BY operators.id, accounts.created, accounts.id`,
    params,
  };
}

function readOperators(rows: OperatorRow[]): Operator[] {
  const operators = new Map<string, Operator>();
  for (const { account_id, id, name, role, status, created, last_seen_at } of rows) {
    const accounts = account_id === null ? [] : [account_id];
    const before = operators.get(id);
    if (before) before.accounts.push(...accounts);
    else {
      const object = "operator";
      operators.set(id, { id, object, name, role, accounts, status, created, last_seen_at });
    }
  }
  return [...operators.values()];
}

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

/** Of tokens and secrets only the SHA-256 is stored. */
export type StoredInvitation = { hash: string; operatorId: string; expiresAtMs: number };

export type StoredSession = {
  hash: string;
  operatorId: string;
  begunAtMs: number;
  usedAtMs: number;
  expiresAtMs: number;
};
