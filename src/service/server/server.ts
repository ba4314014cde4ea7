import { BlockList } from "node:net";
import { createApp, createOperationsApp, type AppOptions } from "../http/app.ts";
import type { Pages } from "../http/pages.ts";
import { limitRate } from "../http/rate-limit.ts";
import { shedLoad, type LoadLimits } from "../http/shed-load.ts";
import { createDueSchedules, startBackgroundJobs } from "../jobs/background-jobs.ts";
import type { Service } from "../use-cases/service.ts";
import { createPayPages } from "../web/checkout/pay.ts";
import { attachNetwork, combineObservers, createNetworkLog } from "./attach-network.ts";
import { computeConnectionLimits } from "./connection-limits.ts";
import { listen, type Listening } from "./listen.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { defaultProcessingTimeMs, openService } from "./open-service.ts";
import { startIndexProcess } from "./start-index-process.ts";
import { createReadiness } from "./readiness.ts";
import type { ServeSettings } from "./serve-settings.ts";

/** Limits that are no setting of an operator; docs/operating.md lists their defaults. */
export type ServeLimits = {
  overload?: Partial<LoadLimits>;
  /** How long a service that shuts down waits for a probe. */
  probeWaitMs?: number;
  /** How long requests in flight may take when a service ends. */
  finishMs?: number;
  /** How old payments are when they are added to the totals. */
  totalsLagMs?: number;
  /** Whether another process indexes payments; else this one does. */
  indexesApart?: boolean;
  /** How many files the process may have open: connections are capped below it. */
  openFiles?: number;
};

/**
 * The service listening on a port, with metrics and probes, on a port of their own if the settings give one.
 * `close` first reports on /readyz that the service is shutting down, and waits up to 5 s for a probe if any
 * have come lately; then it takes no more connections, finishes requests in flight within 10 s, and webhooks
 * on their way within 5 s more. The port for metrics and probes closes last.
 */
export async function serve(settings: ServeSettings, limits: ServeLimits = {}) {
  const { log, host, metricsPort, hppExpiryMs, rateLimit = 0, version = "unknown" } = settings;
  const configuredUrl = (settings.publicUrl ?? "").replace(/\/+$/, "");
  let listeningUrl = "";
  const publicUrl = () => configuredUrl || listeningUrl;
  const connections = computeConnectionLimits(limits.openFiles);
  const metrics = createMetrics({ version });
  const due = createDueSchedules(settings.processingTimeMs ?? defaultProcessingTimeMs);
  const ending = new AbortController();
  const observeNetwork = () =>
    log ? combineObservers(metrics.network(), createNetworkLog(log)) : metrics.network();
  const attached =
    settings.network && (await attachNetwork(settings.network, version, observeNetwork()));
  const { service, close } = await openService(settings, {
    network: attached?.network,
    publicUrl,
    hppExpiryMs,
    observer: metrics.store,
    observeChallenge: metrics.challenge,
    webhooks: settings.webhooks,
    totalsLagMs: limits.totalsLagMs,
    dueTimes: {
      onPaymentDue: (atMs) => {
        due.payments.wakeAt(atMs);
        if (attached) due.charges.wakeAt(atMs);
      },
      onDeliveryDue: due.deliveries.wakeAt,
    },
    ending: ending.signal,
  });
  metrics.watchBacklog(service.measureSettlementBacklog);
  metrics.watchWebhooks(service.measureWebhookBacklog);
  metrics.watchSearch(service.measureSearchBehind);
  const readiness = createReadiness(service.checkStore, limits.probeWaitMs);
  const operations = { unreadyReason: readiness.unreadyReason, metrics: metrics.read };
  const shared: Pick<AppOptions, "docsUrl" | "log" | "observe"> = {
    docsUrl: () => `${publicUrl()}/docs/errors`,
    ...(log && { log }),
    observe: metrics.request,
  };
  const app = createApp(service, {
    ...shared,
    publicUrl,
    pages: await loadPages(service, publicUrl, settings.dashboard),
    onError: metrics.failed,
    ...(metricsPort === undefined && { operations }),
    shedLoad: shedLoad({ ...(log && { log }), observe: metrics.shed }, limits.overload),
    ...(rateLimit > 0 && { limitRate: limitRate(rateLimit) }),
  });
  const { finishMs } = limits;
  let main: Listening | undefined;
  let probes: Listening | undefined;
  try {
    main = await listen(
      app,
      { host, port: settings.port, option: "--port" },
      { maxConnections: connections.clients, finishMs, log },
    );
    listeningUrl = main.url;
    if (metricsPort !== undefined) {
      probes = await listen(
        createOperationsApp(operations, shared),
        { host, port: metricsPort, option: "--metrics-port" },
        { maxConnections: connections.probes, finishMs, log },
      );
    }
  } catch (error) {
    await main?.stop();
    await close();
    throw error;
  }
  const stopJobs = startBackgroundJobs(service, {
    due,
    hasNetwork: attached !== undefined,
    indexes: !limits.indexesApart,
    webhooks: { allowPrivate: settings.webhooks?.allowsPrivate ?? false, version },
    observe: metrics.webhooks,
    log,
  });
  const stopIndexing = limits.indexesApart && startIndexProcess(settings.database, log);
  const listening = main;
  let closing: Promise<void> | undefined;
  async function end(): Promise<void> {
    ending.abort();
    try {
      await listening.stop();
    } finally {
      // Requests to the network are aborted: another replica retries them.
      await Promise.all([stopJobs(), stopIndexing && stopIndexing(), attached?.close()]);
      await close().finally(async () => probes?.stop());
    }
  }
  return {
    url: main.url,
    /** Where metrics and probes are, if on a port of their own. */
    metricsUrl: probes?.url,
    allInterfaces: main.allInterfaces,
    maxConnections: connections.clients,
    service,
    close: async (): Promise<void> => (closing ??= readiness.end().then(end)),
    /** Closes it without waiting for a probe. */
    closeAtOnce: async (): Promise<void> => (closing ??= end()),
  };
}

/** The payment pages, and the dashboard if it is enabled: its modules are loaded only then. */
export async function loadPages(
  service: Service,
  publicUrl: () => string,
  dashboard: ServeSettings["dashboard"],
): Promise<Pages[]> {
  const pages = [createPayPages(service, publicUrl)];
  if (!dashboard) return pages;
  const { createDashboard } = await import("../web/dashboard/dashboard.ts");
  const { trustedProxies = new BlockList() } = dashboard;
  return [...pages, createDashboard(service, { publicUrl, trustedProxies })];
}
