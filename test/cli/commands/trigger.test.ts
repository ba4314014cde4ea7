import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { drop, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { someKeys } from "../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  parseError,
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

describe.concurrent("payments trigger sends nothing", () => {
  test.each([
    ["in live mode", ["payment.failed"], { key: someKeys.live }, "the mode is live"],
    ["for an unknown event", ["payment.faild"], {}, "payment.succeeded, payment.failed"],
    [
      "for a code that no test card gives",
      ["payment.failed", "--decline", "processing_error"],
      {},
      "generic_decline, insufficient_funds or expired_card",
    ],
    [
      "for a decline of another event",
      ["payment.succeeded", "--decline", "expired_card"],
      {},
      "only with payment.failed",
    ],
    ["for a malformed amount", ["payment.failed", "--amount", "49.99"], {}, "write 4999"],
  ])("%s", async (_, args, { key = someKeys.test }: { key?: string }, message) => {
    const server = await scriptedServer(drop);
    const ran = await runPayments(["trigger", ...args, "--json"], {
      env: createServiceEnv(server.url, key),
    });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain(message);
    expect(server.requests).toEqual([]);
  });

  test("for a pending payment on the embedded service, which has no pages", async () => {
    const ran = await runPayments(["trigger", "payment.pending", "--json"]);
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toContain("needs a running service");
  });
});
