import type { Version } from "../../contract/version.ts";
import type { Account } from "../../service/ports.ts";
import { query, type Work } from "../driver.ts";

type AccountRow = { id: string; default_version: Version; fingerprint_secret: string };
const columns = "id, default_version, fingerprint_secret";

/** Makes the account, unless another process has made it. */
export function* insertAccount(account: Account, created: number): Work<void> {
  yield* query(
    `INSERT INTO accounts (${columns}, created) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
    [account.id, account.defaultVersion, account.fingerprintSecret, created],
  );
}

export function* selectAccount(id: string): Work<Account | undefined> {
  const [row] = yield* query<AccountRow>(`SELECT ${columns} FROM accounts WHERE id = $1`, [id]);
  return (
    row && {
      id: row.id,
      defaultVersion: row.default_version,
      fingerprintSecret: row.fingerprint_secret,
    }
  );
}
