import type { Activity } from "./activity.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import type { HostedPage } from "../domain/hosted-page.ts";
import type { ChargeState, PendingAction } from "../domain/charge-state.ts";
import type { Payment, ProcessingPayment } from "../domain/payment-state.ts";
import type { EventTimes, NewEvent, NextAccounts } from "./event-store.ts";
import type { Listed, Range } from "../domain/list-range.ts";
import type {
  ChangeOutcome,
  LockedRequest,
  IdempotencyRecord,
  StoredRecord,
  Scope,
  WriteOutcome,
} from "./idempotency-record.ts";

/**
 * A charge whose outcome was not known when its payment was written, and kept as long as that: `network` is the name
 * of the one that was asked, which alone knows of it.
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
  /** What was pending; where something else is by now, nothing is written. */
  from: PendingAction;
  charge: Partial<ChargeState>;
  /** What becomes of its payment, which ends its page. */
  payment?: { next: Payment; from: PaymentStatus; event: NewEvent } | undefined;
  /** The request that waited for it, whose lock is released. */
  request?: LockedRequest | undefined;
};

/** A part of a list of payments. */
export type PageRequest = Range & { status: PaymentStatus | undefined };

/**
 * A payment as the API answers it, in JSON. It is stored and read in this form, so that
 * most answers are bytes that pass through.
 */
export type PaymentJson = string;

/**
 * How many pending payments wait to be settled, and for how long the longest waiting one has; how many
 * charges, cancellations and refunds a network has not decided, and how long ago the oldest charge of them was
 * begun, or refund requested. Counts are 10,000 at the most, ages 0 where there is none.
 */
export type Backlog = {
  due: number;
  oldestAgeMs: number;
  undecided: number;
  oldestUndecidedAgeMs: number;
};

/** How many charges wait for another network than one, 10,000 at the most, and the name of such a network. */
export type NetworkChargeCounts = { count: number; network: string | undefined };

/** What is due at `nowMs` is leased until `untilMs`, at most `limit` of it. */
export type Due = { nowMs: number; untilMs: number; limit: number };
/** The same of the charges of one network, by its name, of an account or of all. */
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

/** What the store keeps of payments, their charges and pages, and of requests with an idempotency key. */
export type PaymentStore = {
  /**
   * Writes a new payment with what belongs to it. `make` is called once, as late as can be: so little
   * time lies between the making of an id and the moment when the payment is seen. `accountId` says before that whose
   * it will be.
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
  listPayments(scope: Scope, page: PageRequest): Promise<Listed<PaymentJson>>;

  findStoredResponse(scope: Scope, key: string, nowMs: number): Promise<StoredRecord | undefined>;
  /** Ends the hold on a request's record, with its answer where that is known by now. */
  releaseLock(scope: Scope, request: LockedRequest): Promise<void>;
  /** Writes a request's record, and nothing else. */
  storeResponse(scope: Scope, idempotency: IdempotencyRecord | undefined): Promise<WriteOutcome>;
  /** Forgets up to `limit` idempotency records that have expired; answers how many. */
  purgeIdempotencyRecords(nowMs: number, limit: number): Promise<number>;

  findCharge(scope: Scope, paymentId: string): Promise<StoredCharge | undefined>;
  /**
   * Writes the charge of a payment by page, with the card that was taken, and claims the page until
   * `untilMs`; false where it is not open, or claimed.
   */
  chargePage(write: {
    scope: Scope;
    payment: ProcessingPayment;
    claim: { nowMs: number; untilMs: number };
    charge: StoredCharge;
  }): Promise<boolean>;
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
   * Writes a charge's outcome; `conflict`: something else is pending by now, and nothing was written; `already_answered`: it
   * was written, but the request has been answered meanwhile with what its record said before.
   */
  updateCharge(move: ChargeUpdate): Promise<"written" | "already_answered" | "conflict">;
  /**
   * Accounts for which charges of a network are due, of those after one, as many as are looked at together.
   */
  findAccountsWithDueCharges(
    due: Pick<ChargesDue, "nowMs" | "network">,
    afterAccount: string,
  ): Promise<NextAccounts<string>>;
  /**
   * Charges that a network is to be asked about, those that have waited longest. No other caller is given them
   * before `untilMs`, when the one that leased them counts as gone.
   */
  leaseDueCharges(due: ChargesDue): Promise<DueCharge[]>;

  /** What is due or undecided, leased or not. */
  measureBacklog(nowMs: number): Promise<Backlog>;
  /** What a service that is attached to `network` leaves undecided. */
  countOtherNetworksCharges(network: string): Promise<NetworkChargeCounts>;

  findPage(token: string): Promise<FoundPage | undefined>;
  /** Whether the page is this claim's until `untilMs`: it is open, and no other claim lasts. */
  claimPage(
    scope: Scope,
    paymentId: string,
    claim: { nowMs: number; untilMs: number },
  ): Promise<boolean>;
  /**
   * Closes an open page for good, together with what becomes of its payment, and its event where that has
   * come to be in another state; `conflict`: it was closed before, and nothing was written. With `claimableAtMs`
   * a claim that lasts at that time wins too.
   */
  closePage(write: {
    scope: Scope;
    payment: Payment;
    event: NewEvent | undefined;
    charge: StoredCharge | undefined;
    claimableAtMs: number | undefined;
  }): Promise<"written" | "conflict">;
  /**
   * Open pages, of every account, that have expired and are not claimed; the oldest first. No other caller is
   * given them before `untilMs`, when the one that leased them counts as gone.
   */
  leaseExpiredPages(due: Due): Promise<FoundPage[]>;
};
