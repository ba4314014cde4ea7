import type { NewPayment, PaymentStore } from "../ports/payment-store.ts";
import { finish, finishOne, run, together, type Driver } from "./driver.ts";
import { findPage } from "./select-page.ts";
import { listing } from "./listing.ts";
import {
  isAnyChargeDue,
  selectCharge,
  selectElsewhere,
  selectUndecided,
  takeDueCharges,
} from "./sql/charges-sql.ts";
import { claimOpenPage, isAnyExpired, isClaimed, takeExpired } from "./sql/hosted-pages-sql.ts";
import { deleteExpiredRecords, endHold, selectAnswer } from "./sql/idempotency-records-sql.ts";
import { paymentsTable, selectPayment } from "./sql/payments-sql.ts";
import { isAnyDue, postponeSettlement, selectBacklog, takeDue } from "./sql/settlements-sql.ts";
import { ofNextAccounts, takeDueOf, unlessPartLost } from "./take-due.ts";
import {
  chargeMove,
  closing,
  creation,
  keyed,
  pageCharge,
  refundWanted,
  transition,
} from "./writes.ts";

/** What the store keeps of payments, their charges and pages, and of requests with an idempotency key. */
export function paymentStore(driver: Driver): PaymentStore {
  return {
    createPayment: async (make, accountId) => {
      let made: NewPayment | undefined; // when the transaction begins; the same if it is tried again
      return await driver.write((isAgain) => creation((made ??= make()), isAgain), accountId);
    },
    transition: (write) =>
      driver.write((isAgain) => transition(write, isAgain), write.scope.accountId),

    findPayment: (scope, id) => driver.read(() => run(selectPayment(scope, id)), scope.accountId),
    listPayments: (scope, { status, ...range }) =>
      driver.read(() => listing(paymentsTable, scope, range, { status }), scope.accountId),

    findAnswer: (scope, key, nowMs) =>
      driver.read(() => run(selectAnswer(scope, key, nowMs)), scope.accountId),
    endHold: (scope, request) =>
      driver.write(function* () {
        yield* finish(endHold(scope, request));
      }, scope.accountId),
    keepAnswer: (scope, idempotency) =>
      driver.write((isAgain) => keyed(scope, idempotency, [], isAgain), scope.accountId),
    forgetAnswers: (nowMs, limit) =>
      driver.write(() => finishOne(deleteExpiredRecords(nowMs, limit))),

    takeDuePayments: async (due) =>
      takeDueOf(driver, {
        isAny: () => isAnyDue(due.nowMs),
        take: (id) => takeDue(due, id),
        limit: due.limit,
      }),
    postpone: (scope, paymentId, dueAtMs) =>
      driver.write(function* () {
        yield* finish(postponeSettlement(scope, paymentId, dueAtMs));
      }, scope.accountId),

    findCharge: (scope, paymentId) =>
      driver.read(() => run(selectCharge(scope, paymentId)), scope.accountId),
    chargePage: (write) =>
      driver.write((isAgain) => pageCharge(write, isAgain), write.scope.accountId),
    wantRefund: (write) =>
      driver.write((isAgain) => refundWanted(write, isAgain), write.scope.accountId),
    moveCharge: (move) =>
      driver.write((isAgain) => chargeMove(move, isAgain), move.scope.accountId),
    accountsWithDueCharges: async (due, after) => {
      const isAny = driver.read(() => run(isAnyChargeDue(due)));
      if (!(await unlessPartLost(isAny, true))) return { found: [], next: undefined };
      return await ofNextAccounts(driver, after, async (ids) =>
        driver.read(function* () {
          const areDue = yield* together(
            ...ids.map((accountId) => isAnyChargeDue({ ...due, accountId })),
          );
          return ids.filter((_, i) => areDue[i]);
        }),
      );
    },
    takeDueCharges: (due) => driver.write(() => finishOne(takeDueCharges(due)), due.accountId),

    backlog: (nowMs) =>
      driver.read(function* () {
        return { ...(yield* run(selectBacklog(nowMs))), ...(yield* run(selectUndecided(nowMs))) };
      }),
    chargesElsewhere: (network) => driver.read(() => run(selectElsewhere(network))),

    findPage: (token) => findPage(driver, token),
    claimPage: (scope, paymentId, claim) =>
      driver.write(function* (isAgain) {
        const [claimed] = yield* finish(claimOpenPage(scope, paymentId, claim));
        return claimed || (isAgain && (yield* run(isClaimed(scope, paymentId, claim.untilMs))));
      }, scope.accountId),
    closePage: (write) => driver.write((isAgain) => closing(write, isAgain), write.scope.accountId),
    takeExpiredPages: async (due) =>
      takeDueOf(driver, {
        isAny: () => isAnyExpired(due.nowMs),
        take: (id) => takeExpired(due, id),
        limit: due.limit,
      }),
  };
}
