// The constants of reports, without zod: the command does not load it.

/** A report has one row for each day, or for each month. */
export const reportPeriods = ["day", "month"] as const;
export type ReportPeriod = (typeof reportPeriods)[number];

export const maxReportPeriods = 400;

/** The fields of a row, in the order of a CSV. */
export const reportFields = [
  "period",
  "currency",
  "payments",
  "succeeded",
  "failed",
  "refunded",
  "gross",
  "refunds",
  "net",
  "success_rate",
  "decline_codes",
] as const;
