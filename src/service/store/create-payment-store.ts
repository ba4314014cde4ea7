import type { NewPayment, PaymentStore } from "../ports/payment-store.ts";
import { commitUnless, commitOne, run, batch, type Driver } from "./driver.ts";
import { findPage } from "./select-page.ts";
import { createListing } from "./listing.ts";
import {
  isAnyChargeDue,
  selectCharge,
  selectDue,
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
      return await driver.write((isAgain) => writeCreation((made ??= make()), isAgain), accountId);
    },
    transition: (write) =>
      driver.write((isAgain) => writeTransition(write, isAgain), write.scope.accountId),

    findPayment: (scope, id) => driver.read(() => run(selectPayment(scope, id)), scope.accountId),
    listPayments: (scope, { status, ...range }) =>
      driver.read(() => createListing(paymentsTable, scope, range, { status }), scope.accountId),

    findStoredResponse: (scope, key, nowMs) =>
      driver.read(() => run(selectIdempotencyRecord(scope, key, nowMs)), scope.accountId),
    releaseLock: (scope, request) =>
      driver.write(function* () {
        yield* commitUnless(releaseLock(scope, request));
      }, scope.accountId),
    storeResponse: (scope, idempotency) =>
      driver.write((isAgain) => withIdempotency(scope, idempotency, [], isAgain), scope.accountId),
    purgeIdempotencyRecords: (nowMs, limit) =>
      driver.write(() => commitOne(deleteExpiredRecords(nowMs, limit))),

    findCharge: (scope, paymentId) =>
      driver.read(() => run(selectCharge(scope, paymentId)), scope.accountId),
    chargePage: (write) =>
      driver.write((isAgain) => writePageCharge(write, isAgain), write.scope.accountId),
    requestRefund: (write) =>
      driver.write((isAgain) => writeRefundRequest(write, isAgain), write.scope.accountId),
    updateCharge: (move) =>
      driver.write((isAgain) => writeChargeMove(move, isAgain), move.scope.accountId),
    findAccountsWithDueCharges: async (due, after) => {
      const isAny = driver.read(() => run(isAnyChargeDue(due)));
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
    leaseDueCharges: async ({ accountId, ...due }) =>
      accountId === undefined
        ? await leaseDueOf(driver, {
            isAny: () => isAnyChargeDue(due),
            take: (id) => leaseDueCharges(due, id),
            limit: due.limit,
          })
        : await driver.write(() => commitOne(leaseDueCharges(due, accountId)), accountId),

    measureBacklog: (nowMs) =>
      driver.read(function* () {
        return { ...(yield* run(selectDue(nowMs))), ...(yield* run(selectUndecided(nowMs))) };
      }),
    countOtherNetworksCharges: (network) => driver.read(() => run(selectElsewhereCounts(network))),

    findPage: (token) => findPage(driver, token),
    claimPage: (scope, paymentId, claim) =>
      driver.write(function* (isAgain) {
        const [claimed] = yield* commitUnless(claimOpenPage(scope, paymentId, claim));
        return claimed || (isAgain && (yield* run(isClaimed(scope, paymentId, claim.untilMs))));
      }, scope.accountId),
    closePage: (write) =>
      driver.write((isAgain) => writePageClosing(write, isAgain), write.scope.accountId),
    leaseExpiredPages: async (due) =>
      leaseDueOf(driver, {
        isAny: () => isAnyExpired(due.nowMs),
        take: (id) => takeExpired(due, id),
        limit: due.limit,
      }),
  };
}
