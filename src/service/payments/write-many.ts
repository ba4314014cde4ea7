import {
  type EventTimes,
  enqueueDeliveries,
  insertEvents,
  storeCreatedEvents,
  toCreatedEventId,
} from "../webhooks/events-sql.ts";
import type { Payment } from "./payment-state.ts";
import { type Scope, groupByScope } from "../database/scope.ts";
import type {
  ChangeOutcome,
  IdempotencyRecord,
  StoredRecord,
  WriteOutcome,
} from "../idempotency/idempotency-record.ts";
import type { NewPayment, PaymentStore } from "./payment-types.ts";
import {
  batch,
  commit,
  type Sharing,
  type Statement,
  type Transaction,
} from "../database/driver.ts";
import { toRecordOutcome } from "../idempotency/idempotent-writes.ts";
import { insertActivities } from "../accounts/activity-sql.ts";
import { insertCharges } from "./charges-sql.ts";
import { insertPages } from "./hosted-pages-sql.ts";
import {
  claimKeys,
  selectIdempotencyRecord,
  toKeyId,
} from "../idempotency/idempotency-records-sql.ts";
import { insertPayments, lockPayments, updatePayments } from "./payments-sql.ts";
import { insertChanges } from "../search/search-index-sql.ts";
import type { WithJson } from "./payment-transactions.ts";

// The writes of payment-transactions.ts for many requests at once, with few statements. Each request gets the outcome
// that it would get alone. A transaction that may have been committed before is not repeated so, but one by one.

type Creation = WithJson<NewPayment>;
type Transition = WithJson<Parameters<PaymentStore["transition"]>[0]>;

/** A new payment, which `item` makes. */
export function shareCreation(item: () => Creation): Sharing<WriteOutcome> {
  return {
    item,
    key: () => {
      const { scope, payment, idempotency } = item();
      return idempotency ? toKeyId({ scope, idempotency }) : payment.id;
    },
    bytes: () => item().json.length,
    writeMany: writeCreations,
  };
}

export function shareTransition(write: Transition): Sharing<ChangeOutcome> {
  const { scope, payment } = write;
  return {
    ...shareChange({ scope, paymentId: payment.id }),
    item: () => write,
    writeMany: writeTransitions,
    bytes: () => write.json.length,
  };
}

/** Another change of a payment and its charge, which shares a transaction by its own statements. */
export function shareChange<T>(write: { scope: Scope; paymentId: string }): Sharing<T> {
  return {
    item: () => write,
    key: () => `${write.scope.accountId} ${write.paymentId}`,
    bytes: () => 1024,
  };
}

function* writeCreations(all: Creation[]): Transaction<(() => WriteOutcome)[]> {
  const refused = yield* refuseUsedKeys(all);
  const written = all.filter((each) => !refused.has(each));
  yield* commit<unknown[]>(
    ...insertPayments(written),
    ...enqueueDeliveriesOf(written),
    ...insertPages(written.flatMap(({ page, ...each }) => (page ? [{ ...each, page }] : []))),
    ...insertCharges(written.flatMap(({ charge, ...of }) => (charge ? [{ ...of, charge }] : []))),
  );
  const records = yield* findRecords([...refused]);
  return all.map((each) => () => {
    if (!each.idempotency || !refused.has(each)) return { outcome: "written" };
    return toRecordOutcome(records.get(each), each.idempotency, false);
  });
}

function* writeTransitions(all: Transition[]): Transaction<(() => ChangeOutcome)[]> {
  const locked = yield* batch<string[][]>(
    ...groupByScope(all).flatMap(({ scope, of }) => lockEach(scope, of)),
  );
  const lockedIds = new Set(locked.flat());
  const inState = all.filter(({ payment }) => lockedIds.has(payment.id));
  const refused = yield* refuseUsedKeys(inState);
  const written = inState.filter((each) => !refused.has(each));
  yield* commit<unknown[]>(
    ...groupByScope(written).flatMap(({ scope, of }) => changePayments(scope, of)),
    ...enqueueDeliveriesOf(written),
    ...insertActivities(written.flatMap(({ activity = [] }) => activity)),
  );
  const done = new Set(written);
  const records = yield* findRecords(all.filter((each) => !done.has(each)));
  return all.map((each) => () => {
    if (done.has(each)) return { outcome: "written" };
    const record = records.get(each);
    return each.idempotency && (record || refused.has(each))
      ? toRecordOutcome(record, each.idempotency, false)
      : { outcome: "conflict" };
  });
}

function lockEach(scope: Scope, changes: Transition[]): Statement<string[]>[] {
  return [...Map.groupBy(changes, ({ from }) => from)].flatMap(([from, of]) =>
    lockPayments(
      scope,
      from,
      of.map(({ payment }) => payment.id),
    ),
  );
}

/** Changes locked payments of an account and mode, with their events. */
function changePayments(scope: Scope, changes: Transition[]): Statement<number>[] {
  const ids = changes.map(({ payment }) => payment.id);
  return [
    storeCreatedEvents(scope, ids),
    updatePayments(scope, changes),
    insertEvents(scope, ids),
    insertChanges(
      scope,
      changes.filter(({ from }) => from === "pending").map(({ payment }) => payment.id),
    ),
  ].flat();
}

type Request = { scope: Scope; idempotency: IdempotencyRecord | undefined };

/** Claims the idempotency keys of requests; returns the requests whose key was used before. */
function* refuseUsedKeys<R extends Request>(requests: R[]): Transaction<Set<R>> {
  const keyed = requests.filter(hasKey);
  if (keyed.length === 0) return new Set();
  const claimed = new Set((yield* batch<string[][]>(...claimKeys(keyed))).flat());
  return new Set(keyed.filter((each) => !claimed.has(toKeyId(each))));
}

/** Finds the idempotency records of requests. */
function* findRecords<R extends Request>(
  requests: R[],
): Transaction<Map<R, StoredRecord | undefined>> {
  const keyed = requests.filter(hasKey);
  if (keyed.length === 0) return new Map();
  const records = yield* batch<(StoredRecord | undefined)[]>(
    ...keyed.map(({ scope, idempotency: { key, nowMs } }) =>
      selectIdempotencyRecord(scope, key, nowMs),
    ),
  );
  return new Map(keyed.map((each, at) => [each, records[at]]));
}

function hasKey<R extends Request>(request: R): request is R & { idempotency: IdempotencyRecord } {
  return request.idempotency !== undefined;
}

/** The deliveries of payments' events; the event of a new payment has no id of its own. */
function enqueueDeliveriesOf(
  changed: { scope: Scope; payment: Payment; event: EventTimes & { id?: string } }[],
): Statement<number>[] {
  return groupByScope(changed).flatMap(({ scope, of }) =>
    enqueueDeliveries(
      scope,
      of.map(({ payment, event: { nowMs, dueAtMs, id = toCreatedEventId(payment.id) } }) => ({
        id,
        type: `payment.${payment.status}` as const,
        nowMs,
        dueAtMs,
      })),
    ),
  );
}
