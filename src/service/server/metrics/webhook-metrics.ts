import { Counter, Histogram, type Registry } from "prom-client";
import type { DeliveryObserver } from "../../webhooks/record-attempt.ts";
import { latencyBuckets } from "./store-metrics.ts";

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "none"] as const;

/** The attempts to deliver webhooks: by outcome, by the class of the answer's status, and by how long they took. */
export function createWebhookMetrics(registry: Registry): Pick<DeliveryObserver, "ended"> {
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
