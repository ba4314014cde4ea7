import type { Actor } from "../../contract/administration.ts";
import type { Version } from "../../contract/headers.ts";
import type { FairShares } from "../../runtime/fair-semaphore.ts";
import type { Clock, Ids } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { AccountStore, StoredKey } from "../accounts/account-types.ts";
import type { GuardedNetwork, LocalNetwork } from "../networks/card-network.ts";
import type { EventStore } from "../webhooks/event-types.ts";
import type { OperatorStore, StoredSession } from "../accounts/operator-types.ts";
import type { PaymentStore } from "../payments/payment-types.ts";
import type { RequestStore } from "../requests/request-types.ts";
import type { SearchStore } from "../search/search-types.ts";
import type { TotalsStore } from "../reports/totals-types.ts";
import type { WebhookSender } from "../webhooks/webhook-sender.ts";

/** `abandoned`: the customer did not come back in time; `canceled`: the customer canceled the payment meanwhile. */
export const challengeOutcomes = [
  "begun",
  "approved",
  "declined",
  "abandoned",
  "canceled",
] as const;

export type ChallengeOutcome = (typeof challengeOutcomes)[number];

/** How many base62 characters hold 256 bits. */
export const secretLength = 43;

/**
 * Every method is one atomic read or write; writes are on disk when their promise resolves. `activity` is the audit
 * entries, written in the same transaction.
 */
export type Store = PaymentStore &
  AccountStore &
  EventStore &
  OperatorStore &
  TotalsStore &
  SearchStore &
  RequestStore & {
    /** Whether the schema is the one that this program knows, or a newer one. */
    isCurrent(): Promise<boolean>;
    /** Whether it takes writes, as far as is known: after one that its disk refused, another is tried. */
    isWritable(): Promise<boolean>;
    close(): Promise<void>;
  };

export type Adapters = {
  store: Store;
  /** Whether the store's database is another process, so that each query is a round trip; false by default. */
  isStoreRemote?: boolean | undefined;
  networkOf: (scope: Pick<Scope, "livemode">) => LocalNetwork | GuardedNetwork;
  /** Decides live payments while no network is attached. */
  simulator: LocalNetwork;
  clock: Clock;
  ids: Ids;
  /** How customers reach this service, without a slash at the end; undefined where they cannot. */
  publicUrl: () => string | undefined;
  /** How long a payment page can be paid where its request does not say. */
  hppExpiryMs: number;
  webhooks: WebhookSettings;
  requestLog?: Partial<RequestLogSettings> | undefined;
  /** Sends tests of webhook endpoints. */
  sender: Pick<WebhookSender, "send">;
  /** How old payments and events are when they are added to the totals; 60 s by default. */
  totalsLagMs?: number | undefined;
  /** How old payments are when they are added to the search index, in milliseconds; 500 by default. */
  searchLagMs?: number | undefined;
  /** From 0 to below 1, for the jitter of what `subject` names; random by default. */
  jitter?: ((subject: string) => number) | undefined;
  /** Called when a bank begins to ask a customer, and once with the end of that. */
  observeChallenge?: ((outcome: ChallengeOutcome) => void) | undefined;
  /** Aborted when the service ends: requests that wait are answered then. */
  shutdown?: AbortSignal | undefined;
  /**
   * How long a request waits: 5 s for another request with its idempotency key, 10 s for a network's answer, and 10 s
   * for a refund.
   */
  timeouts?: { keyMs?: number; networkMs?: number; refundMs?: number } | undefined;
};

/**
 * `schedule`: how long a delivery waits before its first attempt, and before each further one, in milliseconds.
 * `allowsPrivate`: webhooks may go to private addresses, and over plain http in live mode.
 */
export type WebhookSettings = {
  schedule: readonly number[];
  eventRetentionMs: number;
  allowsPrivate: boolean;
};

/** How requests are logged. */
export type RequestLogSettings = {
  /** 7 days by default; 0: nothing is logged. */
  retentionMs: number;
  /** How many are stored of an account and mode; 1,000,000 by default. */
  maxStored: number;
  /** How many wait in memory to be stored; beyond that the oldest are dropped. 10,000 by default. */
  maxBuffered: number;
  /** Whether reads that failed are logged, too; true by default. */
  logsReads: boolean;
  observe?: RequestLogObserver | undefined;
};

/** Observes the request log; it must not throw. */
export type RequestLogObserver = {
  /** Requests were dropped, because the store did not take them in time. */
  dropped?: (count: number) => void;
  /** The store has begun to refuse requests. */
  failed?: (error: unknown) => void;
  /** The store takes them again. */
  recovered?: () => void;
  /** The service ends, and the store has not taken the last ones. */
  lost?: (count: number) => void;
};

/** The account and mode of a request. `fingerprintSecret` keys the account's idempotency fingerprints. */
export type RequestContext = { scope: Scope; defaultVersion: Version; fingerprintSecret: string };

/** The caller of a request with an API key. */
export type Principal = RequestContext & { keyId: string; actor: Actor };

/**
 * A key that was looked up; after `untilMs` it is looked up again. `recordedAtMs` is the last use that the store
 * knows of.
 */
export type CachedKey = {
  storedKey: StoredKey;
  principal: Principal;
  untilMs: number;
  usedAtMs: number;
  recordedAtMs: number;
};

/** A request that waits for a listener's deliveries: `superseded` is aborted when a newer request takes over. */
export type WaitingListener = { accountId: string; superseded: AbortController };

/** The adapters, and the state of this process between requests. */
export type Ports = Adapters & {
  requestLog: RequestLogSettings;
  /** Recently used keys, by their hash, the latest one last. */
  keyCache: Map<string, CachedKey>;
  /** Keys that are being looked up, by their hash. */
  keyLookups: Map<string, Promise<CachedKey>>;
  /** Sessions whose last use is not yet stored, by their hash. */
  sessionUses: Map<string, StoredSession>;
  /** Requests that are being processed now, by scope and idempotency key. */
  inFlight: Map<string, { fingerprint: string; answer: Promise<unknown> }>;
  /** By the listener's id. */
  waitingListeners: Map<string, WaitingListener>;
  /** Tests of webhook endpoints that are being sent, by account. */
  tests: FairShares;
};
