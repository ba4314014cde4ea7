import type { StoredAccount } from "../use-cases/account-store.ts";
import type { NewPayment } from "../use-cases/payment-store.ts";
import type { Store } from "../use-cases/ports.ts";
import { finish, finishOne, run, type Driver } from "./driver.ts";
import { eventStore } from "./event-store.ts";
import { operatorStore } from "./operator-store.ts";
import { isCurrent, migrate, requireSchema } from "./migrate.ts";
import { insertAccount, renameAccount, selectAccount, selectAccounts } from "./sql/accounts.ts";
import {
  isAnyChargeDue,
  selectCharge,
  selectElsewhere,
  selectUndecided,
  takeDueCharges,
} from "./sql/charges.ts";
import { insertActivity } from "./sql/activity.ts";
import {
  expireKey,
  insertKey,
  noteKeyUse,
  revokeKey,
  selectKey,
  selectKeyByHash,
  selectKeys,
} from "./sql/api-keys.ts";
import { isClaimed, claimOpenPage, takeExpired, isAnyExpired } from "./sql/hosted-pages.ts";
import { deleteExpiredRecords, endHold, selectAnswer } from "./sql/idempotency-records.ts";
import { paymentsTable, selectPayment } from "./sql/payments.ts";
import { isAnyDue, postponeSettlement, selectBacklog, takeDue } from "./sql/settlements.ts";
import { listing } from "./listing.ts";
import { findPage } from "./find-page.ts";
import { takeDueOf } from "./take-due.ts";
import { totalsStore } from "./totals-store.ts";
import {
  chargeMove,
  closing,
  creation,
  keyed,
  pageCharge,
  refundWanted,
  transition,
} from "./writes.ts";

/**
 * The store over a driver, its schema brought up to date; a new database begins with the account `first`.
 * Without `migrates` only an empty database gets a schema, and one that is older is refused.
 */
export async function openStore(
  driver: Driver,
  first: StoredAccount,
  { migrates = true } = {},
): Promise<Store> {
  await (migrates ? migrate : requireSchema)(driver, first);
  return {
    ...eventStore(driver),
    ...operatorStore(driver),
    ...totalsStore(driver),
    createPayment: async (make) => {
      let made: NewPayment | undefined; // when the transaction begins; the same if it is tried again
      return await driver.write((isAgain) => creation((made ??= make()), isAgain));
    },
    transition: (write) => driver.write((isAgain) => transition(write, isAgain)),

    findPayment: (scope, id) => driver.read(() => run(selectPayment(scope, id))),
    listPayments: (scope, { status, ...range }) =>
      driver.read(() => listing(paymentsTable, scope, range, { status })),

    findAnswer: (scope, key, nowMs) => driver.read(() => run(selectAnswer(scope, key, nowMs))),
    endHold: (scope, request) =>
      driver.write(function* () {
        yield* finish(endHold(scope, request));
      }),
    keepAnswer: (scope, idempotency) =>
      driver.write((isAgain) => keyed(scope, idempotency, [], isAgain)),
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
      }),

    findCharge: (scope, paymentId) => driver.read(() => run(selectCharge(scope, paymentId))),
    chargePage: (write) => driver.write((isAgain) => pageCharge(write, isAgain)),
    wantRefund: (write) => driver.write((isAgain) => refundWanted(write, isAgain)),
    moveCharge: (move) => driver.write((isAgain) => chargeMove(move, isAgain)),
    takeDueCharges: async (due) =>
      takeDueOf(driver, {
        isAny: () => isAnyChargeDue(due),
        take: (id) => takeDueCharges(due, id),
        limit: due.limit,
      }),

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
      }),
    closePage: (write) => driver.write((isAgain) => closing(write, isAgain)),
    takeExpiredPages: async (due) =>
      takeDueOf(driver, {
        isAny: () => isAnyExpired(due.nowMs),
        take: (id) => takeExpired(due, id),
        limit: due.limit,
      }),

    insertAccount: (account, activity = []) =>
      driver.write(function* () {
        yield* finish(insertAccount(account), ...activity.map(insertActivity));
      }),
    findAccount: (id) => driver.read(() => run(selectAccount(id))),
    listAccounts: () => driver.read(() => run(selectAccounts())),
    renameAccount: (id, name, activity = []) =>
      driver.write(function* () {
        const renamed = yield* run(renameAccount(id, name));
        if (renamed) yield* finish(...activity.map(insertActivity));
        return renamed;
      }),
    insertKey: (key, activity = []) =>
      driver.write(function* () {
        yield* finish(insertKey(key), ...activity.map(insertActivity));
      }),
    findKey: (hash) => driver.read(() => run(selectKeyByHash(hash))),
    listKeys: (accountId) => driver.read(() => run(selectKeys(accountId))),
    rollKey: (id, successor, expiresAt, activity = []) =>
      driver.write(function* () {
        const expired = yield* run(expireKey(successor.key.account, id, expiresAt));
        if (expired) yield* finish(insertKey(successor), ...activity.map(insertActivity));
        return expired;
      }),
    revokeKey: (accountId, id, revokedAt, activity = []) =>
      driver.write(function* () {
        const isRevoked = yield* run(revokeKey(accountId, id, revokedAt));
        const [key] = yield* finish(
          selectKey(accountId, id),
          ...(isRevoked ? activity.map(insertActivity) : []),
        );
        return key;
      }),
    noteKeyUses: (uses) =>
      driver.write(function* () {
        // In one order, so that no two replicas wait for each other.
        const inOrder = uses.toSorted((one, other) => (one.id < other.id ? -1 : 1));
        yield* finish(...inOrder.map(noteKeyUse));
      }),
    isCurrent: async () => isCurrent(driver),
    close: () => driver.close(),
  };
}
