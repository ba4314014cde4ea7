import { awaitAll, singleFlight } from "../../runtime/promises.ts";
import { FairShares } from "../../runtime/fair-semaphore.ts";
import { createPaymentIndexer, measureSearchBehind } from "../search/index-payments.ts";
import { expirePages } from "../checkout/expire-pages.ts";
import { settleSimulatedCharges } from "../payments/settle-charges.ts";
import type { Adapters, Ports } from "../ports/ports.ts";
import { createTotalsCounter } from "../reports/count-totals.ts";
import { createRequestLog, defaultRequestLog } from "../requests/log-requests.ts";
import { purgeRequestsOf } from "../requests/purge-requests.ts";
import * as useCases from "./use-cases.ts";

export type Service = ReturnType<typeof createService>;

/** Whether the store can be used; a schema that is newer than the program's counts as ready. */
export type StoreState = "ready" | "store_unreachable" | "store_not_writable" | "schema_outdated";

const checkTimeoutMs = 2_000;
const backlogTimeoutMs = 1_000;
/** Tests of webhook endpoints at the same time. */
const maxTests = 16;

/** The payments service: its use cases, bound to the given adapters. */
export function createService(adapters: Adapters) {
  const ports: Ports = {
    ...adapters,
    requestLog: { ...defaultRequestLog, ...adapters.requestLog },
    keyCache: new Map(),
    keyLookups: new Map(),
    sessionUses: new Map(),
    inFlight: new Map(),
    waitingListeners: new Map(),
    tests: new FairShares(maxTests),
  };
  const { store, clock } = ports;
  const liveNetwork = ports.networkOf({ livemode: true });
  const countOtherNetworksCharges = async () => store.countOtherNetworksCharges(liveNetwork.name);
  const findState = singleFlight(async (): Promise<StoreState> => {
    if (!(await store.isCurrent())) return "schema_outdated";
    return (await store.isWritable()) ? "ready" : "store_not_writable";
  }, checkTimeoutMs);
  const log = createRequestLog(ports);
  return {
    ...bindPorts(ports, useCases),
    /** The service's time, in Unix milliseconds. */
    now: clock,
    createRequestId: ports.ids.request,
    logRequest: log.logRequest,
    flushRequests: log.flushRequests,
    /** Whether failed reads are logged, as writes are. */
    logsReads: ports.requestLog.logsReads,
    /** Purges requests where this process has logged any since the last time; answers how many were deleted. */
    purgeWrittenRequests: async (signal?: AbortSignal) =>
      purgeRequestsOf(ports, log.takeWrittenScopes(), signal),
    /** Answers within 2 s. */
    checkStore: async (): Promise<StoreState> => findState().catch(() => "store_unreachable"),
    /**
     * Settles the pending payments that are due, and expires pages (specification: States and transitions).
     * Several processes may do so at once. If one part fails, the other is still done before the promise rejects.
     * Resolves with the number of payments; the caller repeats it until that is 0.
     */
    settlePayments: async () => {
      const counts = await awaitAll([expirePages(ports), settleSimulatedCharges(ports)]);
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
    countTotals: createTotalsCounter(ports),
    indexPayments: createPaymentIndexer(ports),
    /** The age of the oldest payment that is not in the search index, in seconds. Error: Unavailable after 1 s. */
    measureSearchBehind: singleFlight(async () => measureSearchBehind(ports), backlogTimeoutMs),
  };
}

type Bound<UseCase> = UseCase extends (ports: Ports, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

function bindPorts<All extends Record<string, (ports: Ports, ...rest: never[]) => unknown>>(
  ports: Ports,
  all: All,
) {
  const pairs = Object.entries(all).map(([name, useCase]) => [name, useCase.bind(null, ports)]);
  return Object.fromEntries(pairs) as { [Name in keyof All]: Bound<All[Name]> };
}
