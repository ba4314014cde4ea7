import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { Unavailable } from "../../../runtime/failures.ts";
import { overloadReasons, type OverloadReason } from "../../http/overload.ts";
import type { CompletedRequest } from "../../http/request-log.ts";
import type { WebhookBacklog } from "../../ports/event-store.ts";
import { createBacklogMetrics } from "./backlog.ts";
import { createNetworkMetrics } from "./network-metrics.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";
import { latencyBuckets, createStoreMetrics } from "./store-metrics.ts";

const methods = new Set(["GET", "HEAD", "POST", "DELETE"]);

/**
 * What a running service counts and measures, in the form that Prometheus reads. Labels are names of
 * routes, states and operations: never an id, a path, a key or anything else that a client sends.
 */
export function createMetrics({ version }: { version: string }) {
  const own = new Registry();
  const registers = [own];
  new Gauge({
    name: "payments_build_info",
    help: "Which version of the program this is; always 1.",
    labelNames: ["version"],
    registers,
  }).set({ version }, 1);

  const requests = new Histogram({
    name: "payments_http_request_duration_seconds",
    help: "Requests by how long they took, from their headers to the end of the answer.",
    labelNames: ["method", "route", "status"],
    buckets: latencyBuckets,
    registers,
  });
  const shed = new Counter({
    name: "payments_http_requests_shed_total",
    help: "Requests that were refused because of overload, by what there was too much of.",
    labelNames: ["reason"],
    registers,
  });

  const unavailable = new Counter({
    name: "payments_http_requests_unavailable_total",
    help: "Requests that failed because the database, a machine behind it, or the card network could not be used.",
    registers,
  });

  for (const reason of overloadReasons) shed.inc({ reason }, 0);

  const process = processMetrics();
  const webhooks = createWebhookMetrics(own);
  const refreshes: (() => Promise<void>)[] = [];
  async function read() {
    await Promise.all(refreshes.map(async (refresh) => refresh()));
    const texts = await Promise.all([own.metrics(), process.metrics()]);
    return { type: own.contentType, text: texts.join("\n") };
  }
  let reading: ReturnType<typeof read> | undefined;

  return {
    request: ({ method, route, status, durationMs }: CompletedRequest) =>
      requests.observe(
        {
          method: methods.has(method) ? method : "other",
          route: route ?? "none",
          status: status ?? "none",
        },
        durationMs / 1000,
      ),
    shed: (reason: OverloadReason) => shed.inc({ reason }),
    failed: (error: unknown) => {
      if (error instanceof Unavailable) unavailable.inc();
    },
    store: createStoreMetrics(own),
    /** Of a service that is attached to a card network. */
    network: () => createNetworkMetrics(own),
    watchBacklog: (ask: Parameters<typeof createBacklogMetrics>[1]) => {
      refreshes.push(createBacklogMetrics(own, ask));
    },
    webhooks: { ended: webhooks.ended },
    watchWebhooks: (ask: () => Promise<WebhookBacklog>) => {
      refreshes.push(async () => webhooks.refresh(ask));
    },
    /** All of it. Those who ask at the same time get the same. */
    read: async () => (reading ??= read().finally(() => (reading = undefined))),
  };
}

let registry: Registry | undefined;

/**
 * What Node tells of the process: processor time, memory, garbage collection, event loop delay. Once
 * for a process, however many services run in it, since what observes it never ends.
 */
function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
