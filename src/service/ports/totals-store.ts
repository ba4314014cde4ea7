import type { Total } from "../domain/compute-overview.ts";
import type { Scope } from "./idempotency-record.ts";

export type TotalsStore = {
  /**
   * Adds to the totals of a scope what has happened since they were counted and before a time in Unix seconds, up
   * to `limit` payments and as many events; returns whether there was anything. Each counts once, whichever replica adds it.
   */
  countTotals(scope: Scope, before: number, limit: number): Promise<boolean>;
  /**
   * The totals of the days from `firstDay` on, with what has happened since they were counted, up to `limit`
   * payments and as many events. Where there are more, `countedTo` is the id of a payment up to which they hold
   * all.
   */
  findTotals(
    scope: Scope,
    firstDay: number,
    limit: number,
  ): Promise<{ totals: Total[]; countedTo: string | undefined }>;
};
