import type { DayRange, Total } from "./sum-figures.ts";
import type { Scope } from "../database/scope.ts";

/** Of the totals that are found, several may be of the same day, currency, state and code: they add up. */
export type TotalsStore = {
  /**
   * Adds payments and events that are not counted yet, and older than a time in Unix seconds, to the totals of a
   * scope: up to `limit` of each. Returns whether there were any. Each counts once, whichever replica adds it.
   */
  countTotals(scope: Scope, before: number, limit: number): Promise<boolean>;
  /**
   * The totals of a range of days, of all currencies or of one, including up to `limit` payments and as many events
   * that are not counted yet. Where there are more, the totals are complete up to the payment `countedTo`.
   */
  findTotals(
    scope: Scope,
    days: DayRange,
    limit: number,
    currency?: string,
  ): Promise<{ totals: Total[]; countedTo: string | undefined }>;
  /** The totals of a range of days, of one moment: with all payments and events that are not counted yet. */
  findAllTotals(scope: Scope, days: DayRange): Promise<Total[]>;
};
