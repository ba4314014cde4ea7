import {
  type Account,
  type Activity,
  type Actor,
  type ApiKey,
  isRestricted,
} from "../../contract/administration.ts";
import { permissions, sortPermissions } from "../../contract/field-values.ts";
import type { Version } from "../../contract/route.ts";
import {
  type Driver,
  type Statement,
  type Value,
  changeOne,
  commit,
  countChanges,
  createStatement,
  query,
  readOne,
  writeAll,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import { parseCreated, toIdBound } from "../database/ids.ts";
import type { ListedTable } from "../database/listing.ts";
import {
  type Scope,
  createSetText,
  listValues,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";

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
        for (const table of keyTables) {
          if (!(yield* query(expireKey(table, successor.key.account, id, expiresAt)))) continue;
          yield* commit(insertKey(successor), ...insertActivities(activity));
          return true;
        }
        return false;
      }),
    /** Revokes a key that has not been revoked yet; returns the key, or undefined where there is none. */
    revokeKey: (
      accountId: string,
      id: string,
      revokedAt: number,
      activity: readonly Activity[] = [],
    ): Promise<ApiKey | undefined> =>
      driver.write(function* () {
        let isRevoked = false;
        for (const table of keyTables) {
          isRevoked ||= yield* query(revokeKey(table, accountId, id, revokedAt));
        }
        const entries = isRevoked ? insertActivities(activity) : [];
        return (yield* commit(selectKey(accountId, id), ...entries))[0];
      }),
    recordKeyUses: (uses: readonly KeyUse[]): Promise<void> => {
      // In one order, so that no two replicas wait for each other.
      const ordered = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const record = (use: KeyUse) => keyTables.map((table) => recordKeyUse(table, use));
      return writeAll(driver, ordered.flatMap(record));
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

/**
 * A key that may less than all, or ends by itself, stands in a table of its own: a program from before there were such
 * keys does not know it, so that it neither accepts the key nor rolls it into one that may everything.
 */
export const keyTables = ["api_keys", "restricted_keys"] as const;
type KeyTable = (typeof keyTables)[number];

function chooseTable(key: ApiKey): KeyTable {
  return isRestricted(key) || key.expires_at !== null ? "restricted_keys" : "api_keys";
}

/** `permissions` has spaces between them; null: all. */
type KeyRow = Omit<ApiKey, "object" | "mode" | "permissions"> & {
  hash: string;
  livemode: number;
  permissions: string | null;
};
const keyColumns =
  "account_id AS account, id, livemode, name, hash, last4, created, expires_at, revoked_at, last_used_at";

/** Writes a key, unless its secret exists. */
function insertKey({ hash, key }: StoredKey): Statement<boolean> {
  const table = chooseTable(key);
  const values = [
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
    ...(table === "api_keys" ? [] : [key.permissions.join(" "), key.max_refund]),
  ];
  const more = table === "api_keys" ? "" : ", permissions, max_refund";
  return changeOne(
    `INSERT INTO ${table} (account_id, id, livemode, name, hash, last4, created, expires_at, revoked_at, last_used_at${more})
     ${listValues(1, values.length, 1)} ON CONFLICT (account_id, hash) DO NOTHING`,
    values,
  );
}

function selectKeyByHash(hash: string): Statement<StoredKey | undefined> {
  return createStatement(
    selectFromBoth("hash = $1"),
    [hash],
    ([row]: KeyRow[]) => row && { hash: row.hash, key: readKey(row) },
  );
}

/** An account's keys, or those of all accounts. */
function selectKeys(accountId: string | undefined): Statement<ApiKey[]> {
  const owner = accountId === undefined ? "IN (SELECT id FROM accounts)" : "= $1";
  return createStatement(
    `${selectFromBoth(`account_id ${owner}`)} ORDER BY id`,
    accountId === undefined ? [] : [accountId],
    (rows: KeyRow[]) => rows.map(readKey),
  );
}

function selectFromBoth(where: string): string {
  return `SELECT ${keyColumns}, NULL AS permissions, CAST(NULL AS BIGINT) AS max_refund FROM api_keys WHERE ${where}
     UNION ALL SELECT ${keyColumns}, permissions, max_refund FROM restricted_keys WHERE ${where}`;
}

/** Lets a key expire, unless it was revoked or expires sooner. */
function expireKey(table: KeyTable, accountId: string, id: string, expiresAt: number) {
  return changeOne(
    `UPDATE ${table} SET expires_at = CASE WHEN expires_at < $1 THEN expires_at ELSE $1 END
     WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL`,
    [expiresAt, accountId, id],
  );
}

function selectKey(accountId: string, id: string): Statement<ApiKey | undefined> {
  return createStatement(
    selectFromBoth("account_id = $1 AND id = $2"),
    [accountId, id],
    ([row]: KeyRow[]) => row && readKey(row),
  );
}

function revokeKey(
  table: KeyTable,
  accountId: string,
  id: string,
  revokedAt: number,
): Statement<boolean> {
  return changeOne(
    `UPDATE ${table} SET revoked_at = $1 WHERE account_id = $2 AND id = $3 AND revoked_at IS NULL`,
    [revokedAt, accountId, id],
  );
}

function recordKeyUse(table: KeyTable, { account, id, usedAt }: KeyUse): Statement<boolean> {
  return changeOne(
    `UPDATE ${table} SET last_used_at = $1
     WHERE account_id = $2 AND id = $3 AND COALESCE(last_used_at, 0) < $1`,
    [usedAt, account, id],
  );
}

function readKey({ account, id, livemode, name, last4, ...row }: KeyRow): ApiKey {
  const { created, expires_at, revoked_at, last_used_at, permissions: allowed, max_refund } = row;
  return {
    id,
    object: "api_key",
    account,
    mode: livemode === 1 ? "live" : "test",
    name,
    last4,
    created,
    expires_at,
    revoked_at,
    last_used_at,
    permissions: allowed === null ? permissions : sortPermissions(allowed.split(" ")),
    max_refund,
  };
}

type ActivityRow = {
  account_id: string;
  id: string;
  livemode: number | null;
  actor_type: Actor["type"];
  actor_id: string | null;
  actor_name: string;
  action: Activity["action"];
  subject_id: string;
  subject_name: string | null;
  detail: string | null;
};

const columns =
  "id, livemode, actor_type, actor_id, actor_name, action, subject_id, subject_name, detail";

const insertText = createSetText(
  (rows) =>
    `INSERT INTO activity (account_id, ${columns}) ${listValues(rows, 10, 1)} ON CONFLICT (account_id, id) DO NOTHING`,
);

/** Writes audit entries in the transaction of their actions, unless they exist. */
export function insertActivities(activities: readonly Activity[]): Statement<number>[] {
  return splitIntoSets([...activities]).map((set) => {
    const rows = set.flatMap((each) => [each.account, ...toValues(each)]);
    return countChanges(insertText(set.length), rows);
  });
}

/** Writes an audit entry where the transaction has changed a payment, whose last event then has this id. */
export function insertChangeActivity(
  scope: Scope,
  paymentId: string,
  eventId: string,
  activity: Activity,
): Statement<number> {
  return insertActivityWhere(scope, paymentId, activity, {
    sql: "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3 AND last_event_id = $13",
    params: [eventId],
  });
}

/**
 * Writes an audit entry where a condition finds a row; the first three parameters name a payment, those of the
 * condition begin with $13.
 */
export function insertActivityWhere(
  scope: Scope,
  paymentId: string,
  activity: Activity,
  { sql, params }: { sql: string; params: Value[] },
): Statement<number> {
  return countChanges(
    `INSERT INTO activity (account_id, ${columns})
     SELECT account_id, $4, $5, $6, $7, $8, $9, $10, $11, $12 ${sql}
     ON CONFLICT (account_id, id) DO NOTHING`,
    [...whereScope(scope), paymentId, ...toValues(activity), ...params],
  );
}

export const activityTable: ListedTable<Activity> = {
  from: "activity",
  columns: `account_id, ${columns}`,
  readItem: readActivity,
};

/** The newest entries about a subject. */
export function selectActivityOf(
  accountId: string,
  subjectId: string,
  limit: number,
): Statement<Activity[]> {
  return createStatement(
    `SELECT account_id, ${columns} FROM activity WHERE account_id = $1 AND subject_id = $2
     ORDER BY id DESC LIMIT $3`,
    [accountId, subjectId, limit],
    (rows: ActivityRow[]) => rows.map(readActivity),
  );
}

/** Deletes up to `limit` entries from before a time in Unix seconds; returns how many. */
export function deleteActivity(
  accountId: string,
  before: number,
  limit: number,
): Statement<number> {
  const where = "account_id = $1 AND id < $2";
  return countChanges(
    `DELETE FROM activity WHERE account_id = $1 AND ${isAmongFirst("activity", { key: "id", where, orderBy: "id", limit })}`,
    [accountId, toIdBound("act_", before)],
  );
}

function toValues(activity: Activity): Value[] {
  const { id, livemode, actor, action, subject, detail } = activity;
  return [
    id,
    livemode === null ? null : Number(livemode),
    actor.type,
    actor.id,
    actor.name,
    action,
    subject.id,
    subject.name,
    detail,
  ];
}

function readActivity(row: ActivityRow): Activity {
  return {
    id: row.id,
    object: "activity",
    account: row.account_id,
    livemode: row.livemode === null ? null : row.livemode === 1,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name } as Actor,
    action: row.action,
    subject: { id: row.subject_id, name: row.subject_name },
    detail: row.detail,
    created: parseCreated(row.id),
  };
}
