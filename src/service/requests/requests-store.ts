import type { RequestStore } from "./request-types.ts";
import { commit, readOne, writeOne, type Driver } from "../database/driver.ts";
import { readPage } from "../database/listing.ts";
import { groupByScope } from "../database/row-sets-sql.ts";
import {
  deleteRequests,
  insertRequests,
  requestsTable,
  selectRequest,
  selectSkipped,
  toColumnFilters,
} from "./requests-sql.ts";

export function createRequestStore(driver: Driver): RequestStore {
  return {
    // Requests of several accounts are one transaction, which no request waits for.
    logRequests: async (requests) => {
      const statements = groupByScope([...requests]).flatMap(({ of }) =>
        insertRequests(of, driver.maxRows),
      );
      await driver.write(() => commit(...statements));
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
    skipRequests: (scope, below, count) => readOne(driver, selectSkipped(scope, below, count)),
    purgeRequests: (scope, below, limit) => writeOne(driver, deleteRequests(scope, below, limit)),
  };
}
