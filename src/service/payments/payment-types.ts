import type { Activity } from "../../contract/administration.ts";
import type { PaymentJson, PaymentStatus } from "../../contract/payment.ts";
import type { Due, NextAccounts } from "../database/due-work.ts";
import type { Listed } from "../database/listing.ts";
import type { Scope } from "../database/scope.ts";
import type {
  ChangeOutcome,
  IdempotencyRecord,
  LockedRequest,
  WriteOutcome,
} from "../idempotency/idempotency-record.ts";
import type { PageRequest } from "../search/payment-search.ts";
import type { EventTimes, NewEvent } from "../webhooks/events-sql.ts";
import type { ChargeState, PendingAction } from "./charge-state.ts";
import type { HostedPage } from "./hosted-page-state.ts";
import type { Payment } from "./payment-state.ts";

/**
 * A charge whose outcome was not known when its payment was written, or whose refund is special. It is stored as long
 * as the payment. `network` is the name of the network that was asked, the only one that knows the charge.
 */
export type StoredCharge = ChargeState & { network: string; begunAtMs: number };

export type DueCharge = { scope: Scope; payment: Payment; charge: StoredCharge };

/**
 * The next state of a charge. `pendingAction` and `reference` stay as they are where they are left out; `attempts`
 * begins again then, and nothing is due.
 */
export type ChargeUpdate = {
  scope: Scope;
  paymentId: string;
  /** The action that was pending; nothing is written where another one is by now. */
  from: PendingAction;
  charge: Partial<ChargeState>;
  /** The next state of its payment, which closes its page. */
  payment?: { next: Payment; from: PaymentStatus; event: NewEvent } | undefined;
  /** The request that waited for it, whose lock is released. */
  request?: LockedRequest | undefined;
};

/**
 * `due` counts pending payments that wait to be settled; `undecided` counts charges, cancellations and refunds that a
 * network has not decided. Ages are those of the oldest, or 0. Counts are capped at 10,000.
 */
export type Backlog = {
  due: number;
  oldestAgeMs: number;
  undecided: number;
  oldestUndecidedAgeMs: number;
};

/** The number of charges that wait for other networks, capped at 10,000, and the name of one of these networks. */
export type NetworkChargeCounts = { count: number; network: string | undefined };

/** Charges of one network, by its name, of an account or of all. */
export type ChargesDue = Due & { accountId?: string; network: string };

/** A new payment, with what is written together with it. */
export type NewPayment = {
  scope: Scope;
  payment: Payment;
  /** Of its first event, whose id is the payment's own with another prefix. */
  event: EventTimes;
  page: NewPage | undefined;
  charge: StoredCharge | undefined;
  idempotency: IdempotencyRecord | undefined;
};

/** The page of a new payment; it is open from now on. */
export type NewPage = Pick<HostedPage, "token" | "returnUrl" | "expiresAtMs">;

/** A page, and its payment as it was at the same moment. */
export type FoundPage = { scope: Scope; payment: Payment; page: HostedPage };

/** The payment of a page that has expired. */
export type ExpiredPage = { scope: Scope; payment: Payment };

export type PaymentStore = {
  /**
   * Writes a new payment with what belongs to it. `make` is called once, as late as possible, so that payments appear
   * in the order of their ids. `accountId` is the account it will belong to.
   */
  createPayment(make: () => NewPayment, accountId?: string): Promise<WriteOutcome>;
  /** Moves a payment on if it still is in `from`; `conflict`: it no longer is, and nothing was written. */
  transition(write: {
    scope: Scope;
    payment: Payment;
    event: NewEvent;
    from: PaymentStatus;
    idempotency: IdempotencyRecord | undefined;
    activity?: readonly Activity[];
  }): Promise<ChangeOutcome>;
  findPayment(scope: Scope, id: string): Promise<PaymentJson | undefined>;
  /** Those that exist, in no order. */
  findPayments(scope: Scope, ids: readonly string[]): Promise<PaymentJson[]>;
  /** A payment, and its charge where it has one, which is read after it. */
  findPaymentWithCharge(
    scope: Scope,
    id: string,
  ): Promise<{ payment: PaymentJson; charge: StoredCharge | undefined } | undefined>;
  listPayments(scope: Scope, page: PageRequest): Promise<Listed<PaymentJson>>;

  findCharge(scope: Scope, paymentId: string): Promise<StoredCharge | undefined>;
  /**
   * Writes the card of a payment by page, with its charge where the outcome is not known yet, else its event. The page
   * is claimed until `untilMs`, or closed. False where it is not open at `nowMs`, is claimed, or its payment was
   * charged before: nothing was written.
   */
  chargePage(write: {
    scope: Scope;
    payment: Payment;
    claim: { nowMs: number; untilMs: number | undefined };
    charge: StoredCharge | undefined;
    event?: NewEvent | undefined;
  }): Promise<boolean>;
  /**
   * Takes the turn to ask the network about a customer who is at the bank; returns the charge. Undefined where the
   * customer no longer is, or another caller asked less than `intervalMs` ago.
   */
  takeChallengeTurn(
    scope: Scope,
    paymentId: string,
    turn: { nowMs: number; intervalMs: number },
  ): Promise<StoredCharge | undefined>;
  /** Requests the refund of a charge of which nothing is pending; `conflict`: something is. */
  requestRefund(write: {
    scope: Scope;
    paymentId: string;
    nowMs: number;
    dueAtMs: number;
    idempotency: IdempotencyRecord | undefined;
    activity?: readonly Activity[];
  }): Promise<ChangeOutcome>;
  /**
   * Writes a charge's outcome. `conflict`: another action is pending by now, and nothing was written.
   * `already_answered`: the outcome was written, but the request had already been answered with its stored response.
   */
  updateCharge(move: ChargeUpdate): Promise<"written" | "already_answered" | "conflict">;
  /** Accounts for which charges of a network are due, in one batch of the accounts after `afterAccount`. */
  findAccountsWithDueCharges(
    due: Pick<ChargesDue, "nowMs" | "network">,
    afterAccount: string,
  ): Promise<NextAccounts<string>>;
  /**
   * Leases due charges, the oldest first. No other caller gets them before `untilMs`, when the replica that leased
   * them counts as gone.
   */
  leaseDueCharges(due: ChargesDue): Promise<DueCharge[]>;

  /** Counts leased rows too. */
  measureBacklog(nowMs: number): Promise<Backlog>;
  countOtherNetworksCharges(network: string): Promise<NetworkChargeCounts>;

  findPage(token: string): Promise<FoundPage | undefined>;
  findPageOfPayment(scope: Scope, paymentId: string): Promise<FoundPage | undefined>;
  /**
   * Closes an open page, writes its payment's next state, and gives up its charge where that has no outcome yet: its
   * cancel is due at `cancelDueAtMs`, by default at once.
   * `conflict`: the page was closed before, or is claimed at `claimableAtMs`; nothing was written.
   */
  closePage(write: {
    scope: Scope;
    payment: Payment;
    event: NewEvent;
    claimableAtMs: number;
    cancelDueAtMs?: number;
    idempotency?: IdempotencyRecord | undefined;
    activity?: readonly Activity[];
  }): Promise<ChangeOutcome>;
  /**
   * Leases open pages of every account that have expired and are not claimed, the oldest first. No other caller gets
   * them before `untilMs`, when the replica that leased them counts as gone.
   */
  leaseExpiredPages(due: Due): Promise<ExpiredPage[]>;
};
