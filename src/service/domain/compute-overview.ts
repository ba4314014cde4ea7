import type { PaymentStatus } from "../../contract/payment.ts";
import { isDeclineCode } from "./decline.ts";
import type { DeclineCode } from "../../contract/payment-values.ts";

/**
 * The payments created on a day (days since 1970, in UTC) that are in a state, and the sum of their amounts, exact
 * up to 2^53 and rounded beyond. `code` is why they failed; it is empty where they did not.
 */
export type Total = {
  day: number;
  currency: string;
  status: PaymentStatus;
  code: string;
  payments: number;
  amount: number;
};

export const daySeconds = 24 * 60 * 60;
/** The codes of payments that failed without a declined card. */
const unpaidCodes = new Set(["hpp_expired", "customer_canceled", "canceled"]);

/** The first day of an overview, as days since 1970. */
export function findFirstDay(nowMs: number): number {
  return Math.floor(nowMs / 1000 / daySeconds) - overviewDays + 1;
}

/** The overview of the days from `firstDay` on; the totals are complete up to `until`, in Unix seconds. */
export function computeOverview(
  all: Total[],
  { firstDay, until, currency }: { firstDay: number; until: number; currency?: string | undefined },
): Overview {
  const currencies = listCurrencies(all);
  const selected = currencies.find((each) => each === currency) ?? currencies[0] ?? null;
  const totals = all.filter((total) => total.currency === selected);
  const byDay = Map.groupBy(totals, ({ day }) => day);
  const days = Array.from({ length: overviewDays }, (_, index): DayFigures => {
    const day = firstDay + index;
    return { day: formatDay(day), ...sumFigures(byDay.get(day) ?? []) };
  });
  const sum = sumFigures(totals);
  const tried = sum.succeeded + sum.failed - sum.unpaid;
  return {
    currency: selected,
    currencies,
    until,
    days,
    totals: sum,
    successRate: tried === 0 ? null : sum.succeeded / tried,
    declines: listDeclines(totals),
  };
}

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

function countBy(totals: Total[], keyOf: (total: Total) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const total of totals) {
    counts.set(keyOf(total), (counts.get(keyOf(total)) ?? 0) + total.payments);
  }
  return counts;
}

function sumFigures(totals: Total[]): Figures {
  const figures: Figures = {
    payments: 0,
    succeeded: 0,
    failed: 0,
    unpaid: 0,
    pending: 0,
    volume: 0,
    refunded: 0,
    refundedVolume: 0,
  };
  for (const { status, code, payments, amount } of totals) {
    figures.payments += payments;
    switch (status) {
      case "refunded":
        figures.refunded += payments;
        figures.refundedVolume += amount;
        figures.succeeded += payments;
        figures.volume += amount;
        break;
      case "succeeded":
        figures.succeeded += payments;
        figures.volume += amount;
        break;
      case "failed":
        figures.failed += payments;
        if (unpaidCodes.has(code)) figures.unpaid += payments;
        break;
      case "pending":
        figures.pending += payments;
        break;
      default:
        status satisfies never;
    }
  }
  return figures;
}

function formatDay(day: number): string {
  return new Date(day * daySeconds * 1000).toISOString().slice(0, "2026-11-22".length);
}

export const overviewDays = 30;

/**
 * The outcomes of payments created in a period. Volumes are minor units. `payments` is `succeeded` + `failed` +
 * `pending`. Refunded payments are included in `succeeded` and `volume`, and `unpaid` ones, whose page expired or was
 * canceled, in `failed`.
 */
export type Figures = {
  payments: number;
  succeeded: number;
  failed: number;
  unpaid: number;
  pending: number;
  volume: number;
  refunded: number;
  refundedVolume: number;
};

/** `day` is a date in UTC, such as 2026-11-22. */
export type DayFigures = Figures & { day: string };
export type DeclineCount = { code: DeclineCode; count: number };

/** An account's payments in one mode and one currency, of the last 30 days in UTC by their creation. */
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
  /** The part that succeeded of all that succeeded or were declined; null where there are none. */
  successRate: number | null;
  /** Why payments were declined, the most frequent reason first. */
  declines: DeclineCount[];
};
