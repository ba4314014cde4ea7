import type { DeclineCode } from "../../contract/payment-values.ts";

/** How many days an overview has. */
export const overviewDays = 30;

/**
 * What became of the payments that were created in a time. Counts are numbers of payments, volumes minor units.
 * `payments` is `succeeded` + `failed` + `pending`; those refunded later are among those that succeeded, in
 * `volume` too, and `unpaid` ones, whose page nobody paid, among those that failed.
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
  /** The one that was asked for, else the one with most payments; null where there are none. */
  currency: string | null;
  /** Those of these days, the one with most payments first. */
  currencies: string[];
  /** Unix seconds: what happened up to then is in the figures. */
  until: number;
  /** Oldest first, those without payments too. */
  days: DayFigures[];
  totals: Figures;
  /** Of those that succeeded or were declined, which part succeeded; null where there are none. */
  successRate: number | null;
  /** Why payments were declined, the most frequent reason first. */
  declines: DeclineCount[];
};
