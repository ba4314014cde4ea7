import type { PaymentStatus } from "../../contract/payment.ts";
import {
  type Scope,
  type ScopeColumns,
  readScope,
  splitIntoSets,
  toValueList,
  whereScope,
} from "../database/scope.ts";
import type { IdempotencyRecord, LockedRequest, StoredRecord } from "./idempotency-record.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  lookUp,
  type Statement,
  type Value,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";

const columns =
  "account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms, locked_until_ms";

/** Replaces a record that has expired at the time in a parameter, or that the same request may continue. */
const replaceFree = (nowMs: string) =>
  `ON CONFLICT (account_id, livemode, idempotency_key) DO UPDATE
     SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, expires_at_ms = excluded.expires_at_ms, locked_until_ms = excluded.locked_until_ms
     WHERE idempotency_records.expires_at_ms <= ${nowMs} OR (idempotency_records.status = 0
       AND idempotency_records.fingerprint = excluded.fingerprint AND idempotency_records.locked_until_ms <= ${nowMs})`;

type RecordRow = {
  fingerprint: string;
  status: number;
  body: string;
  expires_at_ms: number;
  locked_until_ms: number;
};

/**
 * Claims a key for a request. Returns false where an unexpired record has the key, unless it is of the same request,
 * without a response and no longer locked. With `needs`, also returns false where that payment is in another state.
 */
export function claimKey(
  scope: Scope,
  record: IdempotencyRecord,
  needs?: { id: string; from: PaymentStatus },
): Statement<boolean> {
  return changeOne(
    `INSERT INTO idempotency_records (${columns})
     ${
       needs
         ? "SELECT account_id, livemode, $3, $4, $5, $6, $7, $9 FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $10 AND status = $11"
         : "VALUES ($1, $2, $3, $4, $5, $6, $7, $9)"
     }
     ${replaceFree("$8")}`,
    [
      ...whereScope(scope),
      record.key,
      record.fingerprint,
      record.response.status,
      record.response.body,
      record.expiresAtMs,
      record.nowMs,
      record.lockedUntilMs,
      ...(needs ? [needs.id, needs.from] : []),
    ],
  );
}

type OwnedRecord = { scope: Scope; idempotency: IdempotencyRecord };

/**
 * Claims keys, each of one request, in their order, so that two transactions that claim the same ones do not
 * deadlock; returns the owners of the claimed ones as `toKeyId` names them.
 */
export function claimKeys(records: OwnedRecord[]): Statement<string[]>[] {
  const nowMs = Math.min(...records.map(({ idempotency }) => idempotency.nowMs));
  const sorted = records.toSorted((a, b) => (toKeyId(a) < toKeyId(b) ? -1 : 1));
  return splitIntoSets(sorted).map((set) => {
    const rows = set.map(({ scope, idempotency }) => [
      ...whereScope(scope),
      idempotency.key,
      idempotency.fingerprint,
      idempotency.response.status,
      idempotency.response.body,
      idempotency.expiresAtMs,
      idempotency.lockedUntilMs,
    ]);
    const { sql, params } = toValueList(rows, 2);
    return createStatement(
      `INSERT INTO idempotency_records (${columns}) ${sql} ${replaceFree("$1")}
       RETURNING account_id, livemode, idempotency_key`,
      [nowMs, ...params],
      (claimed: (ScopeColumns & { idempotency_key: string })[]) =>
        claimed.map((row) =>
          toKeyId({ scope: readScope(row), idempotency: { key: row.idempotency_key } }),
        ),
    );
  });
}

/** An idempotency key with its account and mode. */
export function toKeyId({
  scope,
  idempotency,
}: {
  scope: Scope;
  idempotency: Pick<IdempotencyRecord, "key">;
}): string {
  return `${scope.accountId} ${scope.livemode} ${idempotency.key}`;
}

/**
 * Finds a record that has claimed its key in this transaction. The first two parameters are the scope, those from
 * `at` on the record.
 */
export function ifLocked(record: IdempotencyRecord, at: number): { sql: string; params: Value[] } {
  return {
    sql: `FROM idempotency_records WHERE account_id = $1 AND livemode = $2
     AND idempotency_key = $${at} AND fingerprint = $${at + 1} AND body = $${at + 2}`,
    params: [record.key, record.fingerprint, record.response.body],
  };
}

export function selectIdempotencyRecord(
  scope: Scope,
  key: string,
  nowMs: number,
): Statement<StoredRecord | undefined> {
  return lookUp(
    {
      table: "idempotency_records",
      key: "idempotency_key",
      columns: "fingerprint, status, body, expires_at_ms, locked_until_ms",
    },
    [...whereScope(scope), key],
    (row: RecordRow | undefined) =>
      row && row.expires_at_ms > nowMs
        ? {
            fingerprint: row.fingerprint,
            response: { status: row.status, body: row.body },
            lockedUntilMs: row.locked_until_ms,
          }
        : undefined,
  );
}

/**
 * Releases the lock of a request's record, with the response where that is known. Returns false where it was released
 * before, and the request was answered with its stored response.
 */
export function releaseLock(
  scope: Scope,
  { key, fingerprint, response }: LockedRequest,
): Statement<boolean> {
  return changeOne(
    `UPDATE idempotency_records SET locked_until_ms = 0 ${response ? ", status = $5, body = $6" : ""}
     WHERE account_id = $1 AND livemode = $2 AND idempotency_key = $3 AND fingerprint = $4
     AND (locked_until_ms > 0 OR status = 0)`,
    [...whereScope(scope), key, fingerprint, ...(response ? [response.status, response.body] : [])],
  );
}

/** Deletes up to `limit` expired records; returns how many. The condition is written as in `leaseRows`. */
export function deleteExpiredRecords(nowMs: number, limit: number): Statement<number> {
  const isNext = isAmongFirst("idempotency_records", {
    key: "account_id, livemode, idempotency_key",
    where: "expires_at_ms <= $1",
    orderBy: "expires_at_ms",
    limit,
  });
  return countChanges(
    `DELETE FROM idempotency_records WHERE expires_at_ms + 0 <= $1 AND ${isNext}`,
    [nowMs],
  );
}
