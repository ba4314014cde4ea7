import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { Unavailable } from "../../../runtime/failures.ts";
import type { CompletedRequest } from "../../http/request-log.ts";
import { type ShedReason, shedReasons } from "../../http/shed-load.ts";
import type { NetworkObserver } from "../../networks/card-network.ts";
import { type ChallengeOutcome, challengeOutcomes } from "../../payments/payments-service.ts";
import type { DeliveryObserver } from "../../webhooks/record-attempt.ts";
import { type GaugeOf, createGauges, createStoreMetrics, latencyBuckets } from "./store-metrics.ts";

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

/** Requests to a card network, their outcomes and durations, and what the circuit breaker rejects. */
function createNetworkMetrics(registry: Registry): NetworkObserver {
  const registers = [registry];
  const requests = new Histogram({
    name: "payments_network_request_duration_seconds",
    help: "Requests to the card network by how long they took, by operation and outcome.",
    labelNames: ["operation", "outcome"],
    buckets: latencyBuckets,
    registers,
  });
  const refused = new Counter({
    name: "payments_network_secret_refused_total",
    help: "Answers with which the card network refused this service's secret.",
    registers,
  });
  const mismatched = new Counter({
    name: "payments_network_mismatched_total",
    help: "Answers of the card network about another charge than the requested one.",
    registers,
  });
  const turnedAway = new Counter({
    name: "payments_network_turned_away_total",
    help: "Requests that were not sent to the card network, by reason.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["no_place", "breaker_open"] as const) turnedAway.inc({ reason }, 0);
  const open = new Gauge({
    name: "payments_network_breaker_open",
    help: "Whether the circuit breaker is open, so that only one request a second is let through, or one new charge a second: 1 or 0.",
    registers,
  });
  return {
    answered: ({ operation, outcome, tookMs }) => {
      requests.observe({ operation, outcome: outcome.outcome }, tookMs / 1000);
      if ("isRefused" in outcome) refused.inc();
      if ("isMismatched" in outcome) mismatched.inc();
    },
    rejected: (reason) => turnedAway.inc({ reason }),
    breaker: (state) => open.set(state === "open" ? 1 : 0),
  };
}

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"] as const;

/** The attempts to deliver webhooks: by outcome, by the class of the answer's status, and by how long they took. */
function createWebhookMetrics(registry: Registry): Pick<DeliveryObserver, "ended"> {
  const registers = [registry];
  const deliveries = new Counter({
    name: "payments_webhook_deliveries_total",
    help: "Attempts to deliver a webhook: delivered, to be retried, or given up (failed).",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["delivered", "retried", "failed"]) deliveries.inc({ outcome }, 0);
  const responses = new Counter({
    name: "payments_webhook_responses_total",
    help: "Attempts to deliver a webhook by the class of the endpoint's status; none: it did not answer.",
    labelNames: ["status"],
    registers,
  });
  for (const status of classes) responses.inc({ status }, 0);
  const durations = new Histogram({
    name: "payments_webhook_duration_seconds",
    help: "Attempts to deliver a webhook by how long they took, with or without an answer.",
    buckets: latencyBuckets,
    registers,
  });
  return {
    ended: (outcome, attempt) => {
      deliveries.inc({ outcome });
      if (!attempt) return;
      responses.inc({ status: findClass(attempt.status) });
      durations.observe(attempt.durationMs / 1000);
    },
  };
}

function findClass(status: number | null): (typeof classes)[number] {
  return classes.find((each) => each.startsWith(String(status)[0] ?? "")) ?? "none";
}
