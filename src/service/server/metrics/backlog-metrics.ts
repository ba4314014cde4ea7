import { Gauge, type Registry } from "prom-client";
import type { WebhookBacklog } from "../../ports/event-store.ts";
import type { Backlog } from "../../ports/payment-store.ts";

/** Payments and charges that wait to be settled, by the store. The returned function reads them. */
export function createSettlementBacklog(
  registry: Registry,
  measure: () => Promise<Backlog & { elsewhere: number }>,
): () => Promise<void> {
  const up = new Gauge({
    name: "payments_store_up",
    help: "Whether the store answered when these metrics were read: 1 or 0.",
    registers: [registry],
  });
  const refresh = createGauges(registry, measure, [
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
  ]);
  return async () => up.set((await refresh()) ? 1 : 0);
}

/** Deliveries that wait, by the store. The returned function reads them. */
export function createWebhookBacklog(
  registry: Registry,
  measure: () => Promise<WebhookBacklog>,
): () => Promise<unknown> {
  return createGauges(registry, measure, [
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
  ]);
}

/** Payments that are not in the search index, by the store. The returned function reads them. */
export function createSearchBacklog(
  registry: Registry,
  measure: () => Promise<number>,
): () => Promise<unknown> {
  return createGauges(registry, measure, [
    [
      "payments_search_behind_seconds",
      "The age of the oldest payment that is not in the search index; 0 where all are.",
      (seconds) => seconds,
    ],
  ]);
}

/** If `measure` fails, the gauges are left out rather than old. The returned function answers whether it succeeded. */
function createGauges<Measured>(
  registry: Registry,
  measure: () => Promise<Measured>,
  definitions: [name: string, help: string, read: (measured: Measured) => number][],
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
