import type { Overview } from "../domain/overview-figures.ts";
import { parseCreated } from "../domain/object-id.ts";
import { findFirstDay, computeOverview } from "../domain/compute-overview.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";

/** What is looked at beyond the totals, of payments and of events: so it takes as long however many there are. */
const lookedAtOnce = 1_000;

/**
 * The last 30 days of an account and mode, in one currency: the one that is asked for where it has payments, else
 * the one with most.
 */
export async function getOverview(
  { store, clock }: Ports,
  scope: Scope,
  currency?: string,
): Promise<Overview> {
  const nowMs = clock();
  const firstDay = findFirstDay(nowMs);
  const { totals, countedTo } = await store.findTotals(scope, firstDay, lookedAtOnce);
  return computeOverview(totals, {
    firstDay,
    currency,
    until: countedTo === undefined ? Math.floor(nowMs / 1000) : parseCreated(countedTo),
  });
}
