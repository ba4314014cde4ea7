import type { PaymentJson } from "../../contract/payment.ts";
import { selectAccounts } from "../accounts/accounts-store.ts";
import {
  ShardUnavailable,
  batch,
  query,
  readOne,
  writeOne,
  writeShared,
  type Driver,
  type Transaction,
} from "../database/driver.ts";
import { findOfNextAccounts, leaseDue, type Due, type NextAccounts } from "../database/due-work.ts";
import { type Listed, readPage } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import type { ChangeOutcome, WriteOutcome } from "../idempotency/idempotency-store.ts";
import type { GuardedNetwork, LocalNetwork } from "../networks/card-network.ts";
import type { PageRequest } from "../search/payment-terms.ts";
import { createPaymentSearch } from "../search/search-payments.ts";
import { paymentsTable, selectPaymentsByIds } from "../search/search-sql.ts";
import type { WebhooksService } from "../webhooks/webhooks-service.ts";
import {
  isAnyChargeDue,
  leaseDueCharges,
  selectCharge,
  selectDue,
  selectElsewhereCounts,
  selectUndecided,
  takeChallengeTurn,
  type Backlog,
  type ChargeUpdate,
  type ChargesDue,
  type DueCharge,
  type NetworkChargeCounts,
  type StoredCharge,
} from "./charges-sql.ts";
import { toTokenPrefix } from "./hosted-page-state.ts";
import {
  type ExpiredPage,
  type FoundPage,
  isAnyPageExpired,
  leaseExpiredPages,
  selectByToken,
  selectPageOfPayment,
  selectPayment,
} from "./payments-sql.ts";
import {
  shareChargeUpdate,
  shareRefundRequest,
  writePageCharge,
  writePageClosing,
  type PageCharge,
  type PageClosing,
  type RefundRequest,
  type UpdateOutcome,
} from "./write-charges.ts";
import {
  shareCreation,
  shareTransition,
  withJson,
  type Creation,
  type NewPayment,
  type PaymentTransition,
} from "./write-payments.ts";

export type PaymentStore = ReturnType<typeof createPaymentStore>;

/** `abandoned`: the customer did not come back in time; `canceled`: the customer canceled the payment meanwhile. */
export const challengeOutcomes = [
  "begun",
  "approved",
  "declined",
  "abandoned",
  "canceled",
] as const;

export type ChallengeOutcome = (typeof challengeOutcomes)[number];

/** The service, as use cases of payments take it. */
export type PaymentsService = WebhooksService & {
  store: PaymentStore;
  networkOf: (scope: Pick<Scope, "livemode">) => LocalNetwork | GuardedNetwork;
  /** Decides live payments while no network is attached. */
  simulator: LocalNetwork;
  /** Called when a bank begins to ask a customer, and once with the end of that. */
  observeChallenge?: ((outcome: ChallengeOutcome) => void) | undefined;
  /** How long a request waits: 10 s for a network's answer, and 10 s for a refund, by default. */
  timeouts?: { networkMs?: number; refundMs?: number } | undefined;
};

export function createPaymentStore(driver: Driver) {
  const search = createPaymentSearch(driver);
  return {
    /**
     * Writes a new payment with what belongs to it. `make` is called once, as late as possible, so that payments appear
     * in the order of their ids. `accountId` is the account it will belong to. The search gets the payment before its
     * write is sent, and learns the outcome.
     */
    createPayment: (make: () => NewPayment, accountId?: string): Promise<WriteOutcome> => {
      let made: Creation | undefined; // when the transaction begins; a retry has the same
      const item = () => (made ??= search.begin(make()));
      return search.follow(writeShared(driver, shareCreation(item), accountId), () => made);
    },
    /** Moves a payment on if it still is in `from`; `conflict`: it no longer is, and nothing was written. */
    transition: async (change: PaymentTransition): Promise<ChangeOutcome> =>
      writeShared(driver, shareTransition(withJson(change)), change.scope.accountId),

    findPayment: (scope: Scope, id: string): Promise<PaymentJson | undefined> =>
      readOne(driver, selectPayment(scope, id), scope.accountId),
    /** Those that exist, in no order. */
    findPayments: async (scope: Scope, ids: readonly string[]): Promise<PaymentJson[]> =>
      driver.read(function* () {
        return (yield* batch(...selectPaymentsByIds(scope, [...ids]))).flat();
      }, scope.accountId),
    /** A payment, and its charge where it has one, which is read after it. */
    findPaymentWithCharge: async (
      scope: Scope,
      id: string,
    ): Promise<{ payment: PaymentJson; charge: StoredCharge | undefined } | undefined> =>
      driver.read(() => readPaymentWithCharge(scope, id), scope.accountId),
    listPayments: (
      scope: Scope,
      { statuses, filter, ...range }: PageRequest,
    ): Promise<Listed<PaymentJson>> =>
      filter
        ? search.findPage(scope, { ...range, statuses, filter })
        : driver.read(
            () => readPage(paymentsTable, scope, range, { status: statuses }),
            scope.accountId,
          ),

    findCharge: async (scope: Scope, paymentId: string): Promise<StoredCharge | undefined> =>
      readOne(driver, selectCharge(scope, paymentId), scope.accountId),
    /**
     * Writes the card of a payment by page, with its charge where the outcome is not known yet, else its event. False
     * where the page is not open at `nowMs`, is claimed, or its payment was charged before: nothing was written.
     */
    chargePage: async (write: PageCharge): Promise<boolean> =>
      driver.write((mayBeWritten) => writePageCharge(write, mayBeWritten), write.scope.accountId),
    /**
     * Takes the turn to ask the network about a customer who is at the bank; returns the charge. Undefined where the
     * customer no longer is, or another caller asked less than `intervalMs` ago.
     */
    takeChallengeTurn: async (
      scope: Scope,
      paymentId: string,
      turn: { nowMs: number; intervalMs: number },
    ): Promise<StoredCharge | undefined> =>
      writeOne(driver, takeChallengeTurn(scope, paymentId, turn), scope.accountId),
    /** Requests the refund of a charge of which nothing is pending; `conflict`: something is. */
    requestRefund: async (write: RefundRequest): Promise<ChangeOutcome> =>
      writeShared(driver, shareRefundRequest(write), write.scope.accountId),
    /** Writes a charge's outcome. */
    updateCharge: async (move: ChargeUpdate): Promise<UpdateOutcome> =>
      writeShared(driver, shareChargeUpdate(move), move.scope.accountId),
    /** Accounts for which charges of a network are due, in one batch of the accounts after `afterAccount`. */
    findAccountsWithDueCharges: async (
      due: Pick<ChargesDue, "nowMs" | "network">,
      afterAccount: string,
    ): Promise<NextAccounts<string>> => {
      if (!(await readOne(driver, isAnyChargeDue(due)))) return { found: [], next: undefined };
      return await findOfNextAccounts(driver, afterAccount, async (ids) =>
        driver.read(function* () {
          const areDue = yield* batch(
            ...ids.map((accountId) => isAnyChargeDue({ ...due, accountId })),
          );
          return ids.filter((_, i) => areDue[i]);
        }),
      );
    },
    /**
     * Leases due charges, the oldest first. No other caller gets them before `untilMs`, when the replica that leased
     * them counts as gone.
     */
    leaseDueCharges: async ({ accountId, ...due }: ChargesDue): Promise<DueCharge[]> =>
      accountId === undefined
        ? await leaseDue(driver, isAnyChargeDue(due), leaseDueCharges(due))
        : await writeOne(driver, leaseDueCharges(due, accountId), accountId),

    /** Counts leased rows too. */
    measureBacklog: async (nowMs: number): Promise<Backlog> =>
      driver.read(function* () {
        return { ...(yield* query(selectDue(nowMs))), ...(yield* query(selectUndecided(nowMs))) };
      }),
    countOtherNetworksCharges: async (network: string): Promise<NetworkChargeCounts> =>
      readOne(driver, selectElsewhereCounts(network)),

    /**
     * Finds the page with a token among the pages of all accounts. Where a shard of the database is unavailable, only
     * the accounts that the token may belong to are searched, so that pages on other shards still open.
     */
    findPage: async (token: string): Promise<FoundPage | undefined> => {
      try {
        return await driver.read(() => query(selectByToken(token)));
      } catch (error) {
        if (!(error instanceof ShardUnavailable)) throw error;
        const accounts = await driver.read(() => query(selectAccounts()));
        for (const { id } of accounts.filter((each) => token.startsWith(toTokenPrefix(each.id)))) {
          const found = await driver.read(() => query(selectByToken(token, id)));
          if (found) return found;
        }
        throw error; // the page may be on the unavailable shard
      }
    },
    findPageOfPayment: async (scope: Scope, paymentId: string): Promise<FoundPage | undefined> =>
      readOne(driver, selectPageOfPayment(scope, paymentId), scope.accountId),
    /**
     * Closes an open page, writes its payment's next state, and gives up its charge where that has no outcome yet.
     * `conflict`: the page was closed before, or is claimed at `claimableAtMs`; nothing was written.
     */
    closePage: async (write: PageClosing): Promise<ChangeOutcome> =>
      driver.write((mayBeWritten) => writePageClosing(write, mayBeWritten), write.scope.accountId),
    /**
     * Leases open pages of every account that have expired and are not claimed, the oldest first. No other caller gets
     * them before `untilMs`, when the replica that leased them counts as gone.
     */
    leaseExpiredPages: async (due: Due): Promise<ExpiredPage[]> =>
      leaseDue(driver, isAnyPageExpired(due.nowMs), leaseExpiredPages(due)),
  };
}

function* readPaymentWithCharge(
  scope: Scope,
  id: string,
): Transaction<{ payment: PaymentJson; charge: StoredCharge | undefined } | undefined> {
  const [payment, charge] = yield* batch(selectPayment(scope, id), selectCharge(scope, id));
  return payment === undefined ? undefined : { payment, charge };
}
