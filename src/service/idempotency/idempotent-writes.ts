import { Unavailable } from "../../runtime/failures.ts";
import type { Scope } from "../database/scope.ts";
import type { IdempotencyRecord, StoredRecord, WriteOutcome } from "./idempotency-record.ts";
import { query, type Statement, type Transaction } from "../database/driver.ts";
import { claimKey, selectIdempotencyRecord } from "./idempotency-records-sql.ts";

/** Another request has changed the rows that a write depends on; nothing is written. */
export class Conflict extends Error {}

/** Runs statements, with the idempotency key of their request; throws `Conflict` where one of them changes nothing. */
export function* withIdempotency(
  scope: Scope,
  idempotency: IdempotencyRecord | undefined,
  statements: Statement<boolean>[],
  isRetry: boolean,
): Transaction<WriteOutcome> {
  if (idempotency && !(yield* query(claimKey(scope, idempotency)))) {
    const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
    return toRecordOutcome(record, idempotency, isRetry);
  }
  for (const statement of statements) if (!(yield* query(statement))) throw new Conflict();
  return { outcome: "written" };
}

/** The outcome of a request whose idempotency key has a record already. */
export function toRecordOutcome(
  record: StoredRecord | undefined,
  { fingerprint, response }: IdempotencyRecord,
  isRetry: boolean,
): WriteOutcome {
  if (!record)
    throw new Unavailable("The idempotency key expired just now; the request was not done.");
  if (record.fingerprint !== fingerprint) return { outcome: "mismatch" };
  if (isRetry && record.response.body === response.body) return { outcome: "written" };
  return record.lockedUntilMs > 0 || record.response.status === 0
    ? { outcome: "in_progress" }
    : { outcome: "replayed", response: record.response };
}
