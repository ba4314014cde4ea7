import type { Account, Operator, Role } from "../../contract/administration.ts";
import {
  changeOne,
  rowExists,
  createStatement,
  type Statement,
  type Value,
} from "../database/driver.ts";
import { selectAccounts } from "./accounts-sql.ts";

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
