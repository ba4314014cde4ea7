import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { Unavailable } from "../../../runtime/failures.ts";
import type { CompletedRequest } from "../../http/request-log.ts";
import { shedReasons, type ShedReason } from "../../http/shed-load.ts";
import { createGauges, type GaugeOf } from "./backlog-metrics.ts";
import { challengeOutcomes, type ChallengeOutcome } from "../../ports/ports.ts";
import { createNetworkMetrics } from "./network-metrics.ts";
import { createStoreMetrics, latencyBuckets } from "./store-metrics.ts";
import { createWebhookMetrics } from "./webhook-metrics.ts";

const methods = new Set(["GET", "HEAD", "POST", "DELETE"]);

/**
 * The metrics of a running service, in the form that Prometheus reads. Labels are names of routes, states and
 * operations: never an id, a path, a key or anything else that a client sends.
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
    help: "Requests by how long they took, from their headers to the end of the response.",
    labelNames: ["method", "route", "status"],
    buckets: latencyBuckets,
    registers,
  });
  const shed = new Counter({
    name: "payments_http_requests_shed_total",
    help: "Requests that were refused because of overload, by the limit that was exceeded.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of shedReasons) shed.inc({ reason }, 0);
  const unavailable = new Counter({
    name: "payments_http_requests_unavailable_total",
    help: "Requests that failed because the database, a machine behind it, or the card network could not be used.",
    registers,
  });
  const challenges = new Counter({
    name: "payments_challenges_total",
    help: "Customers whom a bank began to ask for a confirmation (3-D Secure), and how that ended.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of challengeOutcomes) challenges.inc({ outcome }, 0);

  const notLogged = new Counter({
    name: "payments_requests_not_logged_total",
    help: "Requests that are missing in the request log, because the database did not take them in time.",
    registers,
  });

  const process = readProcessMetrics();
  const refreshes: (() => Promise<boolean>)[] = [];
  const up = new Gauge({
    name: "payments_store_up",
    help: "Whether the store answered when these metrics were read: 1 or 0.",
    registers,
  });
  async function read() {
    const [hasAnswered] = await Promise.all(refreshes.map(async (refresh) => refresh()));
    up.set(hasAnswered ? 1 : 0);
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
    shed: (reason: ShedReason) => shed.inc({ reason }),
    failed: (error: unknown) => {
      if (error instanceof Unavailable) unavailable.inc();
    },
    requestsNotLogged: (count: number) => notLogged.inc(count),
    challenge: (outcome: ChallengeOutcome) => challenges.inc({ outcome }),
    store: createStoreMetrics(own),
    /** Of a service that is attached to a card network. */
    network: () => createNetworkMetrics(own),
    webhooks: createWebhookMetrics(own),
    /** Measures by the store whenever the metrics are read; the first one also says whether the store answers. */
    watch: <Measured>(gauges: GaugeOf<Measured>[], measure: () => Promise<Measured>) => {
      refreshes.push(createGauges(own, gauges, measure));
    },
    /** Scrapes at the same time share one reading. */
    read: async () => (reading ??= read().finally(() => (reading = undefined))),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;

let processRegistry: Registry | undefined;

/** Node's own metrics of the process: one registry for all services in it, since Node's observers never end. */
function readProcessMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}
