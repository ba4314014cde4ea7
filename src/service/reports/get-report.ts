import { type ReportPeriod, maxReportPeriods } from "../../contract/field-values.ts";
import type { PaymentsReport, ReportQuery, ReportRow } from "../../contract/account.ts";
import { ServiceError } from "../../contract/error.ts";
import { findDay, formatDay, parseDay } from "../../runtime/time.ts";
import type { Scope } from "../database/scope.ts";
import type { ReportsService } from "./totals-store.ts";
import {
  type DayRange,
  type Total,
  computeSuccessRate,
  countBy,
  sumFigures,
} from "./sum-figures.ts";

/**
 * What became of the payments that were created in a range of days: the same figures that a list of these payments
 * gives at this moment. Errors: parameter_invalid.
 */
export async function getReport(
  { store, clock }: ReportsService,
  scope: Scope,
  query: ReportQuery = {},
): Promise<PaymentsReport> {
  const range = resolveReportRange(query, clock());
  const all = await store.findAllTotals(scope, range);
  const totals = all.filter(({ currency }) => currency === (query.currency ?? currency));
  return computeReport(totals, { ...range, livemode: scope.livemode });
}

export type ReportRange = DayRange & { by: ReportPeriod };

/**
 * The days and periods that a query requests. By default they end with today, and begin on the first of the month of
 * the last day. Errors: parameter_invalid where the range is empty, or has more than `maxReportPeriods` periods.
 */
export function resolveReportRange(
  { from, to, by = "day" }: ReportQuery,
  nowMs: number,
): ReportRange {
  const endDay = (to === undefined ? undefined : parseDay(to)) ?? findDay(nowMs) + 1;
  const firstDay =
    (from === undefined ? undefined : parseDay(from)) ?? findFirstOfMonth(endDay - 1);
  const last = formatDay(endDay);
  if (firstDay >= endDay) {
    throw to === undefined
      ? rangeError("from", `must be before ${last}, where the report ends if there is no to`)
      : rangeError("to", `must be later than from, since ${last} itself is excluded`);
  }
  const range = { firstDay, endDay, by };
  const count = countPeriods(range);
  if (count > maxReportPeriods) {
    const remedy = by === "day" ? ", or report by month" : "";
    throw rangeError(
      "from",
      `must be at most ${maxReportPeriods} ${by}s before to: these are ${count}. Move them closer together${remedy}`,
    );
  }
  return range;
}

function rangeError(param: string, mistake: string): ServiceError {
  return new ServiceError("parameter_invalid", `${param} ${mistake}.`, param);
}

function findFirstOfMonth(day: number): number {
  return parseDay(`${formatMonth(day)}-01`) ?? day;
}

function formatMonth(day: number): string {
  return formatDay(day).slice(0, "2026-11".length);
}

function countPeriods({ firstDay, endDay, by }: ReportRange): number {
  return by === "day" ? endDay - firstDay : countMonths(endDay - 1) - countMonths(firstDay) + 1;
}

/** The months from the year 0 to that of a day. */
function countMonths(day: number): number {
  const [year = 0, month = 0] = formatDay(day).split("-").map(Number);
  return year * 12 + month;
}

/**
 * The report of a range of days: a row for each period and currency that has payments, in this order. The first and
 * the last month have only their days within the range.
 */
export function computeReport(
  totals: readonly Total[],
  { firstDay, endDay, by, livemode }: ReportRange & { livemode: boolean },
): PaymentsReport {
  const periods = new Map(
    Array.from({ length: endDay - firstDay }, (_, index) => {
      const day = firstDay + index;
      return [day, by === "day" ? formatDay(day) : formatMonth(day)];
    }),
  );
  const groups = Map.groupBy(totals, ({ day, currency }) => `${periods.get(day)} ${currency}`);
  return {
    object: "report",
    from: formatDay(firstDay),
    to: formatDay(endDay),
    by,
    livemode,
    data: [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, group]) => computeRow(key, group))
      .filter(({ payments }) => payments > 0),
  };
}

function computeRow(key: string, totals: readonly Total[]): ReportRow {
  const [period = "", currency = ""] = key.split(" ");
  const figures = sumFigures(totals);
  return {
    period,
    currency,
    payments: figures.payments,
    succeeded: figures.succeeded,
    failed: figures.failed,
    refunded: figures.refunded,
    gross: figures.volume,
    refunds: figures.refundedVolume,
    net: figures.volume - figures.refundedVolume,
    success_rate: computeSuccessRate(figures),
    decline_codes: Object.fromEntries(
      [...countBy(totals, ({ code }) => code)]
        .filter(([code, count]) => code !== "" && count > 0)
        .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
    ),
  };
}
