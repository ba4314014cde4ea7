import type { ApiKey } from "../../../contract/key.ts";
import type { StoredKey } from "../../use-cases/ports.ts";
import { change, statement, type Statement } from "../driver.ts";

type KeyRow = {
  account_id: string;
  id: string;
  livemode: number;
  name: string;
  hash: string;
  last4: string;
  created: number;
  expires_at: number | null;
  revoked_at: number | null;
};
const columns = "account_id, id, livemode, name, hash, last4, created, expires_at, revoked_at";

/** Writes a key, unless the same secret is there already. */
export function insertKey({ hash, key }: StoredKey): Statement<boolean> {
  return change(
    `INSERT INTO api_keys (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (account_id, hash) DO NOTHING RETURNING id`,
    [
      key.account,
      key.id,
      Number(key.mode === "live"),
      key.name,
      hash,
      key.last4,
      key.created,
      key.expires_at,
      key.revoked_at,
    ],
  );
}

export function selectKeyByHash(hash: string): Statement<StoredKey | undefined> {
  return statement(
    `SELECT ${columns} FROM api_keys WHERE hash = $1`,
    [hash],
    ([row]: KeyRow[]) => row && { hash: row.hash, key: keyOf(row) },
  );
}

/** An account's keys, or those of all accounts. */
export function selectKeys(accountId: string | undefined): Statement<ApiKey[]> {
  const owner = accountId === undefined ? "IN (SELECT id FROM accounts)" : "= $1";
  return statement(
    `SELECT ${columns} FROM api_keys WHERE account_id ${owner} ORDER BY id COLLATE "C"`,
    accountId === undefined ? [] : [accountId],
    (rows: KeyRow[]) => rows.map(keyOf),
  );
}

/** Shortens a key's life; one that was revoked or ends sooner is left as it is. */
export function expireKey(accountId: string, id: string, expiresAt: number): Statement<boolean> {
  return change(
    `UPDATE api_keys SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END
     WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL RETURNING id`,
    [expiresAt, accountId, id],
  );
}

export function revokeKey(
  accountId: string,
  id: string,
  revokedAt: number,
): Statement<ApiKey | undefined> {
  return statement(
    `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $1) WHERE account_id = $2 AND id = $3 RETURNING ${columns}`,
    [revokedAt, accountId, id],
    ([row]: KeyRow[]) => row && keyOf(row),
  );
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    object: "api_key",
    account: row.account_id,
    mode: row.livemode === 1 ? "live" : "test",
    name: row.name,
    last4: row.last4,
    created: row.created,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
  };
}
