import { Counter, Gauge, type Metric, Registry, collectDefaultMetrics } from "prom-client";
import { Unavailable } from "../../runtime/failures.ts";
import type { Driver } from "../database/driver.ts";
import type { CompletedRequest } from "../http/request-log.ts";
import { type ShedReason, shedReasons } from "../http/shed-load.ts";
import type { NetworkObserver } from "../networks/card-network.ts";
import type { Backlog } from "../payments/charges-sql.ts";
import { type ChallengeOutcome, challengeOutcomes } from "../payments/payments-store.ts";
import type { Store } from "../service.ts";
import type { WebhookBacklog } from "../webhooks/deliveries-sql.ts";
import type { DeliveryObserver } from "../webhooks/record-attempt.ts";
import type { WriteObserver } from "./watch-writes.ts";

const methods = new Set(["GET", "HEAD", "POST", "DELETE"]);

/**
 * The metrics of a running service, in the form that Prometheus reads. Labels are names of routes, states and
 * operations: never an id, a path, a key or anything else that a client sends.
 */
export function createMetrics({ version }: { version: string }) {
  const own = new Registry();
  const { count, gauge, time } = createKinds(own);
  gauge("payments_build_info", "Which version of the program this is; always 1.", ["version"]).set(
    { version },
    1,
  );
  const requests = time(
    "payments_http_request_duration_seconds",
    "Requests by how long they took, from their headers to the end of the response.",
    ["method", "route", "status"],
  );
  const shed = count(
    "payments_http_requests_shed_total",
    "Requests that were refused because of overload, by the limit that was exceeded.",
    { reason: shedReasons },
  );
  const unavailable = count(
    "payments_http_requests_unavailable_total",
    "Requests that failed because the database, a machine behind it, or the card network could not be used.",
  );
  const challenges = count(
    "payments_challenges_total",
    "Customers whom a bank began to ask for a confirmation (3-D Secure), and how that ended.",
    { outcome: challengeOutcomes },
  );
  const notLogged = count(
    "payments_requests_not_logged_total",
    "Requests that are missing in the request log, because the database did not take them in time.",
  );

  const process = readProcessMetrics();
  const refreshes: (() => Promise<boolean>)[] = [];
  const up = gauge(
    "payments_store_up",
    "Whether the store answered when these metrics were read: 1 or 0.",
  );
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
        [methods.has(method) ? method : "other", route ?? "none", status ?? "none"],
        durationMs / 1000,
      ),
    shed: (reason: ShedReason) => shed.inc({ reason }),
    failed: (error: unknown) => {
      if (error instanceof Unavailable) unavailable.inc();
    },
    requestsNotLogged: (requestCount: number) => notLogged.inc(requestCount),
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

/** Seconds: from a read in memory to what the slowest request may take. */
const latencyBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** The kinds of metrics of a registry: what is counted, measured and timed. */
function createKinds(registry: Registry) {
  const registers = [registry];
  const histogram = createHistogram(registry);
  return {
    /** One by a label has each of its values from the start, so that a rate sees the first one. */
    count: (name: string, help: string, values: Record<string, readonly string[]> = {}) => {
      const counter = new Counter({ name, help, labelNames: Object.keys(values), registers });
      for (const [label, all] of Object.entries(values)) {
        for (const value of all) counter.inc({ [label]: value }, 0);
      }
      return counter;
    },
    gauge: (name: string, help: string, labelNames: string[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    time: (name: string, help: string, labelNames: string[] = []) =>
      histogram(name, help, labelNames, latencyBuckets),
    histogram,
  };
}

type Series = { labels: Record<string, string | number>; counts: number[]; sum: number };

/**
 * Makes histograms of a registry. Every request has two of its times counted, and prom-client's own histogram checks the
 * labels of each: 1.5 µs of a retrieve's 30.
 */
function createHistogram(registry: Registry) {
  return (name: string, help: string, labelNames: string[], buckets: number[]) => {
    const all = new Map<string, Series>();
    const metric = { name, help, type: "histogram", aggregator: "sum" };
    const get = async () => ({ ...metric, values: [...all.values()].flatMap(toValues) });
    registry.registerMetric({ ...metric, get } as unknown as Metric);

    function toValues({ labels, counts, sum }: Series) {
      let count = 0;
      const bounds = [...buckets, "+Inf"].map((le, at) => {
        count += counts[at] ?? 0;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      });
      return [
        ...bounds,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    }

    function addSeries(key: string, values: readonly (string | number)[]): Series {
      const labels = Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ""]));
      const counts = Array.from({ length: buckets.length + 1 }, () => 0);
      const series = { labels, counts, sum: 0 };
      all.set(key, series);
      return series;
    }

    if (labelNames.length === 0) addSeries("", []);
    return {
      /** The values of the labels in their order. */
      observe: (labels: readonly (string | number)[], value: number): void => {
        const key = labels.join();
        const series = all.get(key) ?? addSeries(key, labels);
        let at = 0;
        while (value > (buckets[at] ?? Infinity)) at++;
        series.counts[at] = (series.counts[at] ?? 0) + 1;
        series.sum += value;
      },
    };
  };
}

/** Requests to a card network, their outcomes and durations, and what the circuit breaker rejects. */
function createNetworkMetrics(registry: Registry): NetworkObserver {
  const { count, gauge, time } = createKinds(registry);
  const requests = time(
    "payments_network_request_duration_seconds",
    "Requests to the card network by how long they took, by operation and outcome.",
    ["operation", "outcome"],
  );
  const refused = count(
    "payments_network_secret_refused_total",
    "Answers with which the card network refused this service's secret.",
  );
  const mismatched = count(
    "payments_network_mismatched_total",
    "Answers of the card network about another charge than the requested one.",
  );
  const turnedAway = count(
    "payments_network_turned_away_total",
    "Requests that were not sent to the card network, by reason.",
    { reason: ["no_place", "breaker_open"] },
  );
  const open = gauge(
    "payments_network_breaker_open",
    "Whether the circuit breaker is open, so that only one request a second is let through, or one new charge a second: 1 or 0.",
  );
  return {
    answered: ({ operation, outcome, tookMs }) => {
      requests.observe([operation, outcome.outcome], tookMs / 1000);
      if ("isRefused" in outcome) refused.inc();
      if ("isMismatched" in outcome) mismatched.inc();
    },
    rejected: (reason) => turnedAway.inc({ reason }),
    breaker: (state) => open.set(state === "open" ? 1 : 0),
  };
}

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"] as const;

/** The attempts to deliver webhooks: by outcome, by the class of the answer's status, and by how long they took. */
function createWebhookMetrics(registry: Registry): Pick<DeliveryObserver, "attempted"> {
  const { count, time } = createKinds(registry);
  const deliveries = count(
    "payments_webhook_deliveries_total",
    "Attempts to deliver a webhook: delivered, to be retried, or given up (failed).",
    { outcome: ["delivered", "retried", "failed"] },
  );
  const responses = count(
    "payments_webhook_responses_total",
    "Attempts to deliver a webhook by the class of the endpoint's status; none: it did not answer.",
    { status: classes },
  );
  const durations = time(
    "payments_webhook_duration_seconds",
    "Attempts to deliver a webhook by how long they took, with or without an answer.",
  );
  return {
    attempted: (outcome, attempt) => {
      deliveries.inc({ outcome });
      if (!attempt) return;
      responses.inc({ status: findClass(attempt.status) });
      durations.observe([], attempt.durationMs / 1000);
    },
  };
}

function findClass(status: number | null): (typeof classes)[number] {
  return classes.find((each) => each.startsWith(String(status)[0] ?? "")) ?? "none";
}

/** Operations of a store and their durations, payments by status, commits, connections. */
function createStoreMetrics(registry: Registry) {
  const registers = [registry];
  const { time, histogram } = createKinds(registry);
  const operations = time(
    "payments_store_operation_duration_seconds",
    "Operations of the store by how long they took, waiting for a commit or connection included.",
    ["operation", "outcome"],
  );
  const transitions = new Counter({
    name: "payments_transitions_total",
    help: "Payments that entered a status, new ones included. Replays are not counted.",
    labelNames: ["mode", "status", "decline_code"],
    registers,
  });
  const commits = histogram(
    "payments_store_commit_writes",
    "Writes that one commit brought to the disk together.",
    [],
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );

  function timeOperation<A extends unknown[], R>(
    operation: string,
    method: (...args: A) => Promise<R>,
  ) {
    return async (...args: A): Promise<R> => {
      const startMs = performance.now();
      let outcome = "ok";
      try {
        return await method(...args);
      } catch (error) {
        outcome = error instanceof Unavailable ? "unavailable" : "error";
        throw error;
      } finally {
        operations.observe([operation, outcome], (performance.now() - startMs) / 1000);
      }
    };
  }

  const countStatus: NonNullable<WriteObserver["onStatus"]> = ({ livemode }, payment) =>
    transitions.inc({
      mode: livemode ? "live" : "test",
      status: payment.status,
      decline_code: ("decline_code" in payment && payment.decline_code) || "none",
    });

  return {
    committed: (writes: number) => commits.observe([], writes),
    countStatus,
    /** The same store, measured. */
    measureStore: (store: Store, { pool }: Pick<Driver, "pool">): Store => {
      if (pool) createPoolMetrics(registers, pool);
      const entries = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
      return Object.fromEntries(
        entries.map(([name, method]) => [name, timeOperation(name, method)]),
      ) as Store;
    },
  };
}

function createPoolMetrics(registers: Registry[], pool: NonNullable<Driver["pool"]>): void {
  const connections: Gauge = new Gauge({
    name: "payments_store_connections",
    help: "Connections to the database, by whether they are in use.",
    labelNames: ["state"],
    registers,
    collect: () => {
      const { total, idle } = pool();
      connections.set({ state: "idle" }, idle);
      connections.set({ state: "busy" }, total - idle);
    },
  });
  const waiting: Gauge = new Gauge({
    name: "payments_store_waiting",
    help: "Reads and writes that wait for a connection to the database.",
    registers,
    collect: () => waiting.set(pool().waiting),
  });
}

export type GaugeOf<Measured> = [name: string, help: string, read: (measured: Measured) => number];

/** Payments and charges that wait to be settled. */
export const settlementGauges: GaugeOf<Backlog & { elsewhere: number }>[] = [
  [
    "payments_settlements_due",
    "Pending payments that are due for a request to their card network (capped at 10000).",
    ({ due }) => due,
  ],
  [
    "payments_settlement_oldest_due_age_seconds",
    "For how long the oldest of them has been due; 0 where there is none.",
    ({ oldestAgeMs }) => oldestAgeMs / 1000,
  ],
  [
    "payments_charges_undecided",
    "Charges, cancellations and refunds that the card network has not decided (capped at 10000).",
    ({ undecided }) => undecided,
  ],
  [
    "payments_charge_oldest_undecided_age_seconds",
    "For how long the oldest charge, cancellation or refund has been undecided; 0 where there is none.",
    ({ oldestUndecidedAgeMs }) => oldestUndecidedAgeMs / 1000,
  ],
  [
    "payments_charges_undecided_elsewhere",
    "Undecided charges, cancellations and refunds of another card network than this service is attached to (capped at 10000).",
    ({ elsewhere }) => elsewhere,
  ],
];

/** Deliveries that wait. */
export const webhookGauges: GaugeOf<WebhookBacklog>[] = [
  [
    "payments_webhook_backlog",
    "Deliveries to enabled endpoints that have not ended, with those to be retried (capped at 10000).",
    ({ count }) => count,
  ],
  [
    "payments_webhook_backlog_oldest_seconds",
    "For how long the oldest of them has been queued; 0 where there is none.",
    ({ oldestAgeMs }) => oldestAgeMs / 1000,
  ],
];

/** Payments that are not in the search index. */
export const searchGauges: GaugeOf<number>[] = [
  [
    "payments_search_behind_seconds",
    "The age of the oldest payment that is not in the search index; 0 where all are.",
    (seconds) => seconds,
  ],
];

/** The returned function measures, and answers whether it could; if not, the gauges are left out rather than old. */
function createGauges<Measured>(
  registry: Registry,
  definitions: GaugeOf<Measured>[],
  measure: () => Promise<Measured>,
): () => Promise<boolean> {
  const { gauge: make } = createKinds(registry);
  const gauges = definitions.map(([name, help, read]) => ({ gauge: make(name, help), read }));
  return async () => {
    const measured = await measure().catch(() => undefined);
    for (const { gauge, read } of gauges) {
      if (measured !== undefined) gauge.set(read(measured));
      else gauge.remove();
    }
    return measured !== undefined;
  };
}
