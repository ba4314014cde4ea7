import { randomBytes } from "node:crypto";
import { newestVersion } from "../contract/version.ts";
import type { Page, PageRequest, Store } from "../service/ports.ts";
import type { Driver } from "./driver.ts";
import { knownVersion, migrate, schemaVersion } from "./migrate.ts";
import { insertAccount, selectAccount } from "./sql/accounts.ts";
import { expireKey, insertKey, revokeKey, selectKeyByHash, selectKeys } from "./sql/api-keys.ts";
import {
  claimOpenPage,
  closeOpenPage,
  endClaim,
  insertPage,
  selectByToken,
  selectExpired,
} from "./sql/hosted-pages.ts";
import {
  claimKey,
  deleteExpiredRecords,
  deleteRecord,
  selectAnswer,
} from "./sql/idempotency-records.ts";
import { insertPayment, selectPage, selectPayment, updatePayment } from "./sql/payments.ts";
import {
  deleteSettlement,
  insertSettlement,
  postponeSettlement,
  selectBacklog,
  selectDue,
} from "./sql/settlements.ts";

/** A database holds one account; its id is the same in each, so that two processes make the same one. */
const accountId = "acct_1";

const notPending = "The payment of an open page is not pending.";

/** The store over a driver, its schema brought up to date. */
export async function openStore(driver: Driver): Promise<Store> {
  await migrate(driver);
  const known = knownVersion();
  return {
    createPayment: async ({ scope, payment, settlement, page, idempotency }) =>
      driver.write(function* () {
        if (idempotency) {
          const claim = yield* claimKey(scope, idempotency);
          if (claim.outcome !== "written") return claim;
        }
        yield* insertPayment(scope, payment);
        if (settlement) yield* insertSettlement(scope, payment.id, settlement);
        if (page) yield* insertPage(scope, payment.id, page);
        return { outcome: "written" };
      }),

    transition: async ({ scope, payment, from, idempotency }) =>
      driver.write(function* () {
        if (idempotency) {
          const claim = yield* claimKey(scope, idempotency);
          if (claim.outcome !== "written") return claim;
        }
        const moved = yield* updatePayment(scope, payment, from);
        if (moved) {
          if (from === "pending") yield* deleteSettlement(scope, payment.id);
          return { outcome: "written" };
        }
        if (idempotency) yield* deleteRecord(scope, idempotency.key);
        return { outcome: "lost" };
      }),

    findPayment: async (scope, id) => driver.read(() => selectPayment(scope, id)),
    listPayments: async (scope, page) =>
      driver.read(function* () {
        // One more than asked for tells whether there are more.
        const payments = yield* selectPage(scope, { ...page, limit: page.limit + 1 });
        return pageOf(payments, page);
      }),

    findAnswer: async (scope, key, nowMs) => driver.read(() => selectAnswer(scope, key, nowMs)),
    forgetAnswers: async (nowMs, limit) => driver.write(() => deleteExpiredRecords(nowMs, limit)),

    duePayments: async (nowMs, limit) => driver.read(() => selectDue(nowMs, limit)),
    postpone: async (scope, paymentId, dueAtMs) =>
      driver.write(() => postponeSettlement(scope, paymentId, dueAtMs)),

    backlog: async (nowMs) => driver.read(() => selectBacklog(nowMs)),
    isCurrent: async () => (await driver.read(schemaVersion)) >= known,

    findPage: async (token) => driver.read(() => selectByToken(token)),
    claimPage: async (scope, paymentId, claim) =>
      driver.write(() => claimOpenPage(scope, paymentId, claim)),
    releasePage: async (scope, paymentId, claimedUntilMs) =>
      driver.write(() => endClaim(scope, paymentId, claimedUntilMs)),
    closePage: async ({ scope, payment, settlement, unclaimedAtMs }) =>
      driver.write(function* () {
        if (!(yield* closeOpenPage(scope, payment.id, unclaimedAtMs))) return "lost";
        if (!(yield* updatePayment(scope, payment, "pending"))) throw new Error(notPending);
        if (settlement) yield* insertSettlement(scope, payment.id, settlement);
        return "written";
      }),
    expiredPages: async (nowMs, limit) => driver.read(() => selectExpired(nowMs, limit)),

    account: async () => {
      const account = await driver.read(() => selectAccount(accountId));
      if (account) return account;
      const fresh = {
        id: accountId,
        defaultVersion: newestVersion,
        fingerprintSecret: randomBytes(32).toString("base64url"),
      };
      return await driver.write(function* () {
        yield* insertAccount(fresh, Math.floor(Date.now() / 1000));
        return (yield* selectAccount(accountId)) ?? fresh;
      });
    },
    findAccount: async (id) => driver.read(() => selectAccount(id)),
    insertKey: async (key) => driver.write(() => insertKey(key)),
    findKey: async (hash) => driver.read(() => selectKeyByHash(hash)),
    listKeys: async (id) => driver.read(() => selectKeys(id)),
    rollKey: async (id, successor, expiresAt) =>
      driver.write(function* () {
        const expired = yield* expireKey(successor.accountId, id, expiresAt);
        if (expired) yield* insertKey(successor);
        return expired;
      }),
    revokeKey: async (id, keyId, revokedAt) => driver.write(() => revokeKey(id, keyId, revokedAt)),
    close: async () => driver.close(),
  };
}

function pageOf(payments: Page["payments"], page: PageRequest): Page {
  const found = payments.slice(0, page.limit);
  return {
    payments: page.direction === "forward" ? found : found.toReversed(),
    hasMore: payments.length > page.limit,
  };
}
