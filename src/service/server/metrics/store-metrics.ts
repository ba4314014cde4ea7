import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { Unavailable } from "../../../runtime/failures.ts";
import type { WebhookBacklog } from "../../webhooks/deliveries-sql.ts";
import type { Backlog } from "../../payments/payment-types.ts";
import type { Store } from "../../service.ts";
import { watchWrites, type WriteObserver } from "../watch-writes.ts";
import type { Driver } from "../../database/driver.ts";

/** Seconds: from a read in memory to what the slowest request may take. */
export const latencyBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Operations of a store and their durations, payments by status, commits, connections. */
export function createStoreMetrics(registry: Registry) {
  const registers = [registry];
  const operations = new Histogram({
    name: "payments_store_operation_duration_seconds",
    help: "Operations of the store by how long they took, waiting for a commit or connection included.",
    labelNames: ["operation", "outcome"],
    buckets: latencyBuckets,
    registers,
  });
  const transitions = new Counter({
    name: "payments_transitions_total",
    help: "Payments that entered a status, new ones included. Replays are not counted.",
    labelNames: ["mode", "status", "decline_code"],
    registers,
  });
  const commits = new Histogram({
    name: "payments_store_commit_writes",
    help: "Writes that one commit brought to the disk together.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });

  function measure<A extends unknown[], R>(operation: string, method: (...args: A) => Promise<R>) {
    return async (...args: A): Promise<R> => {
      const startMs = performance.now();
      const end = (outcome: string) =>
        operations.observe({ operation, outcome }, (performance.now() - startMs) / 1000);
      try {
        const result = await method(...args);
        end("ok");
        return result;
      } catch (error) {
        end(error instanceof Unavailable ? "unavailable" : "error");
        throw error;
      }
    };
  }

  const countStatus: WriteObserver["onStatus"] = ({ livemode }, payment) =>
    transitions.inc({
      mode: livemode ? "live" : "test",
      status: payment.status,
      decline_code: ("decline_code" in payment && payment.decline_code) || "none",
    });

  return {
    committed: (writes: number) => commits.observe(writes),
    /** The same store, measured; it reports the due times of what it writes. */
    opened: (
      store: Store,
      { pool }: Pick<Driver, "pool">,
      dueTimes: Omit<WriteObserver, "onStatus"> = {},
    ): Store => {
      if (pool) createPoolMetrics(registers, pool);
      const entries = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
      const measured = Object.fromEntries(
        entries.map(([name, method]) => [name, measure(name, method)]),
      ) as Store;
      return watchWrites(measured, { onStatus: countStatus, ...dueTimes });
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
export function createGauges<Measured>(
  registry: Registry,
  definitions: GaugeOf<Measured>[],
  measure: () => Promise<Measured>,
): () => Promise<boolean> {
  const gauges = definitions.map(([name, help, read]) => ({
    gauge: new Gauge({ name, help, registers: [registry] }),
    read,
  }));
  return async () => {
    const measured = await measure().catch(() => undefined);
    for (const { gauge, read } of gauges) {
      if (measured !== undefined) gauge.set(read(measured));
      else gauge.remove();
    }
    return measured !== undefined;
  };
}
