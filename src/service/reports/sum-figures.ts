import type { PaymentStatus } from "../../contract/payment.ts";

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

/** Days since 1970 in UTC; `endDay` is excluded. */
export type DayRange = { firstDay: number; endDay: number };

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

/** The codes of payments that failed without a declined card. */
export const unpaidCodes: ReadonlySet<string> = new Set([
  "hpp_expired",
  "customer_canceled",
  "canceled",
]);

const noFigures: Figures = {
  payments: 0,
  succeeded: 0,
  failed: 0,
  unpaid: 0,
  pending: 0,
  volume: 0,
  refunded: 0,
  refundedVolume: 0,
};

/** The figures of several periods together. */
export function addFigures(all: readonly Figures[]): Figures {
  const sum = { ...noFigures };
  for (const figures of all) {
    for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += figures[name];
  }
  return sum;
}

export function sumFigures(totals: readonly Total[]): Figures {
  const figures = { ...noFigures };
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

/** The part that succeeded of all that succeeded or were declined; null where there are none. */
export function computeSuccessRate({ succeeded, failed, unpaid }: Figures): number | null {
  const tried = succeeded + failed - unpaid;
  return tried === 0 ? null : succeeded / tried;
}

/** The number of payments by a property of theirs. */
export function countBy(
  totals: readonly Total[],
  keyOf: (total: Total) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const total of totals) {
    counts.set(keyOf(total), (counts.get(keyOf(total)) ?? 0) + total.payments);
  }
  return counts;
}
