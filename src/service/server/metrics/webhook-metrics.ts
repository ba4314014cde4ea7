import { Counter, Gauge, type Registry } from "prom-client";
import type { WebhookBacklog } from "../../ports/event-store.ts";

const outcomes = ["delivered", "retried", "failed"] as const;

/** What becomes of webhooks, and what waits to be delivered. */
export function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  const deliveries = new Counter({
    name: "payments_webhook_deliveries_total",
    help: "Tries to deliver a webhook: delivered, to be tried again (retried), or given up (failed).",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of outcomes) deliveries.inc({ outcome }, 0);
  const count = new Gauge({
    name: "payments_webhook_backlog",
    help: "Deliveries to enabled endpoints that have not ended, those to be tried again too; 10000 stands for more, too.",
    registers,
  });
  const age = new Gauge({
    name: "payments_webhook_backlog_oldest_seconds",
    help: "For how long the oldest of them has been queued; 0 where there is none.",
    registers,
  });
  return {
    ended: (outcome: (typeof outcomes)[number]) => deliveries.inc({ outcome }),
    /** Asks the store; where that does not answer the numbers are left out rather than old. */
    refresh: async (ask: () => Promise<WebhookBacklog>): Promise<void> => {
      try {
        const backlog = await ask();
        count.set(backlog.count);
        age.set(backlog.oldestAgeMs / 1000);
      } catch {
        count.remove();
        age.remove();
      }
    },
  };
}
