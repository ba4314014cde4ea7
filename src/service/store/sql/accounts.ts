import type { Version } from "../../../contract/headers.ts";
import type { Account } from "../../use-cases/ports.ts";
import { change, statement, type Statement } from "../driver.ts";

type AccountRow = { id: string; default_version: Version; fingerprint_secret: string };
const columns = "id, default_version, fingerprint_secret";

/** Makes the account, unless another process has made it. */
export function insertAccount(account: Account, created: number): Statement<boolean> {
  return change(
    `INSERT INTO accounts (${columns}, created) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING RETURNING id`,
    [account.id, account.defaultVersion, account.fingerprintSecret, created],
  );
}

export function selectAccountIds(): Statement<string[]> {
  return statement("SELECT id FROM accounts", [], (rows: Pick<AccountRow, "id">[]) =>
    rows.map(({ id }) => id),
  );
}

export function selectAccount(id: string): Statement<Account | undefined> {
  return statement(
    `SELECT ${columns} FROM accounts WHERE id = $1`,
    [id],
    ([row]: AccountRow[]) =>
      row && {
        id: row.id,
        defaultVersion: row.default_version,
        fingerprintSecret: row.fingerprint_secret,
      },
  );
}
