import type { Account, Activity, ApiKey } from "../../contract/administration.ts";
import type { Version } from "../../contract/headers.ts";
import {
  type Driver,
  type Statement,
  type Value,
  changeOne,
  commit,
  createStatement,
  query,
  readOne,
  writeAll,
} from "../database/driver.ts";
import { insertActivities } from "./activity-sql.ts";

export function createAccountStore(driver: Driver) {
  return {
    insertAccount: (account: StoredAccount, activity: readonly Activity[] = []): Promise<void> =>
      writeAll(driver, [insertAccount(account), ...insertActivities(activity)]),
    findAccount: (id: string): Promise<StoredAccount | undefined> =>
      readOne(driver, selectAccount(id)),
    /** Every account, oldest first. */
    listAccounts: (): Promise<Account[]> => readOne(driver, selectAccounts()),
    renameAccount: (
      id: string,
      name: string,
      activity: readonly Activity[] = [],
    ): Promise<Account | undefined> =>
      driver.write(function* () {
        const renamed = yield* query(renameAccount(id, name));
        if (renamed) yield* commit(...insertActivities(activity));
        return renamed;
      }),
    insertKey: (key: StoredKey, activity: readonly Activity[] = []): Promise<void> =>
      writeAll(driver, [insertKey(key), ...insertActivities(activity)]),
    findKey: (hash: string): Promise<StoredKey | undefined> =>
      readOne(driver, selectKeyByHash(hash)),
    /** The keys of an account, or of all, oldest first. */
    listKeys: (accountId: string | undefined): Promise<ApiKey[]> =>
      readOne(driver, selectKeys(accountId)),
    /** Writes `successor`, and lets the old key expire at `expiresAt` (Unix seconds) unless it ended before. */
    rollKey: (
      id: string,
      successor: StoredKey,
      expiresAt: number,
      activity: readonly Activity[] = [],
    ): Promise<boolean> =>
      driver.write(function* () {
        const isExpired = yield* query(expireKey(successor.key.account, id, expiresAt));
        if (isExpired) yield* commit(insertKey(successor), ...insertActivities(activity));
        return isExpired;
      }),
    /** Revokes a key that has not been revoked yet; returns the key, or undefined where there is none. */
    revokeKey: (
      accountId: string,
      id: string,
      revokedAt: number,
      activity: readonly Activity[] = [],
    ): Promise<ApiKey | undefined> =>
      driver.write(function* () {
        const isRevoked = yield* query(revokeKey(accountId, id, revokedAt));
        const entries = isRevoked ? insertActivities(activity) : [];
        return (yield* commit(selectKey(accountId, id), ...entries))[0];
      }),
    recordKeyUses: (uses: readonly KeyUse[]): Promise<void> => {
      // In one order, so that no two replicas wait for each other.
      const ordered = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      return writeAll(driver, ordered.map(recordKeyUse));
    },
  };
}

/** A key as it is stored: by the SHA-256 of its text, in hexadecimal. */
export type StoredKey = { hash: string; key: ApiKey };

export type KeyUse = Pick<ApiKey, "account" | "id"> & { usedAt: number };

/** `fingerprintSecret` keys the HMAC by which requests are compared. */
export type StoredAccount = { account: Account; fingerprintSecret: string };

export type AccountStore = ReturnType<typeof createAccountStore>;

type AccountRow = {
  id: string;
  name: string;
  default_version: Version;
  fingerprint_secret: string;
  created: number;
};

const accountColumns = "id, name, default_version, fingerprint_secret, created";

/** Writes an account, unless it exists. */
export function insertAccount({ account, fingerprintSecret }: StoredAccount): Statement<boolean> {
  return changeOne(
    `INSERT INTO accounts (${accountColumns}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
    [account.id, account.name, account.default_version, fingerprintSecret, account.created],
  );
}

function selectAccount(id: string): Statement<StoredAccount | undefined> {
  return createStatement(
    `SELECT ${accountColumns} FROM accounts WHERE id = $1`,
    [id],
    ([row]: AccountRow[]) =>
      row && { account: readAccount(row), fingerprintSecret: row.fingerprint_secret },
  );
}

/** Every account, or those that meet a condition, the oldest first; those of one second in the order of their ids. */
export function selectAccounts(where = "", params: Value[] = []): Statement<Account[]> {
  return createStatement(
    `SELECT ${accountColumns} FROM accounts ${where} ORDER BY created, id`,
    params,
    (rows: AccountRow[]) => rows.map(readAccount),
  );
}

function renameAccount(id: string, name: string): Statement<Account | undefined> {
  return createStatement(
    `UPDATE accounts SET name = $1 WHERE id = $2 RETURNING ${accountColumns}`,
    [name, id],
    ([row]: AccountRow[]) => row && readAccount(row),
  );
}

function readAccount({ id, name, default_version, created }: AccountRow): Account {
  return { id, object: "account", name, default_version, created };
}

type KeyRow = Omit<ApiKey, "object" | "mode"> & { hash: string; livemode: number };
const keyColumns =
  "account_id AS account, id, livemode, name, hash, last4, created, expires_at, revoked_at, last_used_at";

/** Writes a key, unless its secret exists. */
function insertKey({ hash, key }: StoredKey): Statement<boolean> {
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

function selectKeyByHash(hash: string): Statement<StoredKey | undefined> {
  return createStatement(
    `SELECT ${keyColumns} FROM api_keys WHERE hash = $1`,
    [hash],
    ([row]: KeyRow[]) => row && { hash: row.hash, key: readKey(row) },
  );
}

/** An account's keys, or those of all accounts. */
function selectKeys(accountId: string | undefined): Statement<ApiKey[]> {
  const owner = accountId === undefined ? "IN (SELECT id FROM accounts)" : "= $1";
  return createStatement(
    `SELECT ${keyColumns} FROM api_keys WHERE account_id ${owner} ORDER BY id`,
    accountId === undefined ? [] : [accountId],
    (rows: KeyRow[]) => rows.map(readKey),
  );
}

/** Lets a key expire, unless it was revoked or expires sooner. */
function expireKey(accountId: string, id: string, expiresAt: number): Statement<boolean> {
  return changeOne(
    `UPDATE api_keys SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END
     WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL`,
    [expiresAt, accountId, id],
  );
}

function selectKey(accountId: string, id: string): Statement<ApiKey | undefined> {
  return createStatement(
    `SELECT ${keyColumns} FROM api_keys WHERE account_id = $1 AND id = $2`,
    [accountId, id],
    ([row]: KeyRow[]) => row && readKey(row),
  );
}

function revokeKey(accountId: string, id: string, revokedAt: number): Statement<boolean> {
  return changeOne(
    "UPDATE api_keys SET revoked_at = $1 WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL",
    [revokedAt, accountId, id],
  );
}

function recordKeyUse({ account, id, usedAt }: KeyUse): Statement<boolean> {
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
