import { Chalk } from "chalk";
import { expect, test } from "vitest";
import { createReportView } from "../../../src/cli/output/report-resource.ts";
import { formatItems } from "../../../src/cli/output/resource-text.ts";
import type { ReportRow } from "../../../src/contract/account.ts";

const row = (fields: Partial<ReportRow>): ReportRow => ({
  period: "2026-11-01",
  currency: "eur",
  payments: 1_200,
  succeeded: 1_100,
  failed: 100,
  refunded: 3,
  gross: 5_498_900,
  refunds: 14_997,
  net: 5_483_903,
  success_rate: 0.91666,
  decline_codes: { generic_decline: 100 },
  ...fields,
});
const rows = [
  row({}),
  row({ period: "2026-11-02", gross: 2_749_450 }),
  row({ period: "2026-11-03", gross: 1 }),
  row({ period: "2026-11-04", gross: 0, success_rate: null }),
  row({ period: "2026-11-04", currency: "usd", gross: 100 }),
];
const plain = new Chalk({ level: 0 });
const draw = (width?: number) =>
  formatItems(createReportView(rows, width), rows, { style: plain, width }).split("\n");

test("in a terminal each row of a report has a bar, compared with those of its currency", () => {
  expect(draw(80).map((line) => line.slice(0, 42).trimEnd())).toEqual([
    "PERIOD             GROSS            PAYMEN",
    "2026-11-01  54989.00 EUR  ████████     1,2",
    "2026-11-02  27494.50 EUR  ████         1,2",
    "2026-11-03      0.01 EUR  ▏            1,2",
    "2026-11-04      0.00 EUR               1,2",
    "2026-11-04      1.00 USD  ████████     1,2",
  ]);
});

test.each([40, 60, 80, 100, 120, 200])(
  "a report fits on a terminal of %i columns, with its bars",
  (columns) => {
    const lines = draw(columns);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[1]).toContain("████████");
  },
);

test("in a pipe a report has every column, and no bars", () => {
  const lines = draw();
  expect(lines[0]?.split(/ {2,}/)).toEqual([
    "PERIOD",
    "GROSS",
    "PAYMENTS",
    "SUCCESS",
    "NET",
    "REFUNDS",
    "SUCCEEDED",
    "FAILED",
    "REFUNDED",
  ]);
  expect(lines.join("\n")).not.toMatch(/[█-▏]/u);
});
