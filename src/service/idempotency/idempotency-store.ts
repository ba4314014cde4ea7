import type { Activity } from "../../contract/administration.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { insertActivities } from "../accounts/activity-sql.ts";
import {
  batch,
  commit,
  query,
  readOne,
  writeOne,
  type Driver,
  type Statement,
  type Transaction,
} from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import {
  claimKeys,
  deleteExpiredRecords,
  releaseLock,
  selectIdempotencyRecord,
  type IdempotencyRecord,
  type LockedRequest,
  type StoredRecord,
  type StoredResponse,
} from "./idempotency-sql.ts";

/** The request has no response yet; a retry continues it. */
export const noResponseYet: StoredResponse = { status: 0, body: "" };

/**
 * If the idempotency key was used before, nothing is written: `replayed` by the same request, `mismatch` by
 * another one, `in_progress` by the same one, which has no response yet.
 */
export type WriteOutcome =
  | { outcome: "written" }
  | { outcome: "replayed"; response: StoredResponse }
  | { outcome: "in_progress" }
  | { outcome: "mismatch" };

/** `conflict`: what was to be changed is no longer as it was expected, and nothing was written. */
export type ChangeOutcome = WriteOutcome | { outcome: "conflict" };

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export function createIdempotencyStore(driver: Driver) {
  return {
    findStoredResponse: async (
      scope: Scope,
      key: string,
      nowMs: number,
    ): Promise<StoredRecord | undefined> =>
      readOne(driver, selectIdempotencyRecord(scope, key, nowMs), scope.accountId),
    /** Releases the lock of a request's record, with its response where that is known. */
    releaseLock: async (scope: Scope, request: LockedRequest): Promise<void> => {
      await writeOne(driver, releaseLock(scope, request), scope.accountId);
    },
    storeResponse: async (
      scope: Scope,
      idempotency: IdempotencyRecord | undefined,
      activity: readonly Activity[] = [],
    ): Promise<WriteOutcome> =>
      driver.write(function* (isRetry) {
        const written = yield* withIdempotency(scope, idempotency, [], isRetry);
        const isWritten = written.outcome === "written";
        if (isWritten && activity.length > 0) yield* commit(...insertActivities(activity));
        return written;
      }, scope.accountId),
    /** Purges up to `limit` expired idempotency records; returns how many. */
    purgeIdempotencyRecords: async (nowMs: number, limit: number): Promise<number> =>
      writeOne(driver, deleteExpiredRecords(nowMs, limit)),
  };
}

/** Another request has changed the rows that a write depends on; nothing is written. */
export class Conflict extends Error {}

/** Runs statements, with the idempotency key of their request; throws `Conflict` where one of them changes nothing. */
export function* withIdempotency(
  scope: Scope,
  idempotency: IdempotencyRecord | undefined,
  statements: Statement<boolean | number>[],
  isRetry: boolean,
): Transaction<WriteOutcome> {
  if (idempotency && !(yield* claimKey(scope, idempotency))) {
    const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
    return toRecordOutcome(record, idempotency, isRetry);
  }
  for (const statement of statements) if (!(yield* query(statement))) throw new Conflict();
  return { outcome: "written" };
}

/** Claims the key of a request, as `claimKeys` does. */
export function* claimKey(scope: Scope, idempotency: IdempotencyRecord): Transaction<boolean> {
  const claimed = yield* batch<string[][]>(...claimKeys([{ scope, idempotency }]));
  return claimed.flat().length > 0;
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
