import { isDeepStrictEqual } from "node:util";
import { maxIdOf } from "../domain/object-id.ts";
import type { Endpoint } from "../domain/endpoint-state.ts";
import type { EventStore } from "../ports/event-store.ts";
import type { ChangeOutcome, WriteOutcome } from "../ports/idempotency-record.ts";
import { commit, commitOne, query, type Driver } from "./driver.ts";
import { createListing, selectRange } from "./listing.ts";
import {
  deliveriesTable,
  abandonDeliveries,
  makeDeliveriesDue,
  insertDelivery,
  insertPastDeliveries,
  isAnyDeliveryDue,
  selectDelivery,
  selectDueEndpoints,
  selectEventDeliveries,
  selectWebhookBacklog,
  leaseDeliveries,
  updateDelivery,
} from "./sql/deliveries-sql.ts";
import { insertActivity } from "./sql/activity-sql.ts";
import { ofNextAccounts, unlessShardUnavailable } from "./take-due.ts";
import { deleteEvents, eventIds, eventsTable, selectEvent } from "./sql/events-sql.ts";
import {
  deleteEndpoint,
  failSince,
  insertEndpoint,
  extendQueueing,
  selectEndpoint,
  selectEndpoints,
  updateEndpoint,
} from "./sql/webhook-endpoints-sql.ts";
import { withIdempotency, LostRace } from "./writes.ts";

/** What the store keeps of events, of the endpoints that they are sent to, and of their deliveries. */
export function createEventStore(driver: Driver): EventStore {
  return {
    findEvent: (scope, id) => driver.read(() => query(selectEvent(scope, id)), scope.accountId),
    listEvents: (scope, { type, paymentId, ...range }) =>
      driver.read(
        () => createListing(eventsTable, scope, range, { type, payment_id: paymentId }),
        scope.accountId,
      ),

    createEndpoint: async ({ scope, endpoint, slot, idempotency, activity = [] }) =>
      unlessLost(
        driver.write(function* (isRetry) {
          const isThere = isRetry && (yield* query(selectEndpoint(scope, endpoint.id)));
          const insert = isThere
            ? []
            : [insertEndpoint(scope, endpoint, slot), ...activity.map(insertActivity)];
          return yield* withIdempotency(scope, idempotency, insert, isRetry);
        }, scope.accountId),
      ),
    changeEndpoint: async ({ scope, endpoint, idempotency, activity = [] }) =>
      unlessLost(
        driver.write(function* (isRetry) {
          const found = isRetry ? yield* query(selectEndpoint(scope, endpoint.id)) : undefined;
          const isThere = found !== undefined && isSameChange(found, endpoint);
          const update = isThere
            ? []
            : [updateEndpoint(scope, endpoint), ...activity.map(insertActivity)];
          return yield* withIdempotency(scope, idempotency, update, isRetry);
        }, scope.accountId),
      ),
    findEndpoint: (scope, id) =>
      driver.read(() => query(selectEndpoint(scope, id)), scope.accountId),
    listEndpoints: (scope) => driver.read(() => query(selectEndpoints(scope)), scope.accountId),
    deleteEndpoint: (scope, id, activity = []) =>
      driver.write(function* () {
        const isDeleted = yield* query(deleteEndpoint(scope, id));
        if (isDeleted) yield* commit(...activity.map(insertActivity));
        return isDeleted;
      }, scope.accountId),
    extendQueueing: async (scope, endpointId, untilMs) => {
      await driver.write(
        () => commitOne(extendQueueing(scope, endpointId, untilMs)),
        scope.accountId,
      );
    },

    listDeliveries: (scope, endpointId, range) =>
      driver.read(
        () => createListing(deliveriesTable, scope, range, { endpoint_id: endpointId }),
        scope.accountId,
      ),
    listEventDeliveries: (scope, eventId) =>
      driver.read(() => query(selectEventDeliveries(scope, eventId)), scope.accountId),
    findDelivery: (scope, id) =>
      driver.read(() => query(selectDelivery(scope, id)), scope.accountId),
    queueDeliveries: ({ scope, deliveries, idempotency, activity = [] }) =>
      driver.write(function* (isRetry) {
        const [first] = deliveries;
        const areThere = isRetry && first && (yield* query(selectDelivery(scope, first.id)));
        const inserts = areThere
          ? []
          : [
              ...deliveries.map((each) => insertDelivery(scope, each)),
              ...activity.map(insertActivity),
            ];
        return yield* withIdempotency(scope, idempotency, inserts, isRetry);
      }, scope.accountId),
    requeueEvents: ({ scope, endpointId, above, limit, nowMs, includesFailed }) =>
      driver.write(function* () {
        const next = { below: maxIdOf("evt_"), above, direction: "backward", limit } as const;
        const last = (yield* query(selectRange(eventIds, scope, next))).at(-1);
        if (last === undefined) return undefined;
        const range = { above, last, limit };
        yield* commit(insertPastDeliveries(scope, endpointId, range, { nowMs, includesFailed }));
        return last;
      }, scope.accountId),
    abandonDeliveries: ({ scope, endpointId, ...which }) =>
      driver.write(() => commitOne(abandonDeliveries(scope, endpointId, which)), scope.accountId),

    findDueEndpoints: async (nowMs, after) =>
      ofNextAccounts(driver, after, async (accountIds) =>
        driver.read(() => query(selectDueEndpoints(nowMs, accountIds))),
      ),
    leaseDeliveries: async (scope, endpointId, due) => {
      const isDue = isAnyDeliveryDue(scope, endpointId, due.nowMs);
      const { accountId } = scope;
      if (!(await driver.read(() => query(isDue), accountId))) return [];
      return await driver.write(
        () => commitOne(leaseDeliveries(scope, endpointId, due)),
        accountId,
      );
    },
    makeDueNow: async (scope, endpointId, nowMs) => {
      await driver.write(
        () => commitOne(makeDeliveriesDue(scope, endpointId, nowMs)),
        scope.accountId,
      );
    },
    endDelivery: (end) =>
      driver.write(function* () {
        const { scope, delivery, failingSinceMs } = end;
        const ended = updateDelivery(end);
        if (failingSinceMs === undefined) return yield* commitOne(ended);
        const failing = failSince(scope, delivery.endpointId, failingSinceMs);
        // What has arrived has arrived, whoever ended it; in one round trip, as most end so.
        if (failingSinceMs === null) return (yield* commit(ended, failing))[0];
        const hasEnded = yield* query(ended);
        if (hasEnded) yield* commit(failing);
        return hasEnded;
      }, end.scope.accountId),

    purgeEvents: async (scope, before, limit) => {
      const forgotten = driver.write(function* () {
        const counts = yield* commit(
          deleteEvents(scope, "deliveries", before, limit),
          deleteEvents(scope, "events", before, limit),
        );
        return counts[0] + counts[1];
      });
      return await unlessShardUnavailable(forgotten, 0);
    },
    measureWebhookBacklog: (nowMs) => driver.read(() => query(selectWebhookBacklog(nowMs))),
  };
}

/** Whether two are the same revision, made by the same change; what deliveries write is not compared. */
function isSameChange(one: Endpoint, other: Endpoint): boolean {
  const { queuesUntilMs, failingSinceMs } = one;
  return isDeepStrictEqual(one, { ...other, queuesUntilMs, failingSinceMs });
}

async function unlessLost(write: Promise<WriteOutcome>): Promise<ChangeOutcome> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof LostRace) return { outcome: "conflict" };
    throw error;
  }
}
