import { createPayPages } from "../web/checkout/pay.ts";
import { createScheduler } from "../jobs/scheduler.ts";
import { createInterval, createGrowingInterval, runRepeatedly } from "../jobs/repeat.ts";
import { loadDashboard } from "./dashboard.ts";
import { createApp, createOperationsApp } from "../http/app.ts";
import { shedOverload, type OverloadLimits } from "../http/overload.ts";
import { limitRate } from "../http/rate-limit.ts";
import { deliverWebhooks } from "../jobs/webhook-worker.ts";
import { connectionLimits } from "./connection-limits.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { combineObservers, createNetworkLog } from "./network-log.ts";
import { attachNetwork } from "./attach-network.ts";
import { listen, type Listening } from "./listen.ts";
import { defaultProcessingTimeMs, openService, settleAll } from "./open-service.ts";
import { createReadiness } from "./readiness.ts";
import { settleCharges } from "../jobs/charge-settler.ts";
import type { ServeSettings } from "./serve-settings.ts";

/** So short that many events are few looks at what is due, and an event is on its way at once. */
const deliveryStepMs = 100;
const forgetEventsEveryMs = { first: 10_000, longest: 10 * 60_000 };
const noteUsesEveryMs = 5_000;
const countEveryMs = { first: 1_000, longest: 30_000 };
const forgetEveryMs = { first: 1_000, longest: 60_000 };

/** What nobody has had to set so far; docs/operating.md tells what each is by default. */
export type ServeLimits = {
  overload?: Partial<OverloadLimits>;
  /** How long a service that is to end waits for a probe to hear it. */
  probeWaitMs?: number;
  /** How long what is in flight may take when a service ends. */
  finishMs?: number;
  /** How old payments are when they are added to the totals. */
  totalsLagMs?: number;
  /** How many files the process may have open: connections are capped below it. */
  openFiles?: number;
};

/**
 * The service listening on a port, with what an operator needs, on a port of its own where there is one.
 * `close` first says on /readyz that it will end, and waits for a probe to hear it where there are any,
 * 5 s at the most; then it takes no more connections, and finishes what is in flight within 10 s, and
 * webhooks on their way within 5 s more. A port of its own for probes is the last that is closed.
 */
export async function serve(settings: ServeSettings, limits: ServeLimits = {}) {
  const { log, host, metricsPort, hppExpiryMs, rateLimit = 0, version = "unknown" } = settings;
  let publicUrl = (settings.publicUrl ?? "").replace(/\/+$/, "");
  const connections = connectionLimits(limits.openFiles);
  const metrics = createMetrics({ version });
  const { processingTimeMs = defaultProcessingTimeMs } = settings;
  const stepMs = Math.min(250, Math.max(20, processingTimeMs / 4));
  // Of its own for what a network is asked: nothing else waits for one that does not answer.
  const alarms = {
    payments: createScheduler(stepMs),
    charges: createScheduler(stepMs),
    deliveries: createScheduler(deliveryStepMs),
  };
  const ending = new AbortController();
  const attached =
    settings.network &&
    (await attachNetwork(
      settings.network,
      version,
      log ? combineObservers(metrics.network(), createNetworkLog(log)) : metrics.network(),
    ));
  const { service, close } = await openService(settings, {
    network: attached?.network,
    publicUrl: () => publicUrl,
    hppExpiryMs,
    observer: metrics.store,
    webhooks: settings.webhooks,
    totalsLagMs: limits.totalsLagMs,
    dueTimes: {
      note: (atMs) => {
        alarms.payments.setFor(atMs);
        if (attached) alarms.charges.setFor(atMs);
      },
      noteDelivery: alarms.deliveries.setFor,
    },
    ending: ending.signal,
  });
  metrics.watchBacklog(service.settlementBacklog);
  metrics.watchWebhooks(service.measureWebhookBacklog);
  const ready = createReadiness(service.checkStore, limits.probeWaitMs);
  const operations = { unreadyReason: ready.unreadyReason, metrics: metrics.read };
  const told = {
    docsUrl: () => `${publicUrl}/docs/errors`,
    ...(log && { log }),
    observe: metrics.request,
  };
  const dashboard = await loadDashboard(service, () => publicUrl, settings.dashboard);
  const app = createApp(service, {
    ...told,
    publicUrl: () => publicUrl,
    pages: [createPayPages(service, () => publicUrl), ...(dashboard ? [dashboard] : [])],
    failed: metrics.failed,
    ...(metricsPort === undefined && { operations }),
    shed: shedOverload({ ...(log && { log }), observe: metrics.shed }, limits.overload),
    ...(rateLimit > 0 && { limitRate: limitRate(rateLimit) }),
  });
  let main: Listening | undefined;
  let watched: Listening | undefined;
  const { finishMs } = limits;
  try {
    main = await listen(
      app,
      { host, port: settings.port, option: "--port" },
      { maxConnections: connections.clients, finishMs, log },
    );
    publicUrl ||= main.url;
    if (metricsPort !== undefined) {
      watched = await listen(
        createOperationsApp(operations, told),
        { host, port: metricsPort, option: "--metrics-port" },
        { maxConnections: connections.probes, finishMs, log },
      );
    }
  } catch (error) {
    await main?.stop();
    await close();
    throw error;
  }
  const loops = [
    runRepeatedly(
      alarms.payments.wait,
      async (signal) => settleAll(service.settlePayments, signal),
      log,
    ),
    runRepeatedly(createGrowingInterval(forgetEveryMs), service.purgeIdempotencyRecords, log),
    runRepeatedly(
      createGrowingInterval(forgetEventsEveryMs),
      async (signal) => {
        await service.purgeEvents(signal);
        await service.purgeAuditLog(signal);
      },
      log,
    ),
    runRepeatedly(createInterval(noteUsesEveryMs), service.recordKeyUses, log),
    runRepeatedly(createInterval(noteUsesEveryMs), service.recordSessionUses, log),
    runRepeatedly(createGrowingInterval(countEveryMs), service.countTotals, log),
    deliverWebhooks(service, alarms.deliveries, {
      allowPrivate: settings.webhooks?.allowsPrivate ?? false,
      version,
      observe: metrics.webhooks,
      log,
    }),
  ];
  if (attached) {
    loops.push(settleCharges(service, alarms.charges, log));
  }
  const listening = main;
  let closing: Promise<void> | undefined;
  async function end(): Promise<void> {
    ending.abort();
    try {
      await listening.stop();
    } finally {
      // What is being asked is given up, to be asked again by whoever goes on.
      await Promise.all([...loops.map(async (endLoop) => endLoop()), attached?.close()]);
      await close().finally(async () => watched?.stop());
    }
  }
  return {
    url: main.url,
    /** Where metrics and probes are, if on a port of their own. */
    metricsUrl: watched?.url,
    allInterfaces: main.allInterfaces,
    /** How many connections are taken at the same time. */
    maxConnections: connections.clients,
    service,
    close: async (): Promise<void> => (closing ??= ready.end().then(end)),
    /** Closes it without waiting for a probe. */
    closeAtOnce: async (): Promise<void> => (closing ??= end()),
  };
}
