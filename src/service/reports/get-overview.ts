import { type DeclineCode, isDeclineCode } from "../../contract/field-values.ts";
import { findDay, formatDay } from "../../runtime/time.ts";
import { parseCreated } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { ReportsService } from "./totals-store.ts";
import {
  type DayRange,
  type Figures,
  type Total,
  countBy,
  sumFigures,
  unpaidCodes,
} from "./sum-figures.ts";

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

/** The last days, today included. */
export function findLastDays(nowMs: number, count = overviewDays): DayRange {
  const endDay = findDay(nowMs) + 1;
  return { firstDay: endDay - count, endDay };
}

/** As many days as a range has, before it. */
function findDaysBefore({ firstDay, endDay }: DayRange): DayRange {
  return { firstDay: firstDay - (endDay - firstDay), endDay: firstDay };
}

/** The requested currency of those with payments, else the one with the most payments; null without payments. */
function selectCurrency(currencies: string[], requested: string | undefined): string | null {
  return currencies.find((each) => each === requested) ?? currencies[0] ?? null;
}

/**
 * The overview of a range of days, from the totals of these days and of as many before them, complete up to `until`, in
 * Unix seconds.
 */
export function computeOverview(
  found: Total[],
  {
    days: { firstDay, endDay },
    until,
    currency,
  }: { days: DayRange; until: number; currency?: string | undefined },
): Overview {
  const all = found.filter(({ day }) => day >= firstDay);
  const currencies = listCurrencies(all);
  const selected = selectCurrency(currencies, currency);
  const totals = all.filter((total) => total.currency === selected);
  const byDay = Map.groupBy(totals, ({ day }) => day);
  const days = Array.from({ length: endDay - firstDay }, (_, index): DayFigures => {
    const day = firstDay + index;
    return { day: formatDay(day), ...sumFigures(byDay.get(day) ?? []) };
  });
  const sum = sumFigures(totals);
  const before = found.filter((total) => total.day < firstDay && total.currency === selected);
  return {
    currency: selected,
    currencies,
    until,
    days,
    totals: sum,
    before: sumFigures(before),
    declines: listDeclines(totals),
  };
}

/** The currencies of payments, the one with the most payments first. */
function listCurrencies(totals: Total[]): string[] {
  const payments = [...countBy(totals, ({ currency }) => currency)].filter(
    ([, count]) => count > 0,
  );
  return payments
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([currency]) => currency);
}

function listDeclines(totals: Total[]): DeclineCount[] {
  return [...countBy(totals, ({ code }) => code)]
    .flatMap(([code, count]) =>
      isDeclineCode(code) && !unpaidCodes.has(code) && count > 0 ? [{ code, count }] : [],
    )
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

const overviewDays = 30;

/** `day` is a date in UTC, such as 2026-11-22. */
export type DayFigures = Figures & { day: string };
export type DeclineCount = { code: DeclineCode; count: number };

/** An account's payments in one mode and one currency, of some days in UTC by their creation. */
export type Overview = {
  /** The requested currency, else the one with most payments; null without payments. */
  currency: string | null;
  /** The currencies of these days, the one with most payments first. */
  currencies: string[];
  /** The figures are complete up to this time, in Unix seconds. */
  until: number;
  /** Oldest first, days without payments too. */
  days: DayFigures[];
  totals: Figures;
  /** The figures of as many days before these, in the same currency. */
  before: Figures;
  /** Why payments were declined, the most frequent reason first. */
  declines: DeclineCount[];
};
