import { isDeepStrictEqual } from "node:util";
import { computePastDueTimes } from "./delivery-state.ts";
import type { Endpoint } from "./endpoint-state.ts";
import { parseCreatedMs } from "../database/object-id.ts";
import type { EventStore, RequeuedEvents, RequeueOutcome } from "./event-types.ts";
import type { ChangeOutcome, WriteOutcome } from "../idempotency/idempotency-record.ts";
import { commit, commitOne, query, readOne, writeOne, type Driver } from "../database/driver.ts";
import { findOfNextAccounts } from "../database/lease-due.ts";
import { readPage } from "../database/listing.ts";
import { insertActivity } from "../accounts/activity-sql.ts";
import {
  insertPastDeliveries,
  selectLastDue,
  selectPastEvents,
  selectResentEvents,
} from "./past-events-sql.ts";
import {
  abandonDeliveries,
  deliveriesTable,
  insertDelivery,
  isAnyDeliveryDue,
  leaseDeliveries,
  makeDeliveriesDue,
  selectDelivery,
  selectDueEndpoints,
  selectEventDeliveries,
  selectWebhookBacklog,
  updateDelivery,
} from "./deliveries-sql.ts";
import { deleteEvents, eventsTable, selectEvent } from "./events-sql.ts";
import {
  deleteEndpoint,
  extendQueueing,
  insertEndpoint,
  selectEndpoint,
  selectEndpoints,
  setFailingSince,
  updateEndpoint,
} from "./webhook-endpoints-sql.ts";
import { Conflict, withIdempotency } from "../idempotency/idempotent-writes.ts";

export function createEventStore(driver: Driver): EventStore {
  return {
    findEvent: (scope, id) => readOne(driver, selectEvent(scope, id), scope.accountId),
    listEvents: (scope, { type, paymentId, ...range }) =>
      driver.read(
        () => readPage(eventsTable, scope, range, { type, payment_id: paymentId }),
        scope.accountId,
      ),

    createEndpoint: async ({ scope, endpoint, slot, idempotency, activity = [] }) =>
      catchConflict(
        driver.write(function* (isRetry) {
          const isThere = isRetry && (yield* query(selectEndpoint(scope, endpoint.id)));
          const insert = [insertEndpoint(scope, endpoint, slot), ...activity.map(insertActivity)];
          return yield* withIdempotency(scope, idempotency, isThere ? [] : insert, isRetry);
        }, scope.accountId),
      ),
    changeEndpoint: async ({ scope, endpoint, idempotency, activity = [] }) =>
      catchConflict(
        driver.write(function* (isRetry) {
          const found = isRetry ? yield* query(selectEndpoint(scope, endpoint.id)) : undefined;
          const isThere = found !== undefined && isSameChange(found, endpoint);
          const update = [updateEndpoint(scope, endpoint), ...activity.map(insertActivity)];
          return yield* withIdempotency(scope, idempotency, isThere ? [] : update, isRetry);
        }, scope.accountId),
      ),
    findEndpoint: (scope, id) => readOne(driver, selectEndpoint(scope, id), scope.accountId),
    listEndpoints: (scope) => readOne(driver, selectEndpoints(scope), scope.accountId),
    deleteEndpoint: (scope, id, activity = []) =>
      driver.write(function* () {
        const isDeleted = yield* query(deleteEndpoint(scope, id));
        if (isDeleted) yield* commit(...activity.map(insertActivity));
        return isDeleted;
      }, scope.accountId),
    extendQueueing: async (scope, endpointId, untilMs) => {
      await writeOne(driver, extendQueueing(scope, endpointId, untilMs), scope.accountId);
    },

    listDeliveries: (scope, endpointId, { status, ...range }) =>
      driver.read(
        () => readPage(deliveriesTable, scope, range, { endpoint_id: endpointId, status }),
        scope.accountId,
      ),
    listEventDeliveries: (scope, eventId) =>
      readOne(driver, selectEventDeliveries(scope, eventId), scope.accountId),
    findDelivery: (scope, id) => readOne(driver, selectDelivery(scope, id), scope.accountId),
    queueDeliveries: ({ scope, deliveries, idempotency, activity = [] }) =>
      driver.write(function* (isRetry) {
        const [first] = deliveries;
        const areThere = isRetry && first && (yield* query(selectDelivery(scope, first.id)));
        const inserts = deliveries.map((each) => insertDelivery(scope, each));
        const statements = areThere ? [] : [...inserts, ...activity.map(insertActivity)];
        return yield* withIdempotency(scope, idempotency, statements, isRetry);
      }, scope.accountId),
    findResentEvents: (scope, endpointId, batch) =>
      readOne(driver, selectResentEvents(scope, endpointId, batch), scope.accountId),
    requeueEvents: async (write) => requeueEvents(driver, write),
    abandonDeliveries: ({ scope, endpointId, ...which }) =>
      writeOne(driver, abandonDeliveries(scope, endpointId, which), scope.accountId),

    findDueEndpoints: async (nowMs, after) =>
      findOfNextAccounts(driver, after, async (accountIds) =>
        readOne(driver, selectDueEndpoints(nowMs, accountIds)),
      ),
    leaseDeliveries: async (scope, endpointId, due) => {
      const { accountId } = scope;
      const isDue = isAnyDeliveryDue(scope, endpointId, due.nowMs);
      if (!(await readOne(driver, isDue, accountId))) return [];
      return await writeOne(driver, leaseDeliveries(scope, endpointId, due), accountId);
    },
    makeDueNow: async (scope, endpointId, nowMs) => {
      await writeOne(driver, makeDeliveriesDue(scope, endpointId, nowMs), scope.accountId);
    },
    endDelivery: (end) =>
      driver.write(function* () {
        const { scope, delivery, failingSinceMs } = end;
        const ending = updateDelivery(end);
        if (failingSinceMs === undefined) return yield* commitOne(ending);
        const failing = setFailingSince(scope, delivery.endpointId, failingSinceMs);
        // A success counts whichever replica wrote the result. This is the frequent case, and takes one round trip.
        if (failingSinceMs === null) return (yield* commit(ending, failing))[0];
        const hasEnded = yield* query(ending);
        if (hasEnded) yield* commit(failing);
        return hasEnded;
      }, end.scope.accountId),

    purgeEvents: (scope, before, limit) =>
      driver.write(function* () {
        const [deliveries, events] = yield* commit(
          deleteEvents(scope, "deliveries", before, limit),
          deleteEvents(scope, "events", before, limit),
        );
        return deliveries + events;
      }),
    measureWebhookBacklog: (nowMs) => readOne(driver, selectWebhookBacklog(nowMs)),
  };
}

/** Events are looked through by reads: what an endpoint has missed may be little among much. */
async function requeueEvents(
  driver: Driver,
  { scope, endpointId, nowMs, max = Infinity, except, ...which }: RequeuedEvents,
): Promise<RequeueOutcome> {
  const { accountId } = scope;
  const past = await readOne(driver, selectPastEvents(scope, endpointId, which), accountId);
  const missed = past.filter(({ id, missed: isMissed }) => isMissed && !except?.has(id));
  const isFull = missed.length > max;
  const chosen = missed.slice(0, max);
  const last = past.at(-1)?.id;
  const [first] = chosen;
  if (!first) return { last, queued: 0, isFull };
  const earlier = selectLastDue(scope, endpointId, parseCreatedMs(first.id));
  const lastDueMs = await readOne(driver, earlier, accountId);
  const times = chosen.map(({ id }) => parseCreatedMs(id));
  const dueTimes = computePastDueTimes(times, { lastDueMs, nowMs });
  const events = chosen.map(({ id, type }, index) => ({
    id,
    type,
    dueAtMs: dueTimes[index] ?? nowMs,
  }));
  const { includesFailed } = which;
  const inserts = insertPastDeliveries(scope, endpointId, events, { nowMs, includesFailed });
  const counts = await driver.write(() => commit(...inserts), accountId);
  return { last, queued: counts.reduce((sum, count) => sum + count, 0), isFull };
}

/** Whether two are the same revision, made by the same change; columns that deliveries write are not compared. */
function isSameChange(one: Endpoint, other: Endpoint): boolean {
  const { queuesUntilMs, failingSinceMs } = one;
  return isDeepStrictEqual(one, { ...other, queuesUntilMs, failingSinceMs });
}

async function catchConflict(write: Promise<WriteOutcome>): Promise<ChangeOutcome> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Conflict) return { outcome: "conflict" };
    throw error;
  }
}
