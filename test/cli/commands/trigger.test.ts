import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { drop, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parsePayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();

async function trigger(...args: string[]): Promise<Ran> {
  return await runPayments(["trigger", ...args], {
    env: createServiceEnv(service.url, service.keys.test),
  });
}

describe.concurrent("payments trigger", () => {
  test.each([
    ["payment.succeeded", "succeeded", null],
    ["payment.failed", "failed", "generic_decline"],
    ["payment.refunded", "refunded", null],
  ])("%s makes a test payment that ends as %s", async (event, status, decline_code) => {
    const ran = await trigger(event, "--json");
    expect(ran.exitCode).toBe(0);
    const payment = parsePayment(ran);
    expect(payment).toMatchObject({
      status,
      decline_code,
      amount: 4999,
      currency: "eur",
      description: `payments trigger ${event}`,
      livemode: false,
    });
    expect(await service.client().payments.retrieve(payment.id)).toEqual(payment);
  });

  test("payment.pending creates a payment with a page", async () => {
    const ran = await trigger("payment.pending", "--amount", "100", "--currency", "USD", "--json");
    expect(ran.exitCode).toBe(0);
    expect(parsePayment(ran)).toMatchObject({
      status: "pending",
      amount: 100,
      currency: "usd",
      redirect_url: expect.stringContaining("/pay/") as unknown,
    });
  });

  test("prints the same payment as get, also on the embedded service", async () => {
    const ran = await runPayments(["trigger", "payment.failed", "--decline", "expired_card"]);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toMatch(/^Payment +pay_\S+\nStatus +failed\n/);
    expect(ran.stdout).toMatch(/\nDeclined +expired_card\n/);
  });

  test("exits with 8 after the timeout", async () => {
    const ran = await trigger("payment.failed", "--timeout", "0ms");
    expect(ran.exitCode).toBe(8);
    expect(ran.stdout).toMatch(/\nStatus +pending\n/);
  });

  test("names no idempotency key after a lost connection, since it has no flag for one", async () => {
    const server = await scriptedServer(drop);
    const ran = await runPayments(["trigger", "payment.succeeded", "--max-retries", "0"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).not.toContain("--idempotency-key");
  });
});
