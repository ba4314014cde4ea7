import { Gauge, type Registry } from "prom-client";
import type { Backlog } from "../../ports/payment-store.ts";

/**
 * How far the settling of payments is behind, asked of the store when metrics are read. Where the
 * store does not answer the numbers are left out rather than old, and the rest is told without them.
 */
export function createBacklogMetrics(
  registry: Registry,
  ask: () => Promise<Backlog & { elsewhere: number }>,
) {
  const registers = [registry];
  const up = new Gauge({
    name: "payments_store_up",
    help: "Whether the store answered when these metrics were read: 1 or 0.",
    registers,
  });
  const due = new Gauge({
    name: "payments_settlements_due",
    help: "Pending payments whose card network is to be asked now; 10000 stands for more, too.",
    registers,
  });
  const age = new Gauge({
    name: "payments_settlement_oldest_due_age_seconds",
    help: "For how long the longest waiting of them has been due; 0 where none is.",
    registers,
  });
  const undecided = new Gauge({
    name: "payments_charges_undecided",
    help: "Charges, cancellations and refunds that the card network has not decided; 10000 stands for more, too.",
    registers,
  });
  const undecidedAge = new Gauge({
    name: "payments_charge_oldest_undecided_age_seconds",
    help: "For how long the oldest charge, cancellation or refund has been undecided; 0 where none is.",
    registers,
  });
  const elsewhere = new Gauge({
    name: "payments_charges_undecided_elsewhere",
    help: "Undecided charges, cancellations and refunds of another card network than this service is attached to; 10000 stands for more, too.",
    registers,
  });
  return async function refresh(): Promise<void> {
    try {
      const backlog = await ask();
      due.set(backlog.due);
      age.set(backlog.oldestAgeMs / 1000);
      undecided.set(backlog.undecided);
      undecidedAge.set(backlog.oldestUndecidedAgeMs / 1000);
      elsewhere.set(backlog.elsewhere);
      up.set(1);
    } catch {
      due.remove();
      age.remove();
      undecided.remove();
      undecidedAge.remove();
      elsewhere.remove();
      up.set(0);
    }
  };
}
