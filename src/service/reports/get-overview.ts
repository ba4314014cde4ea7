import type { ReportsService } from "./count-totals.ts";
import {
  computeOverview,
  findDaysBefore,
  findLastDays,
  listCurrencies,
  selectCurrency,
  type Overview,
} from "./compute-overview.ts";
import { parseCreated } from "../database/object-id.ts";
import type { DayRange } from "./sum-figures.ts";
import type { Scope } from "../database/scope.ts";

/** How many payments, and events, are read beyond the totals: limits the query's duration. */
const maxUncounted = 1_000;

/**
 * The given days of an account and mode, by default the last 30, in one currency, and the figures of as many days
 * before them. The currency with the most payments is the default, and replaces a requested one without payments.
 */
export async function getOverview(
  { store, clock }: ReportsService,
  scope: Scope,
  currency?: string,
  range?: DayRange,
): Promise<Overview> {
  const nowMs = clock();
  const days = range ?? findLastDays(nowMs);
  const { totals, countedTo } = await store.findTotals(scope, days, maxUncounted);
  const selected = selectCurrency(listCurrencies(totals), currency);
  // The days before are read of that currency alone: with many currencies, they are most of the rows.
  const before =
    selected === null
      ? []
      : (await store.findTotals(scope, findDaysBefore(days), maxUncounted, selected)).totals;
  return computeOverview([...totals, ...before], {
    days,
    currency,
    until: countedTo === undefined ? Math.floor(nowMs / 1000) : parseCreated(countedTo),
  });
}
