import { describe, expect, test } from "vitest";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import { keys, requireTerminals, runInTerminal } from "../../testkit/command/in-terminal.ts";

// How a payment is chosen and confirmed is in refund.test.ts and in the tests of the prompts.

const service = runningService();
const env = () => createServiceEnv(service.url, service.keys.test);
const openPage = async () =>
  service.client().payments.createHosted({ amount: 4999, currency: "eur" });

describe.concurrent("payments cancel", () => {
  test("cancels a payment whose page is open, which then says so", async () => {
    const { id, redirect_url: page } = await openPage();
    const ran = await runPayments(["cancel", id, "--yes", "--json"], { env: env() });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(parsePayment(ran)).toMatchObject({ id, status: "failed", decline_code: "canceled" });
    expect(await (await fetch(page ?? "")).text()).toContain("The merchant canceled this payment.");
    const again = await runPayments(["cancel", id, "--yes", "--json"], { env: env() });
    expect(again.exitCode).toBe(6);
    expect(parseError(again)).toMatchObject({ code: "payment_not_cancelable", http_status: 422 });
  });

  test("exits with 6 for a payment without a page, also on the embedded service", async () => {
    const home = createTemporaryHome();
    const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
    const { id } = parsePayment(await runPayments([...create, "--json"], { home }));
    const ran = await runPayments(["cancel", id, "--yes", "--json"], { home });
    expect(ran.exitCode).toBe(6);
    expect(parseError(ran)).toMatchObject({ code: "payment_not_cancelable" });
  });

  test("needs an id and --yes where nobody can be asked", async () => {
    const { id } = await openPage();
    for (const args of [[id], ["--yes"]]) {
      const ran = await runPayments(["cancel", ...args], { env: env(), stdin: `${id}\n` });
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toMatch(/hint: Add --yes\.|Missing the id of the payment/);
    }
    expect((await service.client().payments.retrieve(id)).status).toBe("pending");
  });
});

describe("payments cancel in a terminal", () => {
  requireTerminals();

  test("without an id offers the open pages, and asks for confirmation", async () => {
    const { payments } = service.client();
    const { id } = await payments.createHosted({
      amount: 1250,
      currency: "eur",
      description: "A lamp",
    });
    await payments.create({ ...body, description: "Another lamp, paid" });
    const terminal = runInTerminal(["cancel"], { env: env() });
    await terminal.appears("Type part of an id");
    terminal.type("lamp");
    await terminal.appears("The whole history has been searched");
    await terminal.appears(id);
    terminal.type(keys.enter);
    await terminal.appears("Cancel the payment of 12.50 EUR?");
    expect(terminal.screen()).not.toContain("Another lamp");
    terminal.type(`y${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(await payments.retrieve(id)).toMatchObject({ decline_code: "canceled" });
  });
});
