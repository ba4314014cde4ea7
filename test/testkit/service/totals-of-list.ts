import type {
  DayFigures,
  DeclineCount,
  Overview,
} from "../../../src/service/reports/get-overview.ts";
import type { Figures } from "../../../src/service/reports/sum-figures.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import type { PaymentsReport, ReportRow } from "../../../src/contract/account.ts";

// Overviews and reports, each summed up from a list of all payments.

const dayMs = 24 * 60 * 60 * 1_000;

/** Computes an overview from a list of all payments. */
export function computeOverviewOfList(
  all: Payment[],
  nowMs: number,
  currency: string | undefined,
): Overview {
  const dates = listDates(nowMs);
  const datesBefore = listDates(nowMs - dates.length * dayMs);
  const recent = all.filter((payment) => dates.includes(dateOf(payment)));
  const inCurrency = recent.filter((payment) => payment.currency === currency);
  const totals = figuresOf(inCurrency);
  const declined = inCurrency.filter((payment) => payment.failed_at !== null && !isUnpaid(payment));
  const byCode = Map.groupBy(declined, ({ decline_code }) => decline_code as DeclineCount["code"]);
  return {
    currency: currency ?? null,
    currencies: [...Map.groupBy(recent, (payment) => payment.currency)]
      .toSorted(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
      .map(([each]) => each),
    until: Math.floor(nowMs / 1000),
    days: dates.map((day): DayFigures =>
      Object.assign({ day }, figuresOf(inCurrency.filter((payment) => dateOf(payment) === day))),
    ),
    totals,
    before: figuresOf(
      all.filter((each) => each.currency === currency && datesBefore.includes(dateOf(each))),
    ),
    declines: [...byCode]
      .map(([code, { length: count }]) => ({ code, count }))
      .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}

/** The thirty days up to a time. */
function listDates(endMs: number): string[] {
  return Array.from({ length: 30 }, (_, index) =>
    new Date(endMs - (29 - index) * dayMs).toISOString().slice(0, 10),
  );
}

function figuresOf(payments: Payment[]): Figures {
  const paid = payments.filter((payment) => payment.succeeded_at !== null);
  const refunded = payments.filter((payment) => payment.refunded_at !== null);
  const failed = payments.filter((payment) => payment.failed_at !== null);
  return {
    payments: payments.length,
    succeeded: paid.length,
    failed: failed.length,
    unpaid: failed.filter(isUnpaid).length,
    pending: payments.filter(({ status }) => status === "pending").length,
    volume: sumOf(paid),
    refunded: refunded.length,
    refundedVolume: sumOf(refunded),
  };
}

function sumOf(payments: Payment[]): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0);
}

function dateOf({ created }: Payment): string {
  return new Date(created * 1000).toISOString().slice(0, 10);
}

function isUnpaid({ decline_code: code }: Payment): boolean {
  return code === "hpp_expired" || code === "customer_canceled";
}

type Range = Pick<PaymentsReport, "from" | "to" | "by" | "livemode">;

/** Computes a report from a list of all payments. */
export function computeReportOfList(all: Payment[], range: Range): PaymentsReport {
  const { from, to, by } = range;
  const inRange = all.filter((payment) => from <= dateOf(payment) && dateOf(payment) < to);
  const rows = Map.groupBy(inRange, (payment) => {
    const period = dateOf(payment).slice(0, by === "day" ? 10 : 7);
    return `${period} ${payment.currency}`;
  });
  const data = [...rows]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, payments]) => toRow(key, payments));
  return { object: "report", ...range, data };
}

function toRow(key: string, payments: Payment[]): ReportRow {
  const [period = "", currency = ""] = key.split(" ");
  const paid = payments.filter((payment) => payment.succeeded_at !== null);
  const refunded = payments.filter((payment) => payment.refunded_at !== null);
  const failed = payments.filter((payment) => payment.failed_at !== null);
  const declined = failed.filter(({ decline_code: code }) => !unpaid.has(code));
  const [gross, refunds] = [sumOf(paid), sumOf(refunded)];
  const tried = paid.length + declined.length;
  const byCode = Map.groupBy(failed, (payment) => payment.decline_code ?? "");
  return {
    period,
    currency,
    payments: payments.length,
    succeeded: paid.length,
    failed: failed.length,
    refunded: refunded.length,
    gross,
    refunds,
    net: gross - refunds,
    success_rate: tried === 0 ? null : paid.length / tried,
    decline_codes: Object.fromEntries([...byCode].map(([code, { length }]) => [code, length])),
  };
}

/** Payments that nobody tried to pay, or that the merchant canceled: no declines. */
const unpaid = new Set<string | null>(["hpp_expired", "customer_canceled", "canceled"]);
