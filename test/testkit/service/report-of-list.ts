import type { Payment } from "../../../src/contract/payment.ts";
import type { PaymentsReport, ReportRow } from "../../../src/contract/account.ts";

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

const unpaid = new Set<string | null>(["hpp_expired", "customer_canceled", "canceled"]);

function sumOf(payments: Payment[]): number {
  return payments.reduce((sum, { amount }) => sum + amount, 0);
}

function dateOf({ created }: Payment): string {
  return new Date(created * 1000).toISOString().slice(0, 10);
}
