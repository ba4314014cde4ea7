import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import {
  createServiceEnv,
  parseError,
  parsePrinted,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const service = runningService();
const env = () => createServiceEnv(service.url, service.keys.test);

/** Writes a file with these steps; returns its path. */
function writeSteps(...steps: object[]): string {
  const file = join(createTemporaryHome(), "fixtures.json");
  writeFileSync(file, JSON.stringify({ fixtures: steps }));
  return file;
}

const body = { amount: "${var.amount}", currency: "eur" };
const order = { name: "order", create: { ...body, test_card: "visa" }, expect: "succeeded" };
const amount = ["--var", "amount=4999"];

describe.concurrent("payments fixtures", () => {
  test("prints each step as it is done, also on the embedded service", async () => {
    const file = writeSteps(order, { refund: "${order.id}", expect: "refunded" });
    const ran = await runPayments(["fixtures", file, ...amount]);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toMatch(
      /^create {3}succeeded {2}pay_\S+ {2}49\.99 EUR {2}order\nrefund {3}refunded {3}pay_\S+ {2}49\.99 EUR\n$/,
    );
  });

  test("prints with --json one object, with what each named step of all files has made", async () => {
    const files = [writeSteps(order), writeSteps({ name: "page", hosted: body })];
    const ran = await runPayments(["fixtures", ...files, ...amount, "--json"], { env: env() });
    expect(ran.exitCode).toBe(0);
    const { order: paid, page, ...rest } = parsePrinted(ran) as Record<string, { id: string }>;
    expect(rest).toEqual({});
    const { payments } = service.client();
    expect(await payments.retrieve(paid?.id ?? "")).toEqual(paid);
    expect(await payments.retrieve(page?.id ?? "")).toEqual(page);
  });

  test("exits with 3 if an expectation fails, and prints what was made", async () => {
    const late = {
      name: "late",
      create: { ...body, test_card: "expired-card" },
      expect: "succeeded",
    };
    const file = writeSteps(order, late, { name: "never", create: order.create });
    const ran = await runPayments(["fixtures", file, ...amount, "--json"], { env: env() });
    expect(ran.exitCode).toBe(3);
    expect(Object.keys(JSON.parse(ran.stdout) as object)).toEqual(["order", "late"]);
    expect(ran.stderr).toContain("expected succeeded, got failed (expired_card)");
  });

  test("exits with 2 for a file that is wrong, and makes nothing", async () => {
    const home = createTemporaryHome();
    const file = writeSteps(order, { refund: "${other.id}" });
    const ran = await runPayments(["fixtures", file, ...amount, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toMatch(/fixtures\.json:1: fixtures\[1\]\.refund refers to/);
    const list = await runPayments(["list", "--json"], { home });
    expect(parsePrinted(list)["data"]).toEqual([]);
  });

  test.each([
    ["in live mode", [order], ["--mode", "live"]],
    ["with a page on the embedded service", [order, { hosted: body }], []],
    ["with a step that moves the clock", [order, { advance: "1h" }], []],
    ["with a malformed variable", [order], ["--var", "amount"]],
  ])("makes nothing %s", async (_, steps, flags) => {
    const home = createTemporaryHome();
    const ran = await runPayments(["fixtures", writeSteps(...steps), ...amount, ...flags], {
      home,
    });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    const list = await runPayments(["list", "--json"], { home });
    expect(parsePrinted(list)["data"]).toEqual([]);
  });

  test("reads standard input, and refuses it twice", async () => {
    const stdin = JSON.stringify({ fixtures: [order] });
    const one = await runPayments(["fixtures", "-", ...amount, "--json"], { stdin });
    expect(Object.keys(parsePrinted(one))).toEqual(["order"]);
    expect((await runPayments(["fixtures", "-", "-", ...amount], { stdin })).exitCode).toBe(2);
  });
});
