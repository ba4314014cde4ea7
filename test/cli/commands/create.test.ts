import { describe, expect, test } from "vitest";
import { runningService, visa as card } from "../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseList,
  parsePayment,
  runInNewProcess,
  runPayments,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];

describe.concurrent("payments create", () => {
  test("works on the embedded service without any setup", async () => {
    const { stdout, stderr, exitCode } = await runPayments(visa, { env: { TZ: "UTC" } });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const at = String.raw`\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}`;
    expect(stdout).toMatch(
      new RegExp(
        [
          "^Payment {4}pay_[0-9a-f-]{36}",
          "Status {5}succeeded",
          "Amount {5}49\\.99 EUR",
          "Mode {7}test",
          `Card {7}visa •••• 4242, expires 12/2099, US`,
          `Created {4}${at}`,
          `Succeeded {2}${at}\n$`,
        ].join("\n"),
      ),
    );
  });

  test("with --json prints exactly the API's object, and nothing else", async () => {
    const home = createTemporaryHome();
    const created = await runPayments([...visa, "--json"], { home });
    const payment = parsePayment(created);
    expect(created.exitCode).toBe(0);
    expect(created.stdout).toBe(`${JSON.stringify(payment)}\n`);
    expect(payment).toMatchObject({ object: "payment", amount: 4999, status: "succeeded" });
    expect(Object.keys(payment)).toHaveLength(17);
    const again = await runPayments(["get", payment.id, "--json"], { home });
    expect(again.stdout).toBe(created.stdout);
  });

  test("creates a payment on a running service", async () => {
    const env = createServiceEnv(service.url, service.keys.test);
    const payment = parsePayment(await runPayments([...visa, "--json"], { env }));
    expect(await service.client().payments.retrieve(payment.id)).toEqual(payment);
  });

  describe("in live mode on a running service with the simulator", () => {
    const noMoney = "Live mode on the built-in simulator: no money moves.\n";
    const live = ["create", "--amount", "4999", "--currency", "eur", "--card-file", "-"];
    const run = async (...flags: string[]) =>
      runPayments([...live, ...flags], {
        env: createServiceEnv(service.url, service.keys.live),
        stdin: JSON.stringify(card),
      });

    test("notes once that no money moves", async () => {
      const ran = await run();
      expect(ran.exitCode).toBe(0);
      expect(ran.stdout).toContain("Mode       live");
      expect(ran.stderr).toBe(noMoney);
      expect((await run("-o", "csv")).stderr).toBe(noMoney);
    });

    test.each(["json", "ndjson"])("notes nothing beside %s", async (format) => {
      const ran = await run("-o", format);
      expect(parsePayment(ran)).toMatchObject({ livemode: true, status: "succeeded" });
      expect(ran.stderr).toBe("");
    });
  });

  test("creates only one payment for one --idempotency-key", async () => {
    const home = createTemporaryHome();
    const once = [...visa, "--json", "--idempotency-key", "order-1001"];
    const atOnce = [1, 2].map(async () => runInNewProcess(once, { home }));
    const runs = await Promise.all(atOnce);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(runs[0]?.stdout).toBe(runs[1]?.stdout);
    const { data } = parseList(await runPayments(["list", "--json"], { home }));
    expect(data).toHaveLength(1);
  });
});
