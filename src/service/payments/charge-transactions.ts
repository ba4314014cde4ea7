import type { ChangeOutcome } from "../idempotency/idempotency-record.ts";
import type { ChargeUpdate, PaymentStore } from "./payment-types.ts";
import { batch, commit, query, type Statement, type Transaction } from "../database/driver.ts";
import { toRecordOutcome } from "../idempotency/idempotent-writes.ts";
import { changePayment, isWritten } from "./payment-transactions.ts";
import { insertRefundActivity, lockCharge, requestRefundSql, updateCharge } from "./charges-sql.ts";
import { recordEvent } from "../webhooks/events-sql.ts";
import { closeOpenPage, endClaim, lockPage } from "./hosted-pages-sql.ts";
import {
  claimKey,
  releaseLock,
  selectIdempotencyRecord,
} from "../idempotency/idempotency-records-sql.ts";
import { insertChange } from "../search/search-index-sql.ts";

// Writes of charges and refunds, which payment-transactions.ts explains.

/** Requests a refund, with the idempotency key of the request. */
export function* writeRefundRequest(
  {
    scope,
    paymentId,
    idempotency,
    activity = [],
    ...times
  }: Parameters<PaymentStore["requestRefund"]>[0],
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
