import type { ReportsService } from "./count-totals.ts";
import type { PaymentsReport, ReportQuery } from "../../contract/report.ts";
import { computeReport, resolveReportRange } from "./compute-report.ts";
import type { Scope } from "../database/scope.ts";

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
