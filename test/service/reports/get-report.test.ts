import { describe, expect, test } from "vitest";
import { parseDay } from "../../../src/runtime/time.ts";
import type { ReportQuery } from "../../../src/contract/account.ts";
import { computeReport, resolveReportRange } from "../../../src/service/reports/get-report.ts";
import type { Total } from "../../../src/service/reports/sum-figures.ts";

const nowMs = Date.UTC(2026, 10, 22, 15, 30);

function rangeOf(query: ReportQuery): string {
  const range = resolveReportRange(query, nowMs);
  const { from, to } = computeReport([], { ...range, livemode: false });
  return `${from} ${to} ${range.by}`;
}

describe("the days of a report", () => {
  test.each<[string, ReportQuery, string]>([
    ["are this month up to today by default", {}, "2026-11-01 2026-11-23 day"],
    ["end with today by default", { from: "2026-11-20" }, "2026-11-20 2026-11-23 day"],
    ["begin with the month of the last day", { to: "2026-03-01" }, "2026-02-01 2026-03-01 day"],
    ["may be a single one", { from: "2026-11-22", to: "2026-11-23" }, "2026-11-22 2026-11-23 day"],
    [
      "are grouped by month",
      { from: "2025-01-15", to: "2026-11-01", by: "month" },
      "2025-01-15 2026-11-01 month",
    ],
    ["are 400 at most", { from: "2025-01-01", to: "2026-02-05" }, "2025-01-01 2026-02-05 day"],
    [
      "are of 400 months at most",
      { from: "1993-08-31", to: "2026-12-01", by: "month" },
      "1993-08-31 2026-12-01 month",
    ],
  ])("%s", (_, query, expected) => {
    expect(rangeOf(query)).toBe(expected);
  });

  test.each<[string, ReportQuery, string, RegExp]>([
    ["that are none", { from: "2026-11-02", to: "2026-11-02" }, "to", /later than from/],
    ["in the future", { from: "2026-11-23" }, "from", /before 2026-11-23/],
    [
      "that are too many",
      { from: "2025-01-01", to: "2026-02-06" },
      "from",
      /at most 400 days before to: these are 401\..*by month/,
    ],
    [
      "of too many months",
      { from: "1993-07-31", to: "2026-11-02", by: "month" },
      "from",
      /at most 400 months before to: these are 401\. Move them closer together\.$/,
    ],
  ])("%s are refused", (_, query, param, message) => {
    expect(() => rangeOf(query)).toThrow(
      expect.objectContaining({
        code: "parameter_invalid",
        param,
        message: expect.stringMatching(message) as string,
      }),
    );
  });
});

function total(date: string, fields: Partial<Total> = {}): Total {
  const day = parseDay(date)!;
  return {
    day,
    currency: "eur",
    status: "succeeded",
    code: "",
    payments: 1,
    amount: 100,
    ...fields,
  };
}

const failed = (code: string, payments: number) => ({ status: "failed" as const, code, payments });

const reportOf = (totals: Total[], by: "day" | "month" = "day") =>
  computeReport(totals, {
    ...resolveReportRange({ from: "2026-10-15", to: "2026-11-10", by }, nowMs),
    livemode: true,
  });

describe("a row of a report", () => {
  test("has every figure of the payments of its period and currency", () => {
    const day = "2026-11-01";
    const report = reportOf([
      total(day, { payments: 5, amount: 500 }),
      total(day, { status: "refunded", payments: 2, amount: 150 }),
      total(day, { status: "pending", payments: 4, amount: 999 }),
      total(day, { ...failed("expired_card", 1), amount: 999 }),
      total(day, { ...failed("generic_decline", 2), amount: 999 }),
      total(day, { ...failed("hpp_expired", 3), amount: 999 }),
    ]);
    expect(report).toEqual({
      object: "report",
      from: "2026-10-15",
      to: "2026-11-10",
      by: "day",
      livemode: true,
      data: [
        {
          period: day,
          currency: "eur",
          payments: 17,
          succeeded: 7,
          failed: 6,
          refunded: 2,
          gross: 650,
          refunds: 150,
          net: 500,
          success_rate: 7 / 10,
          decline_codes: { hpp_expired: 3, generic_decline: 2, expired_card: 1 },
        },
      ],
    });
  });

  test("is there for each period and currency that has payments, in this order", () => {
    const totals = [
      total("2026-11-02", { currency: "usd" }),
      total("2026-11-02"),
      total("2026-10-31"),
      // A payment that has left its state leaves a total of nothing.
      total("2026-11-01", { payments: 0, amount: 0 }),
    ];
    const keysOf = ({ data }: ReturnType<typeof reportOf>) =>
      data.map(({ period, currency, payments }) => [period, currency, payments]);
    expect(keysOf(reportOf(totals))).toEqual([
      ["2026-10-31", "eur", 1],
      ["2026-11-02", "eur", 1],
      ["2026-11-02", "usd", 1],
    ]);
    expect(keysOf(reportOf(totals, "month"))).toEqual([
      ["2026-10", "eur", 1],
      ["2026-11", "eur", 1],
      ["2026-11", "usd", 1],
    ]);
  });

  test("has no success rate where nothing was tried", () => {
    const { data } = reportOf([
      total("2026-11-01", { status: "pending" }),
      total("2026-11-01", failed("canceled", 1)),
    ]);
    expect(data[0]).toMatchObject({ success_rate: null, decline_codes: { canceled: 1 } });
  });
});
