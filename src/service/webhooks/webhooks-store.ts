import { isDeepStrictEqual } from "node:util";
import type { Activity } from "../../contract/administration.ts";
import type { EventType } from "../../contract/field-values.ts";
import { insertActivities } from "../accounts/accounts-store.ts";
import {
  type Driver,
  type Statement,
  type Transaction,
  batch,
  commit,
  query,
  readOne,
  writeOne,
} from "../database/driver.ts";
import { type NextAccounts, findOfNextAccounts } from "../database/due-work.ts";
import { parseCreatedMs } from "../database/ids.ts";
import { type Listed, type Range, readPage } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import {
  type ChangeOutcome,
  Conflict,
  type IdempotencyRecord,
  type WriteOutcome,
  withIdempotency,
} from "../idempotency/idempotency-store.ts";
import {
  type AbandonedDeliveries,
  type DeliveryResult,
  type DueEndpoint,
  type LeasedDelivery,
  type StoredDelivery,
  type TriedDelivery,
  type WebhookBacklog,
  abandonDeliveries,
  deliveriesTable,
  eventDeliveriesTable,
  isAnyDeliveryDue,
  leaseDeliveries,
  makeDeliveriesDue,
  selectDelivery,
  selectDueEndpoints,
  selectEventDeliveries,
  selectWebhookBacklog,
  updateDeliveries,
} from "./deliveries-sql.ts";
import { type Endpoint, computePastDueTimes } from "./delivery-state.ts";
import { type EventJson, deleteEvents, eventsTable, selectEvent } from "./events-sql.ts";
import {
  type ResentEvents,
  insertPastDeliveries,
  insertResentDelivery,
  selectLastDue,
  selectPastEvents,
  selectResentEvents,
} from "./queue-deliveries-sql.ts";
import {
  deleteEndpoint,
  extendQueueing,
  insertEndpoint,
  recordSuccess,
  selectEndpoint,
  selectEndpoints,
  setFailingSince,
  updateEndpoint,
} from "./webhook-endpoints-sql.ts";

export function createWebhooksStore(driver: Driver) {
  return {
    findEvent: (scope: Scope, id: string): Promise<EventJson | undefined> =>
      readOne(driver, selectEvent(scope, id), scope.accountId),
    listEvents: (
      scope: Scope,
      { type, paymentId, ...range }: Range & EventFilters,
    ): Promise<Listed<EventJson>> =>
      driver.read(
        () => readPage(eventsTable, scope, range, { type, payment_id: paymentId }),
        scope.accountId,
      ),

    /** Writes a new endpoint in a slot of its own; `conflict`: another one is there. */
    createEndpoint: async ({
      scope,
      endpoint,
      slot,
      idempotency,
      activity = [],
    }: EndpointWrite & { slot: number }): Promise<ChangeOutcome> =>
      catchConflict(
        driver.write(function* (mayBeWritten) {
          const isThere = mayBeWritten && (yield* query(selectEndpoint(scope, endpoint.id)));
          const insert = [insertEndpoint(scope, endpoint, slot), ...insertActivities(activity)];
          return yield* withIdempotency(scope, idempotency, isThere ? [] : insert, mayBeWritten);
        }, scope.accountId),
      ),
    /** Writes an endpoint over the one before; `conflict`: that has been changed meanwhile, or deleted. */
    changeEndpoint: async ({
      scope,
      endpoint,
      idempotency,
      activity = [],
    }: EndpointWrite): Promise<ChangeOutcome> =>
      catchConflict(
        driver.write(function* (mayBeWritten) {
          const found = mayBeWritten ? yield* query(selectEndpoint(scope, endpoint.id)) : undefined;
          const isThere = found !== undefined && isSameChange(found, endpoint);
          const update = [updateEndpoint(scope, endpoint), ...insertActivities(activity)];
          return yield* withIdempotency(scope, idempotency, isThere ? [] : update, mayBeWritten);
        }, scope.accountId),
      ),
    findEndpoint: (scope: Scope, id: string): Promise<Endpoint | undefined> =>
      readOne(driver, selectEndpoint(scope, id), scope.accountId),
    /** All of them, newest first, with their slots. */
    listEndpoints: (scope: Scope): Promise<(Endpoint & { slot: number })[]> =>
      readOne(driver, selectEndpoints(scope), scope.accountId),
    /** Deletes an endpoint; what was queued for it is never sent. */
    deleteEndpoint: (
      scope: Scope,
      id: string,
      activity: readonly Activity[] = [],
    ): Promise<boolean> =>
      driver.write(function* () {
        const isDeleted = yield* query(deleteEndpoint(scope, id));
        if (isDeleted) yield* commit(...insertActivities(activity));
        return isDeleted;
      }, scope.accountId),
    /** Records that a listener is connected: events are queued for it until then. */
    extendQueueing: async (scope: Scope, endpointId: string, untilMs: number): Promise<void> => {
      await writeOne(driver, extendQueueing(scope, endpointId, untilMs), scope.accountId);
    },

    /** With `statuses` only those in one of them, which are looked for in the whole range. */
    listDeliveries: (
      scope: Scope,
      endpointId: string,
      { statuses, ...range }: DeliveryRange,
    ): Promise<Listed<StoredDelivery>> =>
      driver.read(
        () =>
          readPage(deliveriesTable, scope, range, { endpoint_id: endpointId, status: statuses }),
        scope.accountId,
      ),
    /** The deliveries of a few events to every endpoint, with those that were queued again. */
    listDeliveriesOfEvents: (
      scope: Scope,
      eventIds: readonly string[],
      { statuses = [], ...range }: DeliveryRange,
    ): Promise<Listed<StoredDelivery>> =>
      driver.read(
        () =>
          readPage(eventDeliveriesTable, scope, range, {
            ...numberNames("event", eventIds),
            ...numberNames("status", statuses),
          }),
        scope.accountId,
      ),
    /** The deliveries that an event has made, in no order, without those that were queued again. */
    listEventDeliveries: (scope: Scope, eventId: string): Promise<StoredDelivery[]> =>
      readOne(driver, selectEventDeliveries(scope, eventId), scope.accountId),
    findDelivery: (scope: Scope, id: string): Promise<TriedDelivery | undefined> =>
      readOne(driver, selectDelivery(scope, id), scope.accountId),
    /** Queues deliveries beside those that an event has made. */
    queueDeliveries: ({
      scope,
      deliveries,
      idempotency,
      activity = [],
    }: {
      scope: Scope;
      deliveries: StoredDelivery[];
      idempotency: IdempotencyRecord | undefined;
      activity?: readonly Activity[];
    }): Promise<WriteOutcome> =>
      driver.write(function* (mayBeWritten) {
        const [first] = deliveries;
        const areThere = mayBeWritten && first && (yield* query(selectDelivery(scope, first.id)));
        const inserts = deliveries.map((each) => insertResentDelivery(scope, each));
        const statements = areThere ? [] : [...inserts, ...insertActivities(activity)];
        return yield* withIdempotency(scope, idempotency, statements, mayBeWritten);
      }, scope.accountId),
    /**
     * Looks through up to `limit` deliveries of an endpoint after `above` for events that were resent, and did not fail.
     */
    findResentEvents: (
      scope: Scope,
      endpointId: string,
      range: { above: string; limit: number },
    ): Promise<ResentEvents> =>
      readOne(driver, selectResentEvents(scope, endpointId, range), scope.accountId),
    /**
     * Looks through up to `limit` events after `above`, and queues those of the endpoint's types that never were, and
     * with `includesFailed` those that failed; they are due in the order of their creation.
     */
    requeueEvents: async (write: RequeuedEvents): Promise<RequeueOutcome> =>
      requeueEvents(driver, write),
    /** Abandons pending deliveries of an endpoint; returns how many. */
    abandonDeliveries: ({
      scope,
      endpointId,
      ...which
    }: { scope: Scope; endpointId: string } & AbandonedDeliveries): Promise<number> =>
      writeOne(driver, abandonDeliveries(scope, endpointId, which), scope.accountId),

    /**
     * Enabled endpoints with an address for which deliveries are due, in one batch of the accounts after
     * `afterAccount`.
     */
    findDueEndpoints: async (nowMs: number, after: string): Promise<NextAccounts<DueEndpoint>> =>
      findOfNextAccounts(driver, after, async (accountIds) =>
        readOne(driver, selectDueEndpoints(nowMs, accountIds)),
      ),
    /** Leases due deliveries until `untilMs`, the oldest first. */
    leaseDeliveries: async (
      scope: Scope,
      endpointId: string,
      due: { nowMs: number; untilMs: number; limit: number },
    ): Promise<LeasedDelivery[]> => {
      const { accountId } = scope;
      const isDue = isAnyDeliveryDue(scope, endpointId, due.nowMs);
      if (!(await readOne(driver, isDue, accountId))) return [];
      return await writeOne(driver, leaseDeliveries(scope, endpointId, due), accountId);
    },
    /** Makes pending deliveries of an endpoint due, leased ones too: their worker has ended. */
    makeDueNow: async (scope: Scope, endpointId: string, nowMs: number): Promise<void> => {
      await writeOne(driver, makeDeliveriesDue(scope, endpointId, nowMs), scope.accountId);
    },
    /**
     * Writes the results of attempts at an endpoint, in the order in which they ended; returns the ids of the deliveries
     * whose result was written, without those that another replica has, or that were abandoned.
     */
    writeAttempts: (ends: EndedDeliveries): Promise<ReadonlySet<string>> =>
      driver.write(() => writeAttempts(ends, driver.maxRows), ends.scope.accountId),

    /**
     * Purges up to `limit` events and deliveries of a scope from before a time in Unix seconds; returns how many: none
     * while the machine that has them is lost.
     */
    purgeEvents: (scope: Scope, before: number, limit: number): Promise<number> =>
      driver.write(function* () {
        const [deliveries, events] = yield* commit(
          deleteEvents(scope, "deliveries", before, limit),
          deleteEvents(scope, "events", before, limit),
        );
        return deliveries + events;
      }),
    measureWebhookBacklog: (nowMs: number): Promise<WebhookBacklog> =>
      readOne(driver, selectWebhookBacklog(nowMs)),
  };
}

function* writeAttempts(
  { scope, endpointId, results }: EndedDeliveries,
  maxRows: number,
): Transaction<ReadonlySet<string>> {
  const updates: Statement<string[] | boolean>[] = updateDeliveries(scope, results, maxRows);
  // A success counts whichever replica wrote its result. What failed before it no longer does.
  const lastSuccess = results.findLastIndex((result) => isSuccess(result));
  const succeededMs = results[lastSuccess]?.endedMs;
  if (succeededMs !== undefined)
    updates.push(recordSuccess(scope, endpointId, Math.floor(succeededMs / 1000)));
  const failures = results.slice(lastSuccess + 1).filter(({ endedMs }) => endedMs !== undefined);
  const send = failures.length === 0 ? commit : batch; // the frequent case takes one round trip
  const written = (yield* send<(string[] | boolean)[]>(...updates)).flat();
  const ended = new Set(written.filter((id) => typeof id === "string"));
  const first = failures.find(({ delivery }) => ended.has(delivery.id))?.endedMs;
  if (first !== undefined) yield* commit(setFailingSince(scope, endpointId, first));
  return ended;
}

function isSuccess({ status, endedMs }: DeliveryResult): boolean {
  return status === "delivered" && endedMs !== undefined;
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
  const { queuesUntilMs, failingSinceMs, lastSuccessAt } = one;
  return isDeepStrictEqual(one, { ...other, queuesUntilMs, failingSinceMs, lastSuccessAt });
}

async function catchConflict(write: Promise<WriteOutcome>): Promise<ChangeOutcome> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof Conflict) return { outcome: "conflict" };
    throw error;
  }
}

/** Values under names of their own: `event_0`, `event_1` …. */
function numberNames(name: string, values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value, at) => [`${name}_${at}`, value]));
}

type DeliveryRange = Range & { statuses?: readonly StoredDelivery["status"][] | undefined };

export type EventFilters = { type: EventType | undefined; paymentId: string | undefined };

export type RequeuedEvents = {
  scope: Scope;
  endpointId: string;
  above: string;
  limit: number;
  nowMs: number;
  includesFailed: boolean;
  /** How many are queued; by default all. */
  max?: number;
  /** Events that are left alone. */
  except?: ReadonlySet<string>;
};

/** `last`: the last event that was looked at, undefined where there was none; `isFull`: more than `max` were missed. */
export type RequeueOutcome = { last: string | undefined; queued: number; isFull: boolean };

export type WebhooksStore = ReturnType<typeof createWebhooksStore>;

type EndedDeliveries = {
  scope: Scope;
  endpointId: string;
  results: readonly DeliveryResult[];
};

type EndpointWrite = {
  scope: Scope;
  endpoint: Endpoint;
  idempotency: IdempotencyRecord | undefined;
  activity?: readonly Activity[];
};
