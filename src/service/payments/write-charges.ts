import type { Activity } from "../../contract/administration.ts";
import { insertChangeActivity } from "../accounts/accounts-store.ts";
import {
  type SharedWrite,
  type Statement,
  type Transaction,
  batch,
  commit,
  mergeTransactions,
  query,
} from "../database/driver.ts";
import type { Scope } from "../database/scope.ts";
import {
  type ChangeOutcome,
  type IdempotencyRecord,
  claimKey,
  claimKeyOfPayment,
  releaseLock,
  selectIdempotencyRecord,
  toRecordOutcome,
} from "../idempotency/idempotency-store.ts";
import { insertChanges } from "../search/search-index-sql.ts";
import { type NewEvent, storeCreatedEvents } from "../webhooks/events-sql.ts";
import { recordEvents } from "../webhooks/queue-deliveries-sql.ts";
import {
  giveUpCharge,
  insertCharges,
  insertRefundActivities,
  lockCharge,
  requestRefundSql,
  updateCharge,
  type ChargeUpdate,
  type StoredCharge,
} from "./charges-sql.ts";
import {
  claimOpenPage,
  closeOpenPage,
  closePayablePage,
  endClaim,
  isClaimed,
  lockOpenPage,
  lockPage,
  selectPayment,
  updatePayments,
} from "./payments-sql.ts";
import type { Payment } from "./payment-state.ts";
import { listKeys, withJson } from "./write-payments.ts";

// Writes of charges and of payment pages, with their payments. A page is locked before its charge is written, as in
// every other transaction, or two could deadlock. A payment that leaves `pending`, or gets a card, may have new search
// terms: its change is recorded. `mayBeWritten`: the connection was lost during the commit of an earlier attempt, so
// rows that are found may be its own.

/** The request of a refund of a charge of which nothing is pending. */
export type RefundRequest = {
  scope: Scope;
  paymentId: string;
  nowMs: number;
  dueAtMs: number;
  idempotency: IdempotencyRecord | undefined;
  activity?: readonly Activity[];
};

export function shareRefundRequest(
  request: RefundRequest,
): SharedWrite<RefundRequest, ChangeOutcome> {
  return { ...shareChange(request), write: writeRefundRequests };
}

export function shareChargeUpdate(move: ChargeUpdate): SharedWrite<ChargeUpdate, UpdateOutcome> {
  return { ...shareChange(move), write: writeChargeUpdates };
}

/** A change of a charge is small: its size is guessed. */
function shareChange<
  C extends { scope: Scope; paymentId: string; idempotency?: IdempotencyRecord | undefined },
>(change: C) {
  const keys = () => listKeys(change, change.paymentId);
  return { item: () => change, keys, bytes: () => 1024 };
}

/** The statements of each request are sent beside those of the others. */
function writeRefundRequests(
  all: RefundRequest[],
  mayBeWritten: boolean,
): Transaction<(() => ChangeOutcome)[]> {
  return mergeTransactions(all.map((each) => writeRefundRequest(each, mayBeWritten)));
}

function writeChargeUpdates(
  all: ChargeUpdate[],
  mayBeWritten: boolean,
): Transaction<(() => UpdateOutcome)[]> {
  return mergeTransactions(all.map((each) => writeChargeUpdate(each, mayBeWritten)));
}

/** Requests a refund, with the idempotency key of the request. */
function* writeRefundRequest(
  { scope, paymentId, idempotency, activity = [], ...times }: RefundRequest,
  mayBeWritten: boolean,
): Transaction<ChangeOutcome> {
  const payment = { id: paymentId };
  const claims = claimKeyOfPayment({ scope, payment, from: "succeeded", idempotency });
  // The lock first: a statement that waits for another refund's would not see that the payment is refunded by then.
  const [, ...results] = yield* commit<(string[] | number | boolean)[]>(
    lockCharge(scope, paymentId),
    ...claims,
    ...insertRefundActivities(scope, paymentId, activity, idempotency),
    requestRefundSql(scope, paymentId, times, idempotency),
  );
  if (idempotency && results.slice(0, claims.length).flat().length === 0) {
    const { key, nowMs } = idempotency;
    const record = yield* query(selectIdempotencyRecord(scope, key, nowMs));
    return record ? toRecordOutcome(record, idempotency, mayBeWritten) : { outcome: "conflict" };
  }
  return { outcome: results.at(-1) ? "written" : "conflict" };
}

/**
 * `conflict`: another action is pending by now, and nothing was written. `already_answered`: the outcome was written,
 * but the request had already been answered with its stored response.
 */
export type UpdateOutcome = "written" | "already_answered" | "conflict";

/** Writes a charge's outcome, with its payment's next state and the response of its request. */
function* writeChargeUpdate(move: ChargeUpdate, mayBeWritten: boolean): Transaction<UpdateOutcome> {
  const { scope, paymentId, payment, request } = move;
  if (!(yield* updateChargeOfPage(move))) {
    if (!mayBeWritten || !payment || !(yield* isWritten(scope, payment.next))) return "conflict";
    const record = request && (yield* query(selectIdempotencyRecord(scope, request.key, 0))); // also an expired one
    return record?.response.body === request?.response?.body ? "written" : "already_answered";
  }
  const related: Statement<boolean | number>[] = [];
  if (payment) {
    const { next, from, event } = payment;
    const hasMoved = yield* changePayment(scope, next, from, event);
    // While the charge was being canceled, its payment may have ended.
    if (!hasMoved && move.from !== "cancel")
      throw new Error("A charge's payment has changed without it.");
    related.push(
      closeOpenPage(scope, paymentId, undefined),
      ...recordEvents(scope, [{ payment: next, event }]),
      ...(from === "pending" ? insertChanges(scope, [{ payment: next }]) : []),
    );
  }
  if (!request) {
    yield* commit(...related);
    return "written";
  }
  const [isReleased] = yield* commit<(boolean | number)[]>(releaseLock(scope, request), ...related);
  return isReleased ? "written" : "already_answered";
}

/** Updates a charge. If that closes a page, or ends its claim, the page is locked first. */
function* updateChargeOfPage(move: ChargeUpdate): Transaction<boolean> {
  const { scope, paymentId, charge, payment } = move;
  if (!payment && !charge.challengeUrl) return yield* query(updateCharge(move));
  const ofPage = payment ? lockPage(scope, paymentId) : endClaim(scope, paymentId);
  const [, hasMoved] = yield* batch(ofPage, updateCharge(move));
  return hasMoved;
}

/** The card of a payment by page; the page is claimed until `untilMs`, or closed. */
export type PageCharge = {
  scope: Scope;
  payment: Payment;
  claim: { nowMs: number; untilMs: number | undefined };
  charge: StoredCharge | undefined;
  event?: NewEvent | undefined;
};

/** Claims or closes a page, and writes its payment with its card and charge. */
export function* writePageCharge(
  { scope, payment, claim, charge, event }: PageCharge,
  mayBeWritten: boolean,
): Transaction<boolean> {
  const { nowMs, untilMs } = claim;
  const paymentId = payment.id;
  // The lock first: a statement that waits for another one would not see the charge which that has written.
  const [, isOurs] = yield* batch(
    lockPage(scope, paymentId),
    untilMs === undefined
      ? closePayablePage(scope, paymentId, nowMs)
      : claimOpenPage(scope, paymentId, { nowMs, untilMs }),
  );
  if (!isOurs) {
    if (!mayBeWritten) return false;
    // Two requests of one millisecond have claims that end alike, but not with the same card.
    if (!(yield* isWritten(scope, payment))) return false;
    return untilMs === undefined || (yield* query(isClaimed(scope, paymentId, untilMs)));
  }
  const counts = yield* batch<number[]>(
    ...insertCharges(scope, charge ? [{ payment, charge }] : []),
  );
  if (counts.includes(0)) throw new Error("The payment of an open page has a charge.");
  if (!(yield* changePayment(scope, payment, "pending", event))) throw new Error(notPending);
  yield* commit(
    ...(event ? recordEvents(scope, [{ payment, event }]) : []),
    ...insertChanges(scope, [{ payment }]),
  );
  return true;
}

/** The end of an open page; its charge's cancel is due at `cancelDueAtMs`, by default at once. */
export type PageClosing = {
  scope: Scope;
  payment: Payment;
  event: NewEvent;
  claimableAtMs: number;
  cancelDueAtMs?: number;
  idempotency?: IdempotencyRecord | undefined;
  activity?: readonly Activity[];
};

/** Closes a page, writes its payment's next state, and gives up its charge, with the idempotency key of the request. */
export function* writePageClosing(
  { scope, payment, event, claimableAtMs, cancelDueAtMs, idempotency, activity = [] }: PageClosing,
  mayBeWritten: boolean,
): Transaction<ChangeOutcome> {
  const paymentId = payment.id;
  // With a key the page is locked before it is closed: if the key was used before, nothing is written.
  const takePage = idempotency ? lockOpenPage : closeOpenPage;
  const isOpen = yield* query(takePage(scope, paymentId, claimableAtMs));
  if (idempotency && !(isOpen && (yield* claimKey(scope, idempotency)))) {
    const { key, nowMs } = idempotency;
    const record = yield* query(selectIdempotencyRecord(scope, key, nowMs));
    return isOpen || record
      ? toRecordOutcome(record, idempotency, mayBeWritten)
      : { outcome: "conflict" };
  }
  if (!isOpen) {
    const isDone = mayBeWritten && (yield* isWritten(scope, payment));
    return { outcome: isDone ? "written" : "conflict" };
  }
  if (!(yield* changePayment(scope, payment, "pending", event))) throw new Error(notPending);
  yield* commit<unknown[]>(
    ...(idempotency ? [closeOpenPage(scope, paymentId, claimableAtMs)] : []),
    giveUpCharge(scope, paymentId, cancelDueAtMs ?? 0),
    ...recordEvents(scope, [{ payment, event }]),
    ...activity.map((each) => insertChangeActivity(scope, paymentId, event.id, each)),
    ...insertChanges(scope, [{ payment }]),
  );
  return { outcome: "written" };
}

const notPending = "The payment of an open page is not pending.";

/** Updates a payment if it still is in `from`, and writes its first event; returns whether it did. */
function* changePayment(
  scope: Scope,
  payment: Payment,
  from: Payment["status"],
  event: NewEvent | undefined,
): Transaction<boolean> {
  const counts = yield* batch<number[]>(
    ...storeCreatedEvents(scope, from, [{ payment }]),
    ...updatePayments(scope, from, [withJson({ scope, payment, event })]),
  );
  return counts.at(-1) === 1;
}

/** Whether a payment is stored as it was to be written. */
function* isWritten(scope: Scope, payment: Payment): Transaction<boolean> {
  return (yield* query(selectPayment(scope, payment.id))) === JSON.stringify(payment);
}
