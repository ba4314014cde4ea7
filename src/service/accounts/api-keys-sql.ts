import type { ApiKey } from "../../contract/administration.ts";
import type { KeyUse, StoredKey } from "./account-types.ts";
import { changeOne, createStatement, type Statement } from "../database/driver.ts";

type KeyRow = Omit<ApiKey, "object" | "mode"> & { hash: string; livemode: number };
const columns =
  "account_id AS account, id, livemode, name, hash, last4, created, expires_at, revoked_at, last_used_at";

/** Writes a key, unless its secret exists. */
export function insertKey({ hash, key }: StoredKey): Statement<boolean> {
  return changeOne(
    `INSERT INTO api_keys (account_id, id, livemode, name, hash, last4, created, expires_at, revoked_at, last_used_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (account_id, hash) DO NOTHING`,
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
      key.last_used_at,
    ],
  );
}

export function selectKeyByHash(hash: string): Statement<StoredKey | undefined> {
  return createStatement(
    `SELECT ${columns} FROM api_keys WHERE hash = $1`,
    [hash],
    ([row]: KeyRow[]) => row && { hash: row.hash, key: readKey(row) },
  );
}

/** An account's keys, or those of all accounts. */
export function selectKeys(accountId: string | undefined): Statement<ApiKey[]> {
  const owner = accountId === undefined ? "IN (SELECT id FROM accounts)" : "= $1";
  return createStatement(
    `SELECT ${columns} FROM api_keys WHERE account_id ${owner} ORDER BY id`,
    accountId === undefined ? [] : [accountId],
    (rows: KeyRow[]) => rows.map(readKey),
  );
}

/** Lets a key expire, unless it was revoked or expires sooner. */
export function expireKey(accountId: string, id: string, expiresAt: number): Statement<boolean> {
  return changeOne(
    `UPDATE api_keys SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END
     WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL`,
    [expiresAt, accountId, id],
  );
}

export function selectKey(accountId: string, id: string): Statement<ApiKey | undefined> {
  return createStatement(
    `SELECT ${columns} FROM api_keys WHERE account_id = $1 AND id = $2`,
    [accountId, id],
    ([row]: KeyRow[]) => row && readKey(row),
  );
}

export function revokeKey(accountId: string, id: string, revokedAt: number): Statement<boolean> {
  return changeOne(
    "UPDATE api_keys SET revoked_at = $1 WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL",
    [revokedAt, accountId, id],
  );
}

export function recordKeyUse({ account, id, usedAt }: KeyUse): Statement<boolean> {
  return changeOne(
    `UPDATE api_keys SET last_used_at = $1
     WHERE account_id = $2 AND id = $3 AND COALESCE(last_used_at, 0) < $1`,
    [usedAt, account, id],
  );
}

function readKey({ account, id, livemode, name, last4, ...times }: KeyRow): ApiKey {
  const { created, expires_at, revoked_at, last_used_at } = times;
  const mode = livemode === 1 ? "live" : "test";
  return {
    id,
    object: "api_key",
    account,
    mode,
    name,
    last4,
    created,
    expires_at,
    revoked_at,
    last_used_at,
  };
}
