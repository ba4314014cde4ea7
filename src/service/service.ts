import { awaitAll, singleFlight } from "../runtime/promises.ts";
import type { AccountStore } from "./accounts/accounts-store.ts";
import { createKeyCache, createSessionUses } from "./accounts/accounts-service.ts";
import type { OperatorStore } from "./accounts/operators-store.ts";
import { expirePages } from "./checkout/cancel-payment.ts";
import type { CheckoutService } from "./checkout/find-page.ts";
import type { HistoryService, HistoryStore } from "./history/get-history.ts";
import type { PaymentStore } from "./payments/payments-store.ts";
import { settleSimulatedCharges } from "./payments/settle-charges.ts";
import {
  type ReportsService,
  type TotalsStore,
  createTotalsCounter,
} from "./reports/totals-store.ts";
import {
  type RequestLogSettings,
  type RequestsService,
  createRequestLog,
  defaultRequestLog,
} from "./requests/log-requests.ts";
import { purgeRequestsOf } from "./requests/list-requests.ts";
import type { RequestStore } from "./requests/requests-store.ts";
import {
  type SearchService,
  createPaymentIndexer,
  measureSearchBehind,
} from "./search/index-payments.ts";
import type { SearchStore } from "./search/search-store.ts";
import type { WebhooksStore } from "./webhooks/webhooks-store.ts";
import { createTestShares, createWaitingListeners } from "./webhooks/webhooks-service.ts";
import { createRequestsInFlight } from "./idempotency/run-idempotently.ts";
import type { IdempotencyStore } from "./idempotency/idempotency-store.ts";

/**
 * Every method is one atomic read or write; writes are on disk when their promise resolves. `activity` is the audit
 * entries, written in the same transaction.
 */
export type Store = PaymentStore &
  IdempotencyStore &
  AccountStore &
  WebhooksStore &
  OperatorStore &
  TotalsStore &
  SearchStore &
  RequestStore &
  HistoryStore & {
    /** Whether the schema is the one that this program knows, or a newer one. */
    isCurrent(): Promise<boolean>;
    /** Whether it takes writes, as far as is known: after one that its disk refused, another is tried. */
    isWritable(): Promise<boolean>;
    close(): Promise<void>;
  };

/** The use cases of all subjects take this. */
type AllSubjects = CheckoutService &
  RequestsService &
  ReportsService &
  SearchService &
  HistoryService;
/** The state of a process, which the service makes. */
type ProcessState = "keys" | "sessionUses" | "inFlight" | "listeners" | "tests";

export type Adapters = Omit<AllSubjects, ProcessState | "store" | "requestLog"> & {
  store: Store;
  requestLog?: Partial<RequestLogSettings> | undefined;
};

/** The service that the API and the pages are served from: its adapters, and the state of its process. */
export type Service = ReturnType<typeof createService>;

/** Whether the store can be used; a schema that is newer than the program's counts as ready. */
export type StoreState = "ready" | "store_unreachable" | "store_not_writable" | "schema_outdated";

const checkTimeoutMs = 2_000;
const backlogTimeoutMs = 1_000;

/** The payments service over the given adapters: what its use cases take as their first argument. */
export function createService(adapters: Adapters) {
  const service = {
    ...adapters,
    requestLog: { ...defaultRequestLog, ...adapters.requestLog },
    keys: createKeyCache(),
    sessionUses: createSessionUses(),
    inFlight: createRequestsInFlight(),
    listeners: createWaitingListeners(),
    tests: createTestShares(),
  };
  const { store, clock } = service;
  const liveNetwork = service.networkOf({ livemode: true });
  const countOtherNetworksCharges = async () => store.countOtherNetworksCharges(liveNetwork.name);
  const findState = singleFlight(async (): Promise<StoreState> => {
    if (!(await store.isCurrent())) return "schema_outdated";
    return (await store.isWritable()) ? "ready" : "store_not_writable";
  }, checkTimeoutMs);
  const log = createRequestLog(service);
  return {
    ...service,
    logRequest: log.logRequest,
    flushRequests: log.flushRequests,
    /** Purges requests where this process has logged any since the last time; answers how many were deleted. */
    purgeWrittenRequests: async (signal?: AbortSignal) =>
      purgeRequestsOf(service, log.takeWrittenScopes(), signal),
    /** Answers within 2 s. */
    checkStore: async (): Promise<StoreState> => findState().catch(() => "store_unreachable"),
    /**
     * Settles the pending payments that are due, and expires pages (specification: States and transitions).
     * Several processes may do so at once. If one part fails, the other is still done before the promise rejects.
     * Resolves with the number of payments; the caller repeats it until that is 0.
     */
    settlePayments: async () => {
      const counts = await awaitAll([expirePages(service), settleSimulatedCharges(service)]);
      return counts.reduce((sum, count) => sum + count);
    },
    /** Payments and charges that wait to be settled. Error: Unavailable after 1 s. */
    measureSettlementBacklog: singleFlight(
      async () => ({
        ...(await store.measureBacklog(clock())),
        elsewhere: (await countOtherNetworksCharges()).count,
      }),
      backlogTimeoutMs,
    ),
    /** Charges that wait for another network than the one that the service is attached to. */
    countOtherNetworksCharges,
    /** Whether live payments go to a card network, and not to the built-in simulator. */
    movesMoney: !liveNetwork.isLocal,
    /** Deliveries that wait. Error: Unavailable after 1 s. */
    measureWebhookBacklog: singleFlight(
      () => store.measureWebhookBacklog(clock()),
      backlogTimeoutMs,
    ),
    countTotals: createTotalsCounter(service),
    indexPayments: createPaymentIndexer(service),
    /** The age of the oldest payment that is not in the search index, in seconds. Error: Unavailable after 1 s. */
    measureSearchBehind: singleFlight(async () => measureSearchBehind(service), backlogTimeoutMs),
  };
}
