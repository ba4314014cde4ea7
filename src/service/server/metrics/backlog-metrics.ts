import { Gauge, type Registry } from "prom-client";
import type { WebhookBacklog } from "../../ports/event-store.ts";
import type { Backlog } from "../../ports/payment-store.ts";

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
