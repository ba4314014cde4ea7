import { Chalk } from "chalk";
import { beforeAll, describe, expect, test } from "vitest";
import { createReportView } from "../../../src/cli/commands/report.ts";
import { formatItems } from "../../../src/cli/output/resource-text.ts";
import type { PaymentsReport, ReportRow } from "../../../src/contract/account.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import { createServiceEnv, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

const service = runningService();
/** As the API has it. */
let report: PaymentsReport;

beforeAll(async () => {
  const client = service.client();
  const { payments } = client;
  await payments.create(body);
  await payments.refund((await payments.create({ ...body, amount: 1 })).id);
  await payments.settled(await payments.create({ ...body, card: declining }));
  await payments.create({ ...body, currency: "usd" });
  report = await client.reports.payments();
});

async function run(...args: string[]) {
  const env = createServiceEnv(service.url, service.keys.test);
  return await runPayments(["report", ...args], { env });
}

describe.concurrent("payments report", () => {
  test("with --json prints exactly the API's object, of this month by day", async () => {
    expect(await run("--json")).toEqual({
      stdout: `${JSON.stringify(report)}\n`,
      stderr: "",
      exitCode: 0,
    });
    const [day] = report.data;
    expect(day).toEqual({
      period: day?.period,
      currency: "eur",
      payments: 3,
      succeeded: 2,
      failed: 1,
      refunded: 1,
      gross: 5000,
      refunds: 1,
      net: 4999,
      success_rate: 2 / 3,
      decline_codes: { generic_decline: 1 },
    });
  });

  test("prints the API's integers as CSV, and amounts for a person", async () => {
    const period = report.data[0]?.period;
    expect((await run("-o", "csv")).stdout.split("\n").slice(0, 2)).toEqual([
      "period,currency,payments,succeeded,failed,refunded,gross,refunds,net,success_rate,decline_codes",
      `${period},eur,3,2,1,1,5000,1,4999,${2 / 3},"{""generic_decline"":1}"`,
    ]);
    const [, eur] = (await run()).stdout.split("\n");
    expect(eur).toMatch(
      new RegExp(`^${period} +50\\.00 EUR +3 +66\\.7% +49\\.99 EUR +0\\.01 EUR +2 +1 +1$`),
    );
    const fields = await run("--fields", "net,decline_codes.generic_decline");
    expect(fields.stdout).toMatch(/^ *NET +DECLINE_CODES.GENERIC_DECLINE\n49\.99 EUR +1\n/);
  });

  test("takes ages, months and one currency", async () => {
    const ran = await run("--from", "40d", "--by", "month", "--currency", "USD", "--json");
    const { by, data, from } = parsePrinted(ran) as PaymentsReport;
    expect({ by, from, counts: data.map(({ payments }) => payments) }).toEqual({
      by: "month",
      from: new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10),
      counts: [1],
    });
  });

  test("of days without payments says so", async () => {
    const days = ["--from", "2020-01-01", "--to", "2020-02-01"];
    expect(await run(...days)).toEqual({
      stdout: "",
      stderr: "No payments from 2020-01-01 to 2020-02-01.\n",
      exitCode: 0,
    });
    expect((await run(...days, "-o", "ndjson")).stdout).toBe("");
  });

  test.each([
    [
      "--from 2026-02-30",
      "--from is no time that exists here.\n  hint: Write it as 2026-11-01, today, yesterday, a weekday, or an age such as 7d.",
    ],
    [
      "--to tomorrow",
      "--to is no time.\n  hint: Write it as 2026-11-01, today, yesterday, a weekday, or an age such as 7d.",
    ],
    ["--currency chf", "--currency must be one of eur, usd, gbp."],
    ["--from 2020-01-01", "from must be at most 400 days before to"],
  ])("%s is refused", async (flags, message) => {
    const ran = await run(...flags.split(" "));
    expect([ran.stdout, ran.exitCode]).toEqual(["", 2]);
    expect(ran.stderr).toContain(message);
  });
});

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
