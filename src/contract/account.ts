import * as z from "zod";
import { parseDay } from "../runtime/time.ts";
import { smallInteger } from "./list.ts";
import { maxReportPeriods, permissions, reportPeriods } from "./field-values.ts";
import { currencies } from "./money.ts";
import { currency } from "./payment.ts";
import { defineRoute, type Route } from "./route.ts";

const dayPhrase = "must be a date in UTC from 1970 on, such as 2026-11-01";
const day = z
  .string({ error: dayPhrase })
  .refine((text) => parseDay(text) !== undefined, { error: dayPhrase })
  .meta({
    format: "date",
    pattern: "^(19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}$",
    maxLength: 10,
  });

/** The query of GET /v1/reports/payments. `to` is excluded. */
const reportQuery = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  by: z.enum(reportPeriods, { error: `must be ${reportPeriods.join(" or ")}` }).optional(),
  currency: currency.optional(),
});
export type ReportQuery = z.infer<typeof reportQuery>;

const count = smallInteger().min(0);
/** A sum of amounts in minor units: exact up to 2^53, rounded beyond. */
const sum = z.number().min(0).meta({ type: "integer", maximum: 9_200_000_000_000_000_000 });

/** The payments that were created in a period, in one currency. */
const reportRow = z.object({
  period: z.string(),
  currency: z.string(),
  payments: count,
  succeeded: count,
  failed: count,
  refunded: count,
  gross: sum,
  refunds: sum,
  net: sum,
  success_rate: z.number().min(0).max(1).nullable(),
  decline_codes: z.record(z.string(), count),
});
export type ReportRow = z.infer<typeof reportRow>;

/** The outcomes of the payments that were created in a range of days, in one mode of an account. */
const paymentsReport = z
  .object({
    object: z.literal("report"),
    from: z.string(),
    to: z.string(),
    by: z.enum(reportPeriods),
    livemode: z.boolean(),
    data: z.array(reportRow).meta({ maxItems: maxReportPeriods * currencies.length }),
  })
  .meta({
    id: "PaymentsReport",
    examples: [
      {
        object: "report",
        from: "2026-11-01",
        to: "2026-12-01",
        by: "month",
        livemode: false,
        data: [
          {
            period: "2026-11",
            currency: "eur",
            payments: 120,
            succeeded: 110,
            failed: 9,
            refunded: 4,
            gross: 548_900,
            refunds: 19_996,
            net: 528_904,
            success_rate: 0.9482758620689655,
            decline_codes: { insufficient_funds: 6, hpp_expired: 3 },
          },
        ],
      },
    ],
  });
export type PaymentsReport = z.infer<typeof paymentsReport>;

/**
 * The account of an API key; `livemode`, `permissions` and `max_refund` are the key's. A service from before keys could
 * be restricted sends neither of the last two.
 */
const keyAccount = z
  .object({
    id: z.string(),
    object: z.literal("account"),
    name: z.string(),
    default_version: z.string(),
    livemode: z.boolean(),
    permissions: z
      .array(z.string().meta({ examples: [...permissions] }))
      .max(100)
      .optional(),
    max_refund: z.int().min(1).nullable().optional(),
  })
  .meta({ id: "Account" });
export type KeyAccount = z.infer<typeof keyAccount>;

export const accountRoutes = {
  getAccount: defineRoute("GET /v1/account", {
    summary: "Retrieve the account of the key",
    permission: null,
    description:
      "Says to which account and mode a key belongs, what it may do, and which version of the API applies without `Service-Version`. Any valid key may ask.",
    response: keyAccount,
  }),
  reportPayments: defineRoute("GET /v1/reports/payments", {
    summary: "Report the payments of a range of days by day or month",
    permission: "read",
    description:
      "Days are in UTC, by creation, from `from` up to but not including `to`; by default this month up to today, by day. There is a row for each period and currency that has payments, in this order; a first and a last month have only their days within the range. The figures are those of a list of the same payments at this moment: `succeeded` and `gross` include payments that were refunded later, and `net` is `gross` less `refunds`, in minor units. `success_rate` is `succeeded` divided by `succeeded` and declined payments together; pages that were never paid count as `failed`, but not towards it, and it is null where there are neither. `decline_codes` counts the failed payments by their code. Sums are exact up to 2^53 minor units, and rounded beyond.",
    query: reportQuery,
    response: paymentsReport,
  }),
} satisfies Record<string, Route>;

/** The texts of the API's description: of schemas by their names, of fields by their paths. */
export const accountTexts = {
  Account: "The account of an API key.",
  PaymentsReport: "What became of the payments of a range of days.",
  "Account.name": "The account's name.",
  "Account.default_version": "The version of the API without `Service-Version`.",
  "Account.permissions":
    "What the key may do, in alphabetical order: `x-permission` of an operation names the one that it needs.",
  "Account.max_refund":
    "The largest payment that the key may refund, in minor units of any currency; null without a limit.",
  "PaymentsReport.from": "The first day, in UTC.",
  "PaymentsReport.to": "The day after the last one, in UTC.",
  "PaymentsReport.by": "What a row is.",
  "PaymentsReport.data": "A row for each period and currency that has payments, in this order.",
  "PaymentsReport.data.period": "The day, as 2026-11-01, or the month, as 2026-11.",
  "PaymentsReport.data.payments": "How many were created.",
  "PaymentsReport.data.succeeded": "How many have succeeded; also those refunded later.",
  "PaymentsReport.data.failed": "How many have failed.",
  "PaymentsReport.data.refunded": "How many were refunded.",
  "PaymentsReport.data.gross": "The sum of what succeeded, in minor units.",
  "PaymentsReport.data.refunds": "The sum of the refunds, in minor units.",
  "PaymentsReport.data.net": "`gross` less `refunds`.",
  "PaymentsReport.data.success_rate":
    "`succeeded` divided by `succeeded` and declined together; null if there are neither.",
  "PaymentsReport.data.decline_codes": "How many failed, by their code.",
};

/** The texts and examples of query parameters in the API's description. */
export const accountParameters = {
  from: {
    text: "The first day, in UTC, from 1970 on. By default that of this month.",
    example: "2026-11-01",
  },
  to: {
    text: "The day after the last one, in UTC: after `from`, and at most 400 days, or with `by=month` 400 months, later. By default tomorrow.",
    example: "2026-12-01",
  },
  by: { text: "What a row is. By default a day.", example: "month" },
};
