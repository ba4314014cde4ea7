import { expirePages } from "../checkout/expire-pages.ts";
import { listAll, settleSimulatedCharges } from "../payments/settle-charges.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * Moves on the pending payments that are due, as was decided in this process, and those that nobody has
 * paid on their page in time (specification: States and transitions). Safe to run twice, and on several
 * processes at once: each takes its own, and each transition is conditional. Where a part fails the others
 * are done, and then it rejects. Answers how many payments were moved or asked about; while there are any,
 * run it again.
 */
export async function settlePayments(ports: Ports): Promise<number> {
  const parts = await Promise.allSettled([expirePages(ports), settleSimulatedCharges(ports)]);
  return listAll(parts).reduce((sum, count) => sum + count);
}
