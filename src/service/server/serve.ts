import { isReachedConfidentially } from "../../runtime/transport-safety.ts";
import { createDueSchedules, startBackgroundJobs } from "./background-jobs.ts";
import { createWebhookSender } from "../webhooks/webhook-sender.ts";
import { attachNetwork, createNetworkLog } from "./attach-network.ts";
import type { RequestLogObserver, RequestLogSettings } from "../requests/log-requests.ts";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createPublicUrl, openFront, type FrontLimits } from "./open-front.ts";
import { defaultProcessingTimeMs, openService } from "./open-service.ts";
import type { ServeSettings } from "./service-settings.ts";
import { watchWrites } from "./watch-writes.ts";

/** Limits that are no setting of an operator. */
export type ServeLimits = FrontLimits & {
  /** How old payments are when they are added to the totals. */
  totalsLagMs?: number;
  requestLog?: Pick<RequestLogSettings, "maxBuffered" | "maxStored">;
  /** Whether another process indexes payments; else this one does. */
  indexesApart?: boolean;
};

/**
 * The service listening on a port, with metrics and probes, on a port of their own if the settings give one.
 * `close` first reports on /readyz that the service is shutting down, and waits up to 5 s for a probe if any
 * have come lately; then it takes no more connections, finishes requests in flight within 10 s, and webhooks
 * on their way within 5 s more. The port for metrics and probes closes last.
 */
export async function serve(settings: ServeSettings, limits: ServeLimits = {}) {
  const { log, version = "unknown", dashboard } = settings;
  if (dashboard && !dashboard.allowHttp && !isReachedConfidentially(settings)) {
    throw new TypeError(
      "dashboard needs an https publicUrl, or a host and publicUrl of this machine only: without encryption others could take over a session. dashboard: { allowHttp: true } serves it anyway.",
    );
  }
  const publicUrl = createPublicUrl(settings.publicUrl);
  const metrics = createMetrics({ version });
  const due = createDueSchedules(settings.processingTimeMs ?? defaultProcessingTimeMs);
  const ending = new AbortController();
  const attached =
    settings.network &&
    (await attachNetwork(settings.network, version, [
      metrics.network(),
      ...(log ? [createNetworkLog(log)] : []),
    ]));
  const allowPrivate = settings.webhooks?.allowsPrivate ?? false;
  const sender = createWebhookSender({ allowPrivate, version });
  const { service, close } = await openService(settings, {
    sender,
    network: attached?.network,
    publicUrl: publicUrl.get,
    hppExpiryMs: settings.hppExpiryMs,
    observer: metrics.store,
    watch: (store, driver) =>
      watchWrites(metrics.store.measureStore(store, driver), {
        onStatus: metrics.store.countStatus,
        onPaymentDue: (atMs) => {
          due.payments.wakeAt(atMs);
          if (attached) due.charges.wakeAt(atMs);
        },
        onDeliveryDue: due.deliveries.wakeAt,
        onCreated: due.index.onCreated,
      }),
    observeChallenge: metrics.challenge,
    webhooks: settings.webhooks,
    totalsLagMs: limits.totalsLagMs,
    requestLog: {
      ...(settings.requestLogMs !== undefined && { retentionMs: settings.requestLogMs }),
      ...limits.requestLog,
      observe: observeRequestLog(metrics, log),
    },
    ending: ending.signal,
  });
  const stops: (() => Promise<void>)[] = [];
  const end = async () => {
    // Requests to the network are aborted: another replica retries them.
    await Promise.all([...stops.map(async (stop) => stop()), attached?.close()]);
    await close();
  };
  const parts = { settings, limits, metrics, publicUrl, ending, end };
  const front = await openFront(service, parts).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const stopJobs = startBackgroundJobs(service, {
    due,
    hasNetwork: attached !== undefined,
    indexedApart: limits.indexesApart ? settings.database : undefined,
    sender,
    observe: metrics.webhooks,
    log,
  });
  stops.push(stopJobs);
  return { ...front, service };
}

/** The log says once that requests are no longer logged, once that they are again, and how many are lost at the end. */
function observeRequestLog(metrics: Metrics, log: Log | undefined): RequestLogObserver {
  return {
    dropped: metrics.requestsNotLogged,
    failed: (error) =>
      log?.error({ err: toMaskedError(error) }, "requests wait to be logged: the store takes none"),
    recovered: () => log?.info({}, "requests are logged again"),
    lost: (requests) => log?.error({ requests }, "the last requests are not logged"),
  };
}
