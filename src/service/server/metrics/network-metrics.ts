import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { NetworkObserver } from "../../ports/card-network.ts";
import { latencyBuckets } from "./store-metrics.ts";

/** Requests to a card network, their outcomes and durations, and what the circuit breaker rejects. */
export function createNetworkMetrics(registry: Registry): NetworkObserver {
  const registers = [registry];
  const requests = new Histogram({
    name: "payments_network_request_duration_seconds",
    help: "What the card network was asked, by operation and outcome, and how long it took.",
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
    help: "Answers about another charge than the one that the card network was asked about.",
    registers,
  });
  const turnedAway = new Counter({
    name: "payments_network_turned_away_total",
    help: "Requests that did not get to ask the card network, by why.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["no_place", "breaker_open"] as const) turnedAway.inc({ reason }, 0);
  const open = new Gauge({
    name: "payments_network_breaker_open",
    help: "Whether the card network fails, so that only one request a second is let through: 1 or 0.",
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
