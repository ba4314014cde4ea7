import type { RequestStore, StoredRequest } from "../ports/request-store.ts";
import { commit, readOne, writeOne, type Driver } from "./driver.ts";
import { readPage } from "./listing.ts";
import { unlessShardUnavailable } from "./lease-due.ts";
import { groupByScope } from "./sql/row-sets-sql.ts";
import {
  deleteRequests,
  insertRequests,
  requestsTable,
  selectRequest,
  selectSkipped,
  toColumnFilters,
} from "./sql/requests-sql.ts";

export function createRequestStore(driver: Driver): RequestStore {
  return {
    // Requests of several accounts are one transaction, which no request waits for. Where a shard is unavailable, each
    // account's are one.
    logRequests: async (requests) => {
      if (await writeUnlessLost(driver, requests)) return [];
      const refused: StoredRequest[] = [];
      for (const ofAccount of Map.groupBy(requests, ({ scope }) => scope.accountId).values()) {
        if (!(await writeUnlessLost(driver, ofAccount))) refused.push(...ofAccount);
      }
      return refused;
    },
    findRequest: (scope, id) => readOne(driver, selectRequest(scope, id), scope.accountId),
    listRequests: (scope, { statuses, method, paymentId, idempotencyKey, ...range }) =>
      driver.read(
        () =>
          readPage(
            requestsTable,
            scope,
            range,
            toColumnFilters({ statuses, method, paymentId, idempotencyKey }),
          ),
        scope.accountId,
      ),
    skipRequests: async (scope, below, count) =>
      unlessShardUnavailable(readOne(driver, selectSkipped(scope, below, count)), undefined),
    purgeRequests: async (scope, below, limit) =>
      unlessShardUnavailable(writeOne(driver, deleteRequests(scope, below, limit)), 0),
  };
}

/** Writes requests in one transaction; false where a shard that it needs is unavailable. */
async function writeUnlessLost(
  driver: Driver,
  requests: readonly StoredRequest[],
): Promise<boolean> {
  const statements = groupByScope([...requests]).flatMap(({ of }) =>
    insertRequests(of, driver.maxRows),
  );
  const write = driver.write(() => commit(...statements));
  return (await unlessShardUnavailable(write, undefined)) !== undefined;
}
