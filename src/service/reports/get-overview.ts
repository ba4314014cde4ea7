import { computeOverview, findFirstDay, type Overview } from "../domain/compute-overview.ts";
import { parseCreated } from "../domain/object-id.ts";
import type { Scope } from "../ports/idempotency-record.ts";
import type { Ports } from "../ports/ports.ts";

/** How many payments, and events, are read beyond the totals: limits the query's duration. */
const maxUncounted = 1_000;

/**
 * The last 30 days of an account and mode, in one currency. The currency with the most payments is the default,
 * and replaces a requested one without payments.
 */
export async function getOverview(
  { store, clock }: Ports,
  scope: Scope,
  currency?: string,
): Promise<Overview> {
  const nowMs = clock();
  const firstDay = findFirstDay(nowMs);
  const { totals, countedTo } = await store.findTotals(scope, firstDay, maxUncounted);
  return computeOverview(totals, {
    firstDay,
    currency,
    until: countedTo === undefined ? Math.floor(nowMs / 1000) : parseCreated(countedTo),
  });
}
