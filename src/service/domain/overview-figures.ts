import type { DeclineCode } from "../../contract/payment-values.ts";

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
