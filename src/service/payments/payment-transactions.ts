import type { Payment } from "./payment-state.ts";
import {
  type NewEvent,
  enqueueCreatedEvent,
  recordEvent,
  storeCreatedEvent,
} from "../webhooks/events-sql.ts";
import type { Scope } from "../database/scope.ts";
import type { ChangeOutcome, WriteOutcome } from "../idempotency/idempotency-record.ts";
import type { PaymentJson } from "../../contract/payment.ts";
import type { NewPayment, PaymentStore } from "./payment-types.ts";
import { batch, commit, query, type Transaction } from "../database/driver.ts";
import { toRecordOutcome } from "../idempotency/idempotent-writes.ts";
import { insertChangeActivity, insertCharge } from "./charges-sql.ts";
import { insertPage } from "./hosted-pages-sql.ts";
import { claimKey, selectIdempotencyRecord } from "../idempotency/idempotency-records-sql.ts";
import { insertPayment, lockPayment, selectPayment, updatePayment } from "./payments-sql.ts";
import { insertChange } from "../search/search-index-sql.ts";

// Writes of payments and charges. Where one is a single round trip, its later statements do nothing if the first one
// did nothing. `isRetry`: the connection was lost during the commit of an earlier attempt, so rows that are found may
// be its own. A payment that leaves `pending`, or gets a card, may have new search terms: its change is recorded. A
// payment is locked before its first event is written, as in groups: else two refunds of it could deadlock.

/** A write of a payment, with its JSON. */
export type WithJson<T> = T & { json: PaymentJson };

export function withJson<T extends { payment: Payment }>(write: T): WithJson<T> {
  return { ...write, json: JSON.stringify(write.payment) };
}

/** Writes a new payment, with the idempotency key of the request and what belongs to it. */
export function* writeCreation(
  write: WithJson<NewPayment>,
  isRetry: boolean,
): Transaction<WriteOutcome> {
  const { scope, payment, event, page, charge, idempotency } = write;
  // The id was made for this write, so only this write can have stored it.
  if (isRetry && (yield* query(selectPayment(scope, payment.id)))) return { outcome: "written" };
  const related = [enqueueCreatedEvent(scope, payment.id, event)];
  if (page) related.push(insertPage(scope, payment.id, page));
  if (charge) related.push(insertCharge(scope, payment.id, charge));
  if (!idempotency) {
    yield* commit(insertPayment(write), ...related);
    return { outcome: "written" };
  }
  const [claimed] = yield* commit(
    claimKey(scope, idempotency),
    insertPayment(write, idempotency),
    ...related,
  );
  if (claimed) return { outcome: "written" };
  const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
  return toRecordOutcome(record, idempotency, isRetry);
}

/** Writes a payment's next state, with the idempotency key of the request. */
export function* writeTransition(
  write: WithJson<Parameters<PaymentStore["transition"]>[0]>,
  isRetry: boolean,
): Transaction<ChangeOutcome> {
  const { scope, payment, event, from, idempotency, activity = [] } = write;
  const change = { paymentId: payment.id, eventId: event.id };
  const related = [
    ...recordEvent(scope, payment.id, event),
    ...activity.map((each) => insertChangeActivity(scope, change, each)),
    ...(from === "pending" ? [insertChange(scope, payment.id)] : []),
  ];
  if (!idempotency) {
    const [, , moved] = yield* commit(
      lockPayment(scope, payment.id, from),
      storeCreatedEvent(scope, payment.id, from),
      updatePayment(write, from, event),
      ...related,
    );
    const isDone = moved || (isRetry && (yield* isWritten(scope, payment)));
    return { outcome: isDone ? "written" : "conflict" };
  }
  const [isInState, claimed] = yield* commit(
    lockPayment(scope, payment.id, from),
    claimKey(scope, idempotency, { id: payment.id, from }),
    storeCreatedEvent(scope, payment.id, from, idempotency),
    updatePayment(write, from, event, idempotency),
    ...related,
  );
  if (claimed) return { outcome: "written" };
  const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
  return record || isInState
    ? toRecordOutcome(record, idempotency, isRetry)
    : { outcome: "conflict" };
}

/** Updates a payment if it still is in `from`, and writes its first event; returns whether it did. */
export function* changePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
  event: NewEvent | undefined,
): Transaction<boolean> {
  const change = updatePayment(withJson({ scope, payment }), from, event);
  const [, hasMoved] = yield* batch(storeCreatedEvent(scope, payment.id, from), change);
  return hasMoved;
}

/** Whether a payment is stored as it was to be written. */
export function* isWritten(scope: Scope, payment: Payment): Transaction<boolean> {
  return (yield* query(selectPayment(scope, payment.id))) === JSON.stringify(payment);
}
