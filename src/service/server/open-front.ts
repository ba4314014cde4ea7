import { BlockList } from "node:net";
import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { type AppOptions, createApp, createOperationsApp } from "../http/app.ts";
import { type Operations, isOperationsPath } from "../http/keyless-routes.ts";
import { limitRate } from "../http/request-guards.ts";
import { type LoadLimits, computeHeapLimitBytes, shedLoad } from "../http/shed-load.ts";
import type { Service, StoreState } from "../service.ts";
import { createPayPages } from "../web/checkout/pay.ts";
import type { Pages } from "../web/design/pages.ts";
import { type Listening, listen } from "./listen-on-port.ts";
import { type Metrics, searchGauges, settlementGauges, webhookGauges } from "./metrics.ts";
import type { ServeSettings } from "./service-settings.ts";

/** Limits of what listens, which are no setting of an operator; docs/operating.md lists their defaults. */
export type FrontLimits = {
  overload?: Partial<LoadLimits>;
  /** How long a service that shuts down waits for a probe. */
  probeWaitMs?: number;
  /** How long requests in flight may take when a service ends. */
  finishMs?: number;
  /** How many files the process may have open: connections are capped below it. */
  openFiles?: number;
};

/** The address of the service from outside: the configured one, else the one it listens on, once it does. */
export function createPublicUrl(configured = "") {
  let url = configured.replace(/\/+$/, "");
  return {
    get: () => url,
    listening: (listeningUrl: string): void => {
      url ||= listeningUrl;
    },
  };
}

type Options = {
  settings: Omit<ServeSettings, "publicUrl"> & { unref?: boolean | undefined };
  limits: FrontLimits;
  metrics: Metrics;
  publicUrl: ReturnType<typeof createPublicUrl>;
  app?: Pick<AppOptions, "extend" | "observeUnhooked">;
  /** Aborted first when the service ends, so that requests that wait for something are answered. */
  ending: AbortController;
  /** Closes the rest once no request is in flight any longer. */
  end: () => Promise<unknown>;
};

/**
 * Lets a service listen: the API and the pages, with metrics and probes, on a port of their own if the settings give
 * one. That port closes last.
 */
export async function openFront(
  service: Service,
  { settings, limits, metrics, publicUrl, app: more, ending, end }: Options,
) {
  const { log, host, metricsPort, rateLimit = 0 } = settings;
  const { finishMs } = limits;
  const connections = computeConnectionLimits(limits.openFiles);
  metrics.watch(settlementGauges, async () => service.measureSettlementBacklog());
  metrics.watch(webhookGauges, async () => service.measureWebhookBacklog());
  metrics.watch(searchGauges, async () => service.measureSearchBehind());
  const readiness = createReadiness(async () => service.checkStore(), limits.probeWaitMs);
  const operations = { unreadyReason: readiness.unreadyReason, metrics: metrics.read };
  const shared: Pick<AppOptions, "docsUrl" | "log" | "observe"> = {
    docsUrl: () => `${publicUrl.get()}/docs/errors`,
    ...(log && { log }),
    observe: metrics.request,
  };
  let probes: Listening | undefined;
  const app = createApp(service, {
    ...shared,
    publicUrl: publicUrl.get,
    pages: await loadPages(service, publicUrl.get, settings.dashboard),
    onError: metrics.failed,
    ...(metricsPort === undefined
      ? { operations }
      : { describeOtherPort: (path) => describeProbesPort(path, probes?.url) }),
    shedLoad: shedLoad({ ...(log && { log }), observe: metrics.shed }, limits.overload),
    ...(rateLimit > 0 && { limitRate: limitRate(rateLimit) }),
    ...more,
  });
  const main = await listen(
    app,
    { host, port: settings.port, option: "--port" },
    { maxConnections: connections.clients, finishMs, log, unref: settings.unref },
  );
  publicUrl.listening(main.url);
  if (metricsPort !== undefined) {
    try {
      probes = await listen(
        createOperationsApp(operations, {
          ...shared,
          apiPort: () => getPort(main.url),
        }),
        { host, port: metricsPort, option: "--metrics-port" },
        { maxConnections: connections.probes, finishMs, log },
      );
    } catch (error) {
      await main.stop();
      throw error;
    }
  }
  let closing: Promise<void> | undefined;
  const closeNow = async () => {
    ending.abort();
    await main
      .stop()
      .finally(end)
      .finally(async () => probes?.stop());
  };
  return {
    url: main.url,
    /** The address of metrics and probes, if they have a port of their own. */
    metricsUrl: probes?.url,
    allInterfaces: main.allInterfaces,
    maxConnections: connections.clients,
    /** First reports on /readyz that the service is shutting down. */
    close: async (): Promise<void> => (closing ??= readiness.end().then(closeNow)),
    /** Closes it without waiting for a probe. */
    closeAtOnce: async (): Promise<void> => (closing ??= closeNow()),
  };
}

/** The address of the probes, for the answer to a request of theirs on the port of the API. */
function describeProbesPort(path: string, url: string | undefined): string | undefined {
  if (url === undefined || !isOperationsPath(path)) return undefined;
  return `Probes and metrics are on port ${getPort(url)}.`;
}

function getPort(url: string): string {
  return new URL(url).port || "80";
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
  const { trustedProxies = new BlockList(), sandboxAccount } = dashboard;
  return [...pages, createDashboard(service, { publicUrl, trustedProxies, sandboxAccount })];
}

/** A balancer that has probed within this time is expected to go on probing. */
const recentMs = 30_000;

/** Whether the service is ready. While it ends it still takes requests, so that balancers learn of it first. */
export function createReadiness(checkStore: () => Promise<StoreState>, maxWaitMs = 5_000) {
  let isEnding = false;
  let probedAtMs = -Infinity;
  const nextProbe = Promise.withResolvers<void>();

  const unreadyReason: Operations["unreadyReason"] = async () => {
    probedAtMs = performance.now();
    const state = isEnding ? "ready" : await checkStore();
    if (isEnding) {
      nextProbe.resolve();
      return "shutting_down";
    }
    return state === "ready" ? undefined : state;
  };

  return {
    unreadyReason,
    /** Not ready from now on. Resolves after the next probe, or `maxWaitMs`; at once if nothing probes. */
    end: async (): Promise<void> => {
      isEnding = true;
      if (performance.now() - probedAtMs > recentMs) return;
      await withTimeout(nextProbe.promise, maxWaitMs, () => {});
    },
  };
}

/** Fewer are not enough for the process, its database and a few clients. */
const minOpenFiles = 64;

/** For the process and SQLite (30), PostgreSQL (10), probes (32), webhooks and the card network (128). */
const reservedFiles = 256;

const maxProbes = 32;

/** Memory of a connection that sends nothing, or half a request: 11 KiB were measured. */
const connectionBytes = 16 * 1024;

/**
 * The maximum numbers of connections on the service's port (`clients`) and on a port for metrics and probes. The
 * limit of open files, less those of the database, the log and outgoing requests, bounds them, and so does half
 * of the heap's size. Error: Unavailable, if the limit is too low for a service.
 */
export function computeConnectionLimits(openFiles = findOpenFilesLimit()) {
  if (openFiles < minOpenFiles) {
    throw new Unavailable(
      `The service needs at least ${minOpenFiles} open files, and this process may have ${openFiles}.`,
      { hint: "Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit." },
    );
  }
  const byFiles = Math.max(openFiles - reservedFiles, Math.floor(openFiles / 4));
  const byMemory = Math.floor(computeHeapLimitBytes() / 2 / connectionBytes);
  return {
    clients: Math.min(byFiles, byMemory),
    probes: Math.min(maxProbes, Math.floor(openFiles / 8)),
  };
}

type ResourceReport = { userLimits?: { open_files?: { soft: number | "unlimited" } } };

let openFilesLimit: number | undefined;

/** Node tells the limit in its report on the whole process alone, which takes some milliseconds: it is read once. */
function findOpenFilesLimit(): number {
  openFilesLimit ??= readOpenFilesLimit();
  return openFilesLimit;
}

function readOpenFilesLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  report.excludeNetwork = true; // else it looks up the name of every peer
  const { userLimits } = report.getReport() as ResourceReport;
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : Infinity;
}
