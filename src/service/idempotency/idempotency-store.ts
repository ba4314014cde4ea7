import { insertActivity } from "../accounts/activity-sql.ts";
import { commit, readOne, writeOne, type Driver } from "../database/driver.ts";
import {
  deleteExpiredRecords,
  releaseLock,
  selectIdempotencyRecord,
} from "./idempotency-records-sql.ts";
import type { IdempotencyStore } from "./idempotency-record.ts";
import { withIdempotency } from "./idempotent-writes.ts";

export function createIdempotencyStore(driver: Driver): IdempotencyStore {
  return {
    findStoredResponse: (scope, key, nowMs) =>
      readOne(driver, selectIdempotencyRecord(scope, key, nowMs), scope.accountId),
    releaseLock: async (scope, request) =>
      void (await writeOne(driver, releaseLock(scope, request), scope.accountId)),
    storeResponse: (scope, idempotency, activity = []) =>
      driver.write(function* (isRetry) {
        const written = yield* withIdempotency(scope, idempotency, [], isRetry);
        const isWritten = written.outcome === "written";
        if (isWritten && activity.length > 0) yield* commit(...activity.map(insertActivity));
        return written;
      }, scope.accountId),
    purgeIdempotencyRecords: (nowMs, limit) => writeOne(driver, deleteExpiredRecords(nowMs, limit)),
  };
}
