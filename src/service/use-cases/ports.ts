import type { Account } from "../../contract/account.ts";
import type { Activity, Actor } from "../../contract/activity.ts";
import type { ApiKey } from "../../contract/key.ts";
import type { Version } from "../../contract/headers.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import type { HostedPage } from "../domain/hosted-page.ts";
import type { Payment, PendingPayment, ProcessingPayment } from "../domain/payment.ts";
import type {
  HeldRequest,
  IdempotencyRecord,
  KeptRecord,
  Scope,
  WriteOutcome,
} from "./kept-answers.ts";
import type { GuardedNetwork, LocalNetwork } from "./card-network.ts";
import type { EventStore, EventTimes, Listed, NewEvent, Range } from "./event-store.ts";
import type { OperatorStore, StoredSession } from "./operator-store.ts";
import type { TotalsStore } from "./totals-store.ts";

export {
  unanswered,
  type HeldRequest,
  type IdempotencyRecord,
  type KeptAnswer,
  type KeptRecord,
  type Scope,
  type WriteOutcome,
} from "./kept-answers.ts";

/** Unix time in milliseconds. */
type Clock = () => number;

export type Ids = {
  /** `pay_` and a UUIDv7; each is greater than the one before. */
  payment: () => string;
  /** `evt_` and a UUIDv7; each is greater than the one before. */
  event: () => string;
  /** `del_` and a UUIDv7. */
  delivery: () => string;
  /** `we_` and a UUIDv7 of which the last ten digits are random. */
  endpoint: () => string;
  /** `whsec_` and 32 random bytes in base64. */
  webhookSecret: () => string;
  /** `acct_` and a UUIDv7. */
  account: () => string;
  /** `key_` and a UUIDv7. */
  apiKey: () => string;
  /** `op_` and a UUIDv7. */
  operator: () => string;
  /** `act_` and a UUIDv7; each is greater than the one before. */
  activity: () => string;
  /** A UUID, unlike any other; no secret. */
  unique: () => string;
  /** Base62 characters from a cryptographic source. */
  secret: (length: number) => string;
};

/** How many base62 characters hold 256 bits. */
export const secretLength = 43;

// The store

/** What a network is asked for next about a charge; `nothing` where its outcome is known. */
export type Wanted = "charge" | "cancel" | "refund" | "nothing";

/**
 * A charge of a network that moves money: written before it is asked, and kept as long as its payment.
 * `network` is the name of that one, which alone knows of it.
 * `dueAtMs`: when it is to be asked next, if whoever asks now tells nothing; null where nothing is wanted.
 */
export type StoredCharge = {
  network: string;
  wanted: Wanted;
  reference: string | null;
  begunAtMs: number;
  /** How often an answer was not to be had in a row. */
  tries: number;
  dueAtMs: number | null;
};
export type DueCharge = { scope: Scope; payment: Payment; charge: StoredCharge };

/**
 * What has become of what was wanted of a charge. `wanted` and `reference` stay as they are where they are
 * left out; `tries` begins again then, and nothing is due.
 */
export type ChargeMove = {
  scope: Scope;
  paymentId: string;
  /** What was wanted; where it no longer is, nothing is written. */
  from: Wanted;
  charge: Partial<Omit<StoredCharge, "network" | "begunAtMs">>;
  /** What becomes of its payment, which ends its page. */
  payment?: { next: Payment; from: PaymentStatus; event: NewEvent } | undefined;
  /** The request that asked for it, which is held no longer. */
  request?: HeldRequest | undefined;
};

/** A part of a list of payments. */
export type PageRequest = Range & { status: PaymentStatus | undefined };

/**
 * A payment as the API answers it, in JSON. It is kept in this form and read back in it, so that
 * most answers are bytes that pass through.
 */
export type PaymentJson = string;

export type DuePayment = { scope: Scope; payment: PendingPayment; reference: string };

/**
 * How many pending payments wait to be settled, and for how long the longest waiting one has; how many
 * charges, cancellations and refunds a network has not decided, and how long ago the oldest charge of them was
 * begun, or refund wanted. Counts are 10,000 at the most, ages 0 where there is none.
 */
export type Backlog = {
  due: number;
  oldestAgeMs: number;
  undecided: number;
  oldestUndecidedAgeMs: number;
};

/** How many charges wait for another network than one, 10,000 at the most, and the name of such a network. */
export type ChargesElsewhere = { count: number; network: string | undefined };

/** What a card network is asked, and when, about a payment that it is still processing. */
export type Settlement = { reference: string; dueAtMs: number };

/** What is due at `nowMs` is taken until `untilMs`, at most `limit` of it. */
export type Due = { nowMs: number; untilMs: number; limit: number };
/** The same of the charges of one network, by its name. */
export type ChargesDue = Due & { network: string };

/** A new payment, with what is written together with it. */
export type NewPayment = {
  scope: Scope;
  payment: Payment;
  /** Of its first event, whose id is the payment's own with another prefix. */
  event: EventTimes;
  settlement: Settlement | undefined;
  page: NewPage | undefined;
  charge: StoredCharge | undefined;
  idempotency: IdempotencyRecord | undefined;
};

/** The page of a new payment; it is open from now on. */
export type NewPage = Pick<HostedPage, "token" | "returnUrl" | "expiresAtMs">;

/** A page, and its payment as it was at the same moment. */
export type FoundPage = { scope: Scope; payment: Payment; page: HostedPage };

/** A key as it is stored: by the SHA-256 of its text, in hexadecimal. */
export type StoredKey = { hash: string; key: ApiKey };

/** When a key was used last, in Unix seconds. */
export type KeyUse = Pick<ApiKey, "account" | "id"> & { usedAt: number };

/** `fingerprintSecret` keys the HMAC that tells whether two requests are the same. */
export type StoredAccount = { account: Account; fingerprintSecret: string };

/**
 * Every method is one atomic read or write; writes are on disk when their promise resolves. `activity` tells who
 * did it, and is written where it was done.
 */
export type Store = EventStore &
  OperatorStore &
  TotalsStore & {
    /**
     * Writes a new payment with what belongs to it. `make` is called once, as late as can be: so little
     * time lies between the making of an id and the moment when the payment is seen.
     */
    createPayment(make: () => NewPayment): Promise<WriteOutcome>;
    /** Moves a payment on if it still is in `from`; `lost`: it no longer is, and nothing was written. */
    transition(write: {
      scope: Scope;
      payment: Payment;
      event: NewEvent;
      from: PaymentStatus;
      idempotency: IdempotencyRecord | undefined;
      activity?: readonly Activity[];
    }): Promise<WriteOutcome | { outcome: "lost" }>;
    findPayment(scope: Scope, id: string): Promise<PaymentJson | undefined>;
    listPayments(scope: Scope, page: PageRequest): Promise<Listed<PaymentJson>>;

    findAnswer(scope: Scope, key: string, nowMs: number): Promise<KeptRecord | undefined>;
    /** Ends the hold on a request's record, with its answer where that is known by now. */
    endHold(scope: Scope, request: HeldRequest): Promise<void>;
    /** Writes a request's record, and nothing else. */
    keepAnswer(scope: Scope, idempotency: IdempotencyRecord | undefined): Promise<WriteOutcome>;
    /** Forgets up to `limit` idempotency records that have expired; answers how many. */
    forgetAnswers(nowMs: number, limit: number): Promise<number>;

    /**
     * Pending payments whose network is to be asked, of every account: those that have waited longest.
     * Nobody else is given them before `untilMs`, when whoever took them is taken to be gone.
     */
    takeDuePayments(due: Due): Promise<DuePayment[]>;
    /** Asks again later. */
    postpone(scope: Scope, paymentId: string, dueAtMs: number): Promise<void>;

    findCharge(scope: Scope, paymentId: string): Promise<StoredCharge | undefined>;
    /**
     * Writes the charge of a payment by page, with the card that was taken, and claims the page until
     * `untilMs`; false where it is not open, or somebody else's.
     */
    chargePage(write: {
      scope: Scope;
      payment: ProcessingPayment;
      claim: { nowMs: number; untilMs: number };
      charge: StoredCharge;
    }): Promise<boolean>;
    /** Wants the refund of a charge of which nothing is wanted; `lost`: something is. */
    wantRefund(write: {
      scope: Scope;
      paymentId: string;
      nowMs: number;
      dueAtMs: number;
      idempotency: IdempotencyRecord | undefined;
      activity?: readonly Activity[];
    }): Promise<WriteOutcome | { outcome: "lost" }>;
    /**
     * Writes a charge's outcome; `lost`: something else is wanted by now, and nothing was written; `told`: it
     * was written, but the request has been answered meanwhile with what its record said before.
     */
    moveCharge(move: ChargeMove): Promise<"written" | "told" | "lost">;
    /** Charges of every account that a network is to be asked about, as `takeDuePayments` has payments. */
    takeDueCharges(due: ChargesDue): Promise<DueCharge[]>;

    /** The pending payments that are due, whoever has taken them. */
    backlog(nowMs: number): Promise<Backlog>;
    /** What a service that is attached to `network` leaves undecided. */
    chargesElsewhere(network: string): Promise<ChargesElsewhere>;
    /** Whether the schema is the one that this program knows, or a newer one. */
    isCurrent(): Promise<boolean>;

    findPage(token: string): Promise<FoundPage | undefined>;
    /** Whether the page is this claim's until `untilMs`: it is open, and nobody else's claim lasts. */
    claimPage(
      scope: Scope,
      paymentId: string,
      claim: { nowMs: number; untilMs: number },
    ): Promise<boolean>;
    /**
     * Closes an open page for good, together with what becomes of its payment, and its event where that has
     * come to be in another state; `lost`: it was closed before, and nothing was written. With `unclaimedAtMs`
     * a claim that lasts at that time wins too.
     */
    closePage(write: {
      scope: Scope;
      payment: Payment;
      event: NewEvent | undefined;
      settlement: Settlement | undefined;
      unclaimedAtMs: number | undefined;
    }): Promise<"written" | "lost">;
    /**
     * Open pages, of every account, whose life is over and that nobody has claimed; the oldest first.
     * Nobody else is given them before `untilMs`, when whoever took them is taken to be gone.
     */
    takeExpiredPages(due: Due): Promise<FoundPage[]>;

    insertAccount(account: StoredAccount, activity?: readonly Activity[]): Promise<void>;
    findAccount(id: string): Promise<StoredAccount | undefined>;
    /** Every account, oldest first. */
    listAccounts(): Promise<Account[]>;
    renameAccount(
      id: string,
      name: string,
      activity?: readonly Activity[],
    ): Promise<Account | undefined>;
    insertKey(key: StoredKey, activity?: readonly Activity[]): Promise<void>;
    findKey(hash: string): Promise<StoredKey | undefined>;
    /** The keys of an account, or of all, oldest first. */
    listKeys(accountId: string | undefined): Promise<ApiKey[]>;
    /** Writes `successor`, and lets the old key expire at `expiresAt` (Unix seconds) unless it ended before. */
    rollKey(
      id: string,
      successor: StoredKey,
      expiresAt: number,
      activity?: readonly Activity[],
    ): Promise<boolean>;
    /** Ends a key that has not been revoked yet; answers the key, or undefined where there is none. */
    revokeKey(
      accountId: string,
      id: string,
      revokedAt: number,
      activity?: readonly Activity[],
    ): Promise<ApiKey | undefined>;
    /** Notes when keys were used. */
    noteKeyUses(uses: readonly KeyUse[]): Promise<void>;

    close(): Promise<void>;
  };

// What a use case works with

export type Adapters = {
  store: Store;
  networkOf: (scope: Pick<Scope, "livemode">) => LocalNetwork | GuardedNetwork;
  /** What decided live payments while no network was attached. */
  simulator: LocalNetwork;
  clock: Clock;
  ids: Ids;
  /** How customers reach this service, without a slash at the end; undefined where nobody can. */
  publicUrl: () => string | undefined;
  /** How long a payment page can be paid. */
  hppExpiryMs: number;
  webhooks: WebhookSettings;
  /** How old payments and events are when they are added to the totals; 60 s by default. */
  totalsLagMs?: number | undefined;
  /** Aborted when the service ends: who waits for something to happen is answered then. */
  ending?: AbortSignal | undefined;
  /**
   * How long a request waits: 5 s for what another one does, 10 s for a network's answer, and as long for a
   * refund that it has not made.
   */
  patience?: { keyMs?: number; networkMs?: number; refundMs?: number } | undefined;
};

/**
 * `schedule`: how long a delivery waits before its first try, and then before each further one, in milliseconds.
 * `allowsPrivate`: webhooks may go to private addresses, and over plain http in live mode.
 */
export type WebhookSettings = {
  schedule: readonly number[];
  eventRetentionMs: number;
  allowsPrivate: boolean;
};

/** Where something is done. `fingerprintSecret` keys the account's idempotency fingerprints. */
export type Acting = { scope: Scope; defaultVersion: Version; fingerprintSecret: string };

/** Who makes a request, with a key. */
export type Principal = Acting & { keyId: string; actor: Actor };

/**
 * A key that was looked up, and until when it is trusted without looking again; when it was used last, and
 * the use of it that is noted.
 */
export type CachedKey = {
  stored: StoredKey;
  principal: Principal;
  untilMs: number;
  usedAtMs: number;
  notedAtMs: number;
};

/** The adapters, and what this process remembers between requests. */
export type Ports = Adapters & {
  /** Keys seen lately, by their hash, the one used last at the end. */
  keyCache: Map<string, CachedKey>;
  /** Keys that are being looked up, by their hash. */
  keyLookups: Map<string, Promise<CachedKey>>;
  /** Sessions of operators whose use is to be noted, by their hash. */
  sessionUses: Map<string, StoredSession>;
  /** Requests that are being processed now, by scope and idempotency key. */
  inFlight: Map<string, Promise<unknown>>;
  /** Who waits for deliveries, by the listener's id; aborted where somebody else does instead. */
  waiting: Map<string, AbortController>;
};
