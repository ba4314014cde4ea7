import type { NewPayment, PaymentStore } from "./payment-types.ts";
import { batch, query, readOne, writeOne, type Driver } from "../database/driver.ts";
import { paymentsTable, selectPaymentsByIds } from "../search/search-sql.ts";
import { searchPayments } from "../search/search-payments.ts";
import { findPage } from "./select-page.ts";
import { readPage } from "../database/listing.ts";
import { selectDue, selectElsewhereCounts, selectUndecided } from "./charge-backlog-sql.ts";
import { isAnyChargeDue, selectCharge, leaseDueCharges, takeChallengeTurn } from "./charges-sql.ts";
import { isAnyPageExpired, leaseExpiredPages, selectPageOfPayment } from "./hosted-pages-sql.ts";
import { selectPayment } from "./payments-sql.ts";
import { findOfNextAccounts, leaseDue } from "../database/due-work.ts";
import { writeChargeUpdate, writeRefundRequest } from "./charge-transactions.ts";
import { writePageCharge, writePageClosing } from "./page-transactions.ts";
import { withJson, writeCreation, writeTransition, type WithJson } from "./payment-transactions.ts";
import { shareChange, shareCreation, shareTransition } from "./write-many.ts";

export function createPaymentStore(driver: Driver): PaymentStore {
  return {
    createPayment: async (make, accountId) => {
      let made: WithJson<NewPayment> | undefined; // when the transaction begins; a retry has the same
      const item = () => (made ??= withJson(make()));
      return await driver.write(
        (isRetry) => writeCreation(item(), isRetry),
        accountId,
        shareCreation(item),
      );
    },
    transition: async (change) => {
      const write = withJson(change);
      return await driver.write(
        (isRetry) => writeTransition(write, isRetry),
        write.scope.accountId,
        shareTransition(write),
      );
    },

    findPayment: (scope, id) => readOne(driver, selectPayment(scope, id), scope.accountId),
    findPayments: (scope, ids) =>
      driver.read(function* () {
        return (yield* batch(...selectPaymentsByIds(scope, [...ids]))).flat();
      }, scope.accountId),
    findPaymentWithCharge: async (scope, id) =>
      driver.read(function* () {
        const [payment, charge] = yield* batch(selectPayment(scope, id), selectCharge(scope, id));
        return payment === undefined ? undefined : { payment, charge };
      }, scope.accountId),
    listPayments: async (scope, { status, filter, ...range }) =>
      filter
        ? await searchPayments(driver, scope, { ...range, status, filter })
        : await driver.read(
            () => readPage(paymentsTable, scope, range, { status }),
            scope.accountId,
          ),

    findCharge: (scope, paymentId) =>
      readOne(driver, selectCharge(scope, paymentId), scope.accountId),
    chargePage: (write) =>
      driver.write((isRetry) => writePageCharge(write, isRetry), write.scope.accountId),
    takeChallengeTurn: (scope, paymentId, turn) =>
      writeOne(driver, takeChallengeTurn(scope, paymentId, turn), scope.accountId),
    requestRefund: (write) =>
      driver.write(
        (isRetry) => writeRefundRequest(write, isRetry),
        write.scope.accountId,
        shareChange(write),
      ),
    updateCharge: (move) =>
      driver.write(
        (isRetry) => writeChargeUpdate(move, isRetry),
        move.scope.accountId,
        shareChange(move),
      ),
    findAccountsWithDueCharges: async (due, after) => {
      if (!(await readOne(driver, isAnyChargeDue(due)))) return { found: [], next: undefined };
      return await findOfNextAccounts(driver, after, async (ids) =>
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
        ? await leaseDue(driver, isAnyChargeDue(due), leaseDueCharges(due))
        : await writeOne(driver, leaseDueCharges(due, accountId), accountId),

    measureBacklog: (nowMs) =>
      driver.read(function* () {
        return { ...(yield* query(selectDue(nowMs))), ...(yield* query(selectUndecided(nowMs))) };
      }),
    countOtherNetworksCharges: (network) => readOne(driver, selectElsewhereCounts(network)),

    findPage: (token) => findPage(driver, token),
    findPageOfPayment: (scope, paymentId) =>
      readOne(driver, selectPageOfPayment(scope, paymentId), scope.accountId),
    closePage: (write) =>
      driver.write((isRetry) => writePageClosing(write, isRetry), write.scope.accountId),
    leaseExpiredPages: async (due) =>
      leaseDue(driver, isAnyPageExpired(due.nowMs), leaseExpiredPages(due)),
  };
}
