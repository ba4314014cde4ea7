import type { Payment } from "../domain/payment-state.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { NewEvent } from "../ports/event-store.ts";
import type {
  ChangeOutcome,
  IdempotencyRecord,
  StoredRecord,
  Scope,
  WriteOutcome,
} from "../ports/idempotency-record.ts";
import type { ChargeUpdate, NewPayment } from "../ports/payment-store.ts";
import type { Store } from "../ports/ports.ts";
import { commit, query, batch, type Statement, type Transaction } from "./driver.ts";
import { insertChangeActivity, insertRefundActivity } from "./sql/activity-sql.ts";
import {
  giveUpCharge,
  insertCharge,
  lockCharge,
  updateCharge,
  requestRefundSql,
} from "./sql/charges-sql.ts";
import {
  claimOpenPage,
  closeOpenPage,
  closePayablePage,
  endClaim,
  insertPage,
  isClaimed,
  lockOpenPage,
  lockPage,
} from "./sql/hosted-pages-sql.ts";
import { claimKey, releaseLock, selectIdempotencyRecord } from "./sql/idempotency-records-sql.ts";
import { storeCreatedEvent, enqueueCreatedEvent, recordEvent } from "./sql/events-sql.ts";
import { insertChange } from "./sql/search-changes-sql.ts";
import { insertPayment, lockPayment, selectPayment, updatePayment } from "./sql/payments-sql.ts";

// Writes of payments and charges. Where one is a single round trip, its later statements do nothing if the first one
// did nothing. `isRetry`: the connection was lost during the commit of an earlier attempt, so rows that are found may
// be its own. A payment that leaves `pending`, or gets a card, may have new search terms: its change is recorded.

/** Writes a new payment, with the idempotency key of the request and what belongs to it. */
export function* writeCreation(
  { scope, payment, event, page, charge, idempotency }: NewPayment,
  isRetry: boolean,
): Transaction<WriteOutcome> {
  // The id was made for this write, so only this write can have stored it.
  if (isRetry && (yield* query(selectPayment(scope, payment.id)))) return { outcome: "written" };
  const related = [enqueueCreatedEvent(scope, payment.id, event)];
  if (page) related.push(insertPage(scope, payment.id, page));
  if (charge) related.push(insertCharge(scope, payment.id, charge));
  if (!idempotency) {
    yield* commit(insertPayment(scope, payment), ...related);
    return { outcome: "written" };
  }
  const [claimed] = yield* commit(
    claimKey(scope, idempotency),
    insertPayment(scope, payment, idempotency),
    ...related,
  );
  if (claimed) return { outcome: "written" };
  const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
  return toRecordOutcome(record, idempotency, isRetry);
}

/** Writes a payment's next state, with the idempotency key of the request. */
export function* writeTransition(
  { scope, payment, event, from, idempotency, activity = [] }: Parameters<Store["transition"]>[0],
  isRetry: boolean,
): Transaction<ChangeOutcome> {
  const change = { paymentId: payment.id, eventId: event.id };
  const related = [
    ...recordEvent(scope, payment.id, event),
    ...activity.map((each) => insertChangeActivity(scope, change, each)),
    ...(from === "pending" ? [insertChange(scope, payment.id)] : []),
  ];
  if (!idempotency) {
    const [, moved] = yield* commit(
      storeCreatedEvent(scope, payment.id, from),
      updatePayment(scope, payment, from, event),
      ...related,
    );
    const isDone = moved || (isRetry && (yield* isWritten(scope, payment)));
    return { outcome: isDone ? "written" : "conflict" };
  }
  const [isInState, claimed] = yield* commit(
    lockPayment(scope, payment.id, from),
    claimKey(scope, idempotency, { id: payment.id, from }),
    storeCreatedEvent(scope, payment.id, from, idempotency),
    updatePayment(scope, payment, from, event, idempotency),
    ...related,
  );
  if (claimed) return { outcome: "written" };
  const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
  return record || isInState
    ? toRecordOutcome(record, idempotency, isRetry)
    : { outcome: "conflict" };
}

/** Closes a page, writes its payment's next state, and gives up its charge, with the idempotency key of the request. */
export function* writePageClosing(
  { scope, payment, event, claimableAtMs, idempotency, activity = [] }: PageClosing,
  isRetry: boolean,
): Transaction<ChangeOutcome> {
  // With a key the page is locked before it is closed: if the key was used before, nothing is written.
  const takePage = idempotency ? lockOpenPage : closeOpenPage;
  const isOpen = yield* query(takePage(scope, payment.id, claimableAtMs));
  if (idempotency && !(isOpen && (yield* query(claimKey(scope, idempotency))))) {
    const { key, nowMs } = idempotency;
    const record = yield* query(selectIdempotencyRecord(scope, key, nowMs));
    return isOpen || record
      ? toRecordOutcome(record, idempotency, isRetry)
      : { outcome: "conflict" };
  }
  if (!isOpen) {
    const isDone = isRetry && (yield* isWritten(scope, payment));
    return { outcome: isDone ? "written" : "conflict" };
  }
  if (!(yield* changePayment(scope, payment, "pending", event))) throw new Error(notPending);
  const change = { paymentId: payment.id, eventId: event.id };
  yield* commit(
    ...(idempotency ? [closeOpenPage(scope, payment.id, claimableAtMs)] : []),
    giveUpCharge(scope, payment.id),
    ...recordEvent(scope, payment.id, event),
    ...activity.map((each) => insertChangeActivity(scope, change, each)),
    insertChange(scope, payment.id),
  );
  return { outcome: "written" };
}

type PageClosing = Parameters<Store["closePage"]>[0];

/** Claims or closes a page, and writes its payment with its card and charge. */
export function* writePageCharge(
  { scope, payment, claim, charge, event }: Parameters<Store["chargePage"]>[0],
  isRetry: boolean,
): Transaction<boolean> {
  const { nowMs, untilMs } = claim;
  // The lock first: a statement that waits for another one would not see the charge which that has written.
  const [, isOurs] = yield* batch(
    lockPage(scope, payment.id),
    untilMs === undefined
      ? closePayablePage(scope, payment.id, nowMs)
      : claimOpenPage(scope, payment.id, { nowMs, untilMs }),
  );
  if (!isOurs) {
    if (!isRetry) return false;
    if (untilMs === undefined) return yield* isWritten(scope, payment);
    return yield* query(isClaimed(scope, payment.id, untilMs));
  }
  if (charge && !(yield* query(insertCharge(scope, payment.id, charge))))
    throw new Error(isCharged);
  if (!(yield* changePayment(scope, payment, "pending", event))) throw new Error(notPending);
  yield* commit(
    ...(event ? recordEvent(scope, payment.id, event) : []),
    insertChange(scope, payment.id),
  );
  return true;
}

/** Requests a refund, with the idempotency key of the request. */
export function* writeRefundRequest(
  { scope, paymentId, idempotency, activity = [], ...times }: Parameters<Store["requestRefund"]>[0],
  isRetry: boolean,
): Transaction<ChangeOutcome> {
  const statements = [
    ...(activity.length > 0 ? [lockCharge(scope, paymentId)] : []),
    ...activity.map((each) => insertRefundActivity(scope, paymentId, each, idempotency)),
    requestRefundSql(scope, paymentId, times, idempotency),
  ];
  if (!idempotency) {
    const isRequested = (yield* commit(...statements)).at(-1);
    return { outcome: isRequested ? "written" : "conflict" };
  }
  const [claimed, ...changes] = yield* commit(
    claimKey(scope, idempotency, { id: paymentId, from: "succeeded" }),
    ...statements,
  );
  if (claimed) return { outcome: changes.at(-1) ? "written" : "conflict" };
  const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
  return record ? toRecordOutcome(record, idempotency, isRetry) : { outcome: "conflict" };
}

/** Writes a charge's outcome, with its payment's next state and the response of its request. */
export function* writeChargeUpdate(
  move: ChargeUpdate,
  isRetry: boolean,
): Transaction<"written" | "already_answered" | "conflict"> {
  const { scope, paymentId, payment, request } = move;
  if (!(yield* updateChargeOfPage(move))) {
    if (!isRetry || !payment || !(yield* isWritten(scope, payment.next))) return "conflict";
    const record = request && (yield* query(selectIdempotencyRecord(scope, request.key, 0))); // also an expired one
    return record?.response.body === request?.response?.body ? "written" : "already_answered";
  }
  const related: Statement<boolean>[] = [];
  if (payment) {
    const { next, from, event } = payment;
    const hasMoved = yield* changePayment(scope, next, from, event);
    // While the charge was being canceled, its payment may have ended.
    if (!hasMoved && move.from !== "cancel")
      throw new Error("A charge's payment has changed without it.");
    related.push(
      closeOpenPage(scope, paymentId, undefined),
      ...recordEvent(scope, paymentId, event),
      ...(from === "pending" ? [insertChange(scope, paymentId)] : []),
    );
  }
  if (!request) {
    yield* commit(...related);
    return "written";
  }
  const [isReleased] = yield* commit(releaseLock(scope, request), ...related);
  return isReleased ? "written" : "already_answered";
}

/**
 * Updates a charge. If that closes a page, or ends its claim, the page is locked first, as in every other transaction,
 * or two could deadlock.
 */
function* updateChargeOfPage(move: ChargeUpdate): Transaction<boolean> {
  const { scope, paymentId, charge, payment } = move;
  if (!payment && !charge.challengeUrl) return yield* query(updateCharge(move));
  const ofPage = payment ? lockPage(scope, paymentId) : endClaim(scope, paymentId);
  const [, hasMoved] = yield* batch(ofPage, updateCharge(move));
  return hasMoved;
}

/** Updates a payment if it still is in `from`, and writes its first event; returns whether it did. */
function* changePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
  event: NewEvent | undefined,
): Transaction<boolean> {
  const change = updatePayment(scope, payment, from, event);
  const [, hasMoved] = yield* batch(storeCreatedEvent(scope, payment.id, from), change);
  return hasMoved;
}

const notPending = "The payment of an open page is not pending.";
const isCharged = "The payment of an open page has a charge.";

function* isWritten(scope: Scope, payment: Payment): Transaction<boolean> {
  return (yield* query(selectPayment(scope, payment.id))) === JSON.stringify(payment);
}

/** Another request has changed the rows that a write depends on; nothing is written. */
export class Conflict extends Error {}

/** Runs statements, with the idempotency key of their request; throws `Conflict` where one of them changes nothing. */
export function* withIdempotency(
  scope: Scope,
  idempotency: IdempotencyRecord | undefined,
  statements: Statement<boolean>[],
  isRetry: boolean,
): Transaction<WriteOutcome> {
  if (idempotency && !(yield* query(claimKey(scope, idempotency)))) {
    const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
    return toRecordOutcome(record, idempotency, isRetry);
  }
  for (const statement of statements) if (!(yield* query(statement))) throw new Conflict();
  return { outcome: "written" };
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
