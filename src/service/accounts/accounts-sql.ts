import type { Account } from "../../contract/administration.ts";
import type { Version } from "../../contract/headers.ts";
import { type Statement, type Value, changeOne, createStatement } from "../database/driver.ts";
import type { StoredAccount } from "./account-types.ts";

type AccountRow = {
  id: string;
  name: string;
  default_version: Version;
  fingerprint_secret: string;
  created: number;
};

const columns = "id, name, default_version, fingerprint_secret, created";

/** Writes an account, unless it exists. */
export function insertAccount({ account, fingerprintSecret }: StoredAccount): Statement<boolean> {
  return changeOne(
    `INSERT INTO accounts (${columns}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
    [account.id, account.name, account.default_version, fingerprintSecret, account.created],
  );
}

export function selectAccount(id: string): Statement<StoredAccount | undefined> {
  return createStatement(
    `SELECT ${columns} FROM accounts WHERE id = $1`,
    [id],
    ([row]: AccountRow[]) =>
      row && { account: readAccount(row), fingerprintSecret: row.fingerprint_secret },
  );
}

/** Every account, or those that meet a condition, the oldest first; those of one second in the order of their ids. */
export function selectAccounts(where = "", params: Value[] = []): Statement<Account[]> {
  return createStatement(
    `SELECT ${columns} FROM accounts ${where} ORDER BY created, id`,
    params,
    (rows: AccountRow[]) => rows.map(readAccount),
  );
}

export function renameAccount(id: string, name: string): Statement<Account | undefined> {
  return createStatement(
    `UPDATE accounts SET name = $1 WHERE id = $2 RETURNING ${columns}`,
    [name, id],
    ([row]: AccountRow[]) => row && readAccount(row),
  );
}

function readAccount({ id, name, default_version, created }: AccountRow): Account {
  return { id, object: "account", name, default_version, created };
}
