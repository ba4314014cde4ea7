import type { NewPayment, PaymentStore } from "../ports/payment-store.ts";
import { commit, commitOne, query, batch, type Driver } from "./driver.ts";
import { findPage } from "./select-page.ts";
import { createListing } from "./listing.ts";
import {
  isAnyChargeDue,
  selectCharge,
  selectElsewhereCounts,
  selectUndecided,
  leaseDueCharges,
} from "./sql/charges-sql.ts";
import { claimOpenPage, isAnyExpired, isClaimed, takeExpired } from "./sql/hosted-pages-sql.ts";
import {
  deleteExpiredRecords,
  releaseLock,
  selectIdempotencyRecord,
} from "./sql/idempotency-records-sql.ts";
import { paymentsTable, selectPayment } from "./sql/payments-sql.ts";
import { isAnyDue, postponeSettlement, selectBacklog, takeDue } from "./sql/settlements-sql.ts";
import { ofNextAccounts, leaseDueOf, unlessShardUnavailable } from "./take-due.ts";
import {
  writeChargeMove,
  writePageClosing,
  writeCreation,
  withIdempotency,
  writePageCharge,
  writeRefundRequest,
  writeTransition,
} from "./writes.ts";

/** What the store keeps of payments, their charges and pages, and of requests with an idempotency key. */
export function createPaymentStore(driver: Driver): PaymentStore {
  return {
    createPayment: async (make, accountId) => {
      let made: NewPayment | undefined; // when the transaction begins; the same if it is tried again
      return await driver.write((isRetry) => writeCreation((made ??= make()), isRetry), accountId);
    },
    transition: (write) =>
      driver.write((isRetry) => writeTransition(write, isRetry), write.scope.accountId),

    findPayment: (scope, id) => driver.read(() => query(selectPayment(scope, id)), scope.accountId),
    listPayments: (scope, { status, ...range }) =>
      driver.read(() => createListing(paymentsTable, scope, range, { status }), scope.accountId),

    findStoredResponse: (scope, key, nowMs) =>
      driver.read(() => query(selectIdempotencyRecord(scope, key, nowMs)), scope.accountId),
    releaseLock: (scope, request) =>
      driver.write(function* () {
        yield* commit(releaseLock(scope, request));
      }, scope.accountId),
    storeResponse: (scope, idempotency) =>
      driver.write((isRetry) => withIdempotency(scope, idempotency, [], isRetry), scope.accountId),
    purgeIdempotencyRecords: (nowMs, limit) =>
      driver.write(() => commitOne(deleteExpiredRecords(nowMs, limit))),

    leaseDuePayments: async (due) =>
      leaseDueOf(driver, {
        isAny: () => isAnyDue(due.nowMs),
        take: (id) => takeDue(due, id),
        limit: due.limit,
      }),
    postpone: (scope, paymentId, dueAtMs) =>
      driver.write(function* () {
        yield* commit(postponeSettlement(scope, paymentId, dueAtMs));
      }, scope.accountId),

    findCharge: (scope, paymentId) =>
      driver.read(() => query(selectCharge(scope, paymentId)), scope.accountId),
    chargePage: (write) =>
      driver.write((isRetry) => writePageCharge(write, isRetry), write.scope.accountId),
    requestRefund: (write) =>
      driver.write((isRetry) => writeRefundRequest(write, isRetry), write.scope.accountId),
    updateCharge: (move) =>
      driver.write((isRetry) => writeChargeMove(move, isRetry), move.scope.accountId),
    findAccountsWithDueCharges: async (due, after) => {
      const isAny = driver.read(() => query(isAnyChargeDue(due)));
      if (!(await unlessShardUnavailable(isAny, true))) return { found: [], next: undefined };
      return await ofNextAccounts(driver, after, async (ids) =>
        driver.read(function* () {
          const areDue = yield* batch(
            ...ids.map((accountId) => isAnyChargeDue({ ...due, accountId })),
          );
          return ids.filter((_, i) => areDue[i]);
        }),
      );
    },
    leaseDueCharges: (due) => driver.write(() => commitOne(leaseDueCharges(due)), due.accountId),

    measureBacklog: (nowMs) =>
      driver.read(function* () {
        return {
          ...(yield* query(selectBacklog(nowMs))),
          ...(yield* query(selectUndecided(nowMs))),
        };
      }),
    countOtherNetworksCharges: (network) =>
      driver.read(() => query(selectElsewhereCounts(network))),

    findPage: (token) => findPage(driver, token),
    claimPage: (scope, paymentId, claim) =>
      driver.write(function* (isRetry) {
        const [claimed] = yield* commit(claimOpenPage(scope, paymentId, claim));
        return claimed || (isRetry && (yield* query(isClaimed(scope, paymentId, claim.untilMs))));
      }, scope.accountId),
    closePage: (write) =>
      driver.write((isRetry) => writePageClosing(write, isRetry), write.scope.accountId),
    leaseExpiredPages: async (due) =>
      leaseDueOf(driver, {
        isAny: () => isAnyExpired(due.nowMs),
        take: (id) => takeExpired(due, id),
        limit: due.limit,
      }),
  };
}
