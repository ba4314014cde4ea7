import type { Activity } from "../../contract/administration.ts";
import type { PaymentJson, PaymentStatus } from "../../contract/payment.ts";
import { insertChangeActivity } from "../accounts/accounts-store.ts";
import {
  batch,
  commit,
  type SharedWrite,
  type Statement,
  type Transaction,
} from "../database/driver.ts";
import { groupByScope, type Scope } from "../database/scope.ts";
import {
  type ChangeOutcome,
  type IdempotencyRecord,
  type StoredRecord,
  type WriteOutcome,
  claimKeyOfPayment,
  claimKeys,
  selectIdempotencyRecord,
  toKeyId,
  toRecordOutcome,
} from "../idempotency/idempotency-store.ts";
import { insertChanges } from "../search/search-index-sql.ts";
import { type EventTimes, type NewEvent, storeCreatedEvents } from "../webhooks/events-sql.ts";
import { enqueueDeliveries, recordEvents } from "../webhooks/queue-deliveries-sql.ts";
import { insertCharges, type StoredCharge } from "./charges-sql.ts";
import {
  type NewPage,
  insertPages,
  insertPayments,
  lockPayments,
  selectPayment,
  updatePayments,
} from "./payments-sql.ts";
import type { Payment } from "./payment-state.ts";

// Writes of payments, each for one request or many. A single one takes one round trip: each of its statements does
// nothing where the one before did nothing. Many take two: the first tells which of them may go on, the second writes
// these, because such conditions for each of many rows cost more than a round trip. Each request gets the outcome that
// it would get alone.
// `mayBeWritten`: the connection was lost during the commit of an earlier attempt, so rows that are found may be its
// own.

/** A new payment, with what is written together with it. */
export type NewPayment = {
  scope: Scope;
  payment: Payment;
  /** The payment's, which its response has too. */
  json: PaymentJson;
  /** Of its first event, whose id is the payment's own with another prefix. */
  event: EventTimes;
  page: NewPage | undefined;
  charge: StoredCharge | undefined;
  idempotency: IdempotencyRecord | undefined;
};

/** A payment's next state, if it still is in `from`. */
export type PaymentTransition = {
  scope: Scope;
  payment: Payment;
  event: NewEvent;
  from: PaymentStatus;
  idempotency: IdempotencyRecord | undefined;
  activity?: readonly Activity[];
};

/** A write of a payment, with its JSON. */
export type WithJson<T> = T & { json: PaymentJson };

export function withJson<T extends { payment: Payment }>(write: T): WithJson<T> {
  return { ...write, json: JSON.stringify(write.payment) };
}

/** `announcement` changes a row of this process: it is written last, so that its lock is held shortly. */
export type Creation = NewPayment & { announcement?: Statement<number> | undefined };
type Transition = WithJson<PaymentTransition>;

/** A new payment, which `item` makes. */
export function shareCreation(item: () => Creation): SharedWrite<Creation, WriteOutcome> {
  return {
    item,
    keys: () => listKeys(item()),
    bytes: () => item().json.length,
    write: writeCreations,
  };
}

export function shareTransition(write: Transition): SharedWrite<Transition, ChangeOutcome> {
  return {
    item: () => write,
    keys: () => listKeys(write, write.payment.id),
    bytes: () => write.json.length,
    write: writeTransitions,
  };
}

/**
 * The keys of a write: of two that change the same payment or its charge, or have the same idempotency key, one is
 * refused, which statements for both would not see.
 */
export function listKeys(
  { scope, idempotency }: { scope: Scope; idempotency?: IdempotencyRecord | undefined },
  changedId?: string,
): string[] {
  const keys = changedId === undefined ? [] : [`${scope.accountId} ${changedId}`];
  if (idempotency) keys.push(toKeyId({ scope, idempotency }));
  return keys;
}

/** Writes new payments, with the idempotency keys of their requests and what belongs to them. */
function* writeCreations(
  all: Creation[],
  mayBeWritten: boolean,
): Transaction<(() => WriteOutcome)[]> {
  // The ids were made for these writes, so only they can have stored them.
  const stored = mayBeWritten ? yield* findPayments(all) : undefined;
  const absent = stored ? all.filter((each) => !stored.get(each)) : all;
  const keyed = absent.filter(hasKey);
  const claims = claimKeys(keyed);
  const known = absent.length > 1 ? yield* findTexts(claims) : undefined;
  const written = known
    ? absent.filter((each) => !hasKey(each) || known.has(toKeyId(each)))
    : absent;
  const inserts = insertPayments(written, known ? undefined : keyed[0]?.idempotency);
  const announcements: Statement<number>[] = [];
  for (const { scope, of } of groupByScope(written)) {
    for (const { announcement } of of) if (announcement) announcements.push(announcement);
    inserts.push(
      ...enqueueDeliveries(scope, of),
      ...insertPages(scope, of.filter(hasPage)),
      ...insertCharges(scope, of.filter(hasCharge)),
    );
  }
  const results = yield* commit<(string[] | number)[]>(
    ...(known ? [] : claims),
    ...inserts,
    ...announcements,
  );
  const claimed = known ?? new Set(results.slice(0, claims.length).flat());
  const refused = keyed.filter((each) => !claimed.has(toKeyId(each)));
  if (refused.length === 0) return all.map(() => toWritten);
  const records = yield* findRecords(refused);
  return all.map((each) => () => {
    const { idempotency } = each;
    return idempotency && records.has(each)
      ? toRecordOutcome(records.get(each), idempotency, mayBeWritten)
      : { outcome: "written" };
  });
}

/**
 * Writes payments' next states, with the idempotency keys of their requests. A payment is locked before its first
 * event is written, else two refunds of it could deadlock. One that leaves `pending` may have new search terms: its
 * change is recorded.
 */
function* writeTransitions(
  all: Transition[],
  mayBeWritten: boolean,
): Transaction<(() => ChangeOutcome)[]> {
  const [alone] = all.length === 1 ? all : [];
  const locks = groupByState(all).flatMap(({ scope, from, of }) => lockPayments(scope, from, of));
  const inState = alone ? undefined : yield* findTexts(locks);
  const claims = alone
    ? claimKeyOfPayment(alone)
    : claimKeys(all.filter((each) => inState?.has(each.payment.id)).filter(hasKey));
  const known = alone ? undefined : yield* findTexts(claims);
  const isKnown = ({ scope, payment, idempotency }: Transition) =>
    idempotency ? known?.has(toKeyId({ scope, idempotency })) : inState?.has(payment.id);
  const changes: Statement<number>[] = [];
  for (const { scope, from, of } of groupByState(alone ? all : all.filter(isKnown))) {
    const record = alone?.idempotency;
    changes.push(
      ...storeCreatedEvents(scope, from, of, record),
      ...updatePayments(scope, from, of, record),
      ...recordEvents(scope, of),
    );
    for (const { payment, event, activity = [] } of of)
      for (const each of activity)
        changes.push(insertChangeActivity(scope, payment.id, event.id, each));
    if (from === "pending") changes.push(...insertChanges(scope, of));
  }
  const results = yield* commit<(string[] | number)[]>(
    ...(alone ? [...locks, ...claims] : []),
    ...changes,
  );
  const locked = inState ?? new Set(results.slice(0, locks.length).flat());
  const claimed =
    known ?? new Set(results.slice(locks.length, locks.length + claims.length).flat());
  const isMoved = ({ scope, payment, idempotency }: Transition) =>
    idempotency ? claimed.has(toKeyId({ scope, idempotency })) : locked.has(payment.id);
  const others = all.filter((each) => !isMoved(each));
  if (others.length === 0) return all.map(() => toWritten);
  const records = yield* findRecords(others.filter(hasKey));
  const stored = mayBeWritten
    ? yield* findPayments(others.filter(({ idempotency }) => !idempotency))
    : undefined;
  return all.map((each) => () => {
    if (isMoved(each) || stored?.get(each) === each.json) return { outcome: "written" };
    const record = records.get(each);
    return each.idempotency && (record || locked.has(each.payment.id))
      ? toRecordOutcome(record, each.idempotency, mayBeWritten)
      : { outcome: "conflict" };
  });
}

const toWritten = () => ({ outcome: "written" }) as const;

/** The transitions of one account and mode from one state, in one order. */
function groupByState(all: Transition[]) {
  return groupByScope(all).flatMap(({ scope, of: ofScope }) =>
    [...Map.groupBy(ofScope, ({ from }) => from)].map(([from, of]) => ({ scope, from, of })),
  );
}

/** Runs statements in one round trip; returns the texts of all of them. */
function* findTexts(statements: Statement<string[]>[]): Transaction<Set<string>> {
  if (statements.length === 0) return new Set();
  return new Set((yield* batch<string[][]>(...statements)).flat());
}

type Write = { scope: Scope; payment: Payment; idempotency: IdempotencyRecord | undefined };
type Keyed<W> = W & { idempotency: IdempotencyRecord };

function hasKey<W extends { idempotency: IdempotencyRecord | undefined }>(
  write: W,
): write is Keyed<W> {
  return write.idempotency !== undefined;
}

function hasPage(write: Creation): write is Creation & { page: NewPage } {
  return write.page !== undefined;
}

function hasCharge(write: Creation): write is Creation & { charge: StoredCharge } {
  return write.charge !== undefined;
}

/** Finds the idempotency records of requests. */
function* findRecords<W extends Write>(
  writes: Keyed<W>[],
): Transaction<Map<W, StoredRecord | undefined>> {
  if (writes.length === 0) return new Map();
  const records = yield* batch<(StoredRecord | undefined)[]>(
    ...writes.map(({ scope, idempotency: { key, nowMs } }) =>
      selectIdempotencyRecord(scope, key, nowMs),
    ),
  );
  return new Map(writes.map((each, at) => [each, records[at]]));
}

/** Finds the payments of writes as they are stored. */
function* findPayments<W extends Write>(writes: W[]): Transaction<Map<W, PaymentJson | undefined>> {
  if (writes.length === 0) return new Map();
  const found = yield* batch<(PaymentJson | undefined)[]>(
    ...writes.map(({ scope, payment }) => selectPayment(scope, payment.id)),
  );
  return new Map(writes.map((each, at) => [each, found[at]]));
}
