import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { NetworkObserver } from "../../ports/card-network.ts";
import { latencyBuckets } from "./store-metrics.ts";

/** Requests to a card network, their outcomes and durations, and what the circuit breaker rejects. */
export function createNetworkMetrics(registry: Registry): NetworkObserver {
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
