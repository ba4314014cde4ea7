import type { Total } from "../domain/compute-overview.ts";
import type { Scope } from "./idempotency-record.ts";

export type TotalsStore = {
  /**
   * Adds payments and events that are not counted yet, and older than a time in Unix seconds, to the totals of a
   * scope: up to `limit` of each. Returns whether there were any. Each counts once, whichever replica adds it.
   */
  countTotals(scope: Scope, before: number, limit: number): Promise<boolean>;
  /**
   * The totals of the days from `firstDay` on, including up to `limit` payments and as many events that are not
   * counted yet. Where there are more, the totals are complete up to the payment `countedTo`.
   */
  findTotals(
    scope: Scope,
    firstDay: number,
    limit: number,
  ): Promise<{ totals: Total[]; countedTo: string | undefined }>;
};
