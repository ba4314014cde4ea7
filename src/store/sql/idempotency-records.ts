import type { IdempotencyRecord, KeptAnswer, Scope, WriteOutcome } from "../../service/ports.ts";
import { query, type Work } from "../driver.ts";

type RecordRow = { fingerprint: string; status: number; body: string };

/** Claims a key for a request, unless a record that has not expired holds it. */
export function* claimKey(scope: Scope, record: IdempotencyRecord): Work<WriteOutcome> {
  const claimed = yield* query(
    `INSERT INTO idempotency_records (account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (account_id, livemode, idempotency_key) DO UPDATE
     SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, expires_at_ms = excluded.expires_at_ms
     WHERE idempotency_records.expires_at_ms <= $8
     RETURNING idempotency_key`,
    [
      scope.accountId,
      Number(scope.livemode),
      record.key,
      record.fingerprint,
      record.answer.status,
      record.answer.body,
      record.expiresAtMs,
      record.nowMs,
    ],
  );
  if (claimed.length === 1) return { outcome: "written" };
  const kept = yield* selectAnswer(scope, record.key, record.nowMs);
  return kept?.fingerprint === record.fingerprint
    ? { outcome: "replayed", answer: kept.answer }
    : { outcome: "reused" };
}

export function* deleteRecord(scope: Scope, key: string): Work<void> {
  yield* query(
    "DELETE FROM idempotency_records WHERE account_id = $1 AND livemode = $2 AND idempotency_key = $3",
    [scope.accountId, Number(scope.livemode), key],
  );
}

export function* selectAnswer(
  scope: Scope,
  key: string,
  nowMs: number,
): Work<{ fingerprint: string; answer: KeptAnswer } | undefined> {
  const [row] = yield* query<RecordRow>(
    "SELECT fingerprint, status, body FROM idempotency_records WHERE account_id = $1 AND livemode = $2 AND idempotency_key = $3 AND expires_at_ms > $4",
    [scope.accountId, Number(scope.livemode), key, nowMs],
  );
  return row && { fingerprint: row.fingerprint, answer: { status: row.status, body: row.body } };
}

export function* deleteExpiredRecords(nowMs: number, limit: number): Work<number> {
  const deleted = yield* query(
    `DELETE FROM idempotency_records WHERE expires_at_ms <= $1 AND (account_id, livemode, idempotency_key) IN
     (SELECT account_id, livemode, idempotency_key FROM idempotency_records WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2)
     RETURNING idempotency_key`,
    [nowMs, limit],
  );
  return deleted.length;
}
