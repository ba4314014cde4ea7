import type { PaymentStatus } from "../../../contract/payment.ts";
import type {
  LockedRequest,
  IdempotencyRecord,
  StoredRecord,
  Scope,
} from "../../ports/idempotency-record.ts";
import { changeOne, countChanges, createStatement, type Statement, type Value } from "../driver.ts";
import { isAmongFirst } from "./due-sql.ts";
import { whereScope } from "./scope-sql.ts";

type RecordRow = { fingerprint: string; status: number; body: string; locked_until_ms: number };

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
    `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms, locked_until_ms)
     ${
       needs
         ? "SELECT account_id, livemode, $3, $4, $5, $6, $7, $9 FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $10 AND status = $11"
         : "VALUES ($1, $2, $3, $4, $5, $6, $7, $9)"
     }
     ON CONFLICT (account_id, livemode, idempotency_key) DO UPDATE
     SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, expires_at_ms = excluded.expires_at_ms, locked_until_ms = excluded.locked_until_ms
     WHERE idempotency_records.expires_at_ms <= $8 OR (idempotency_records.status = 0
       AND idempotency_records.fingerprint = excluded.fingerprint AND idempotency_records.locked_until_ms <= $8)`,
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
  return createStatement(
    "SELECT fingerprint, status, body, locked_until_ms FROM idempotency_records WHERE account_id = $1 AND livemode = $2 AND idempotency_key = $3 AND expires_at_ms > $4",
    [...whereScope(scope), key, nowMs],
    ([row]: RecordRow[]) =>
      row && {
        fingerprint: row.fingerprint,
        response: { status: row.status, body: row.body },
        lockedUntilMs: row.locked_until_ms,
      },
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
