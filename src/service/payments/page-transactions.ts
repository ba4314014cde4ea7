import type { ChangeOutcome } from "../idempotency/idempotency-record.ts";
import type { PaymentStore } from "./payment-types.ts";
import { batch, commit, query, type Transaction } from "../database/driver.ts";
import { toRecordOutcome } from "../idempotency/idempotent-writes.ts";
import { changePayment, isWritten } from "./payment-transactions.ts";
import { giveUpCharge, insertChangeActivity, insertCharge } from "./charges-sql.ts";
import { recordEvent } from "../webhooks/events-sql.ts";
import {
  claimOpenPage,
  closeOpenPage,
  closePayablePage,
  isClaimed,
  lockOpenPage,
  lockPage,
} from "./hosted-pages-sql.ts";
import { claimKey, selectIdempotencyRecord } from "../idempotency/idempotency-records-sql.ts";
import { insertChange } from "../search/search-index-sql.ts";

// Writes of payment pages, which payment-transactions.ts explains. A page is locked before its charge is written.

/** Closes a page, writes its payment's next state, and gives up its charge, with the idempotency key of the request. */
export function* writePageClosing(
  { scope, payment, event, claimableAtMs, cancelDueAtMs, idempotency, activity = [] }: PageClosing,
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
    giveUpCharge(scope, payment.id, cancelDueAtMs ?? 0),
    ...recordEvent(scope, payment.id, event),
    ...activity.map((each) => insertChangeActivity(scope, change, each)),
    insertChange(scope, payment.id),
  );
  return { outcome: "written" };
}

type PageClosing = Parameters<PaymentStore["closePage"]>[0];

/** Claims or closes a page, and writes its payment with its card and charge. */
export function* writePageCharge(
  { scope, payment, claim, charge, event }: Parameters<PaymentStore["chargePage"]>[0],
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
    // Two requests of one millisecond have claims that end alike, but not with the same card.
    if (!(yield* isWritten(scope, payment))) return false;
    return untilMs === undefined || (yield* query(isClaimed(scope, payment.id, untilMs)));
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

const notPending = "The payment of an open page is not pending.";
const isCharged = "The payment of an open page has a charge.";
