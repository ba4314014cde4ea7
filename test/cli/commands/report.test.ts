import { beforeAll, describe, expect, test } from "vitest";
import type { PaymentsReport } from "../../../src/contract/account.ts";
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
