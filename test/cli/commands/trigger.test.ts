import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { accountWith, paymentWith } from "../../testkit/api-objects.ts";
import { drop, json, refusal, scriptedServer } from "../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parseList,
  parsePayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
/** What the key may, asked before the first payment: everything. */
const account = json(200, accountWith());

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
    const order = ["--amount", "100", "--currency", "USD", "--expires-in", "2h"];
    const ran = await trigger("payment.pending", ...order, "--json");
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

  test("takes what create takes, and fills in what is missing", async () => {
    const own = ["--email", "ada@example.com", "--metadata", "order_id=1001", "--description", "A"];
    const inFlags = await trigger(
      "payment.failed",
      ...own,
      "--test-card",
      "expired-card",
      "--json",
    );
    expect(parsePayment(inFlags)).toMatchObject({
      amount: 4999,
      decline_code: "expired_card",
      customer: { email: "ada@example.com" },
      metadata: { order_id: "1001" },
      description: "A",
    });
    const inBody = await runPayments(["trigger", "payment.refunded", "--data", "-", "--json"], {
      env: createServiceEnv(service.url, service.keys.test),
      stdin: JSON.stringify({ amount: 1, metadata: { order_id: "1002" } }),
    });
    expect(parsePayment(inBody)).toMatchObject({
      status: "refunded",
      amount: 1,
      currency: "eur",
      metadata: { order_id: "1002" },
      description: "payments trigger payment.refunded",
    });
  });

  test("exits with 3 if the given card leads to another event", async () => {
    const ran = await trigger("payment.succeeded", "--test-card", "generic-decline");
    expect(ran.exitCode).toBe(3);
  });

  test("makes several with --times, and prints a list of them, newest first", async () => {
    const ran = await trigger("payment.succeeded", "--times", "12", "--json");
    expect(ran.exitCode).toBe(0);
    const { data, ...list } = parseList(ran);
    expect(list).toEqual({ object: "list", url: "/v1/payments", has_more: false });
    const ids = data.map(({ id }) => id);
    expect(new Set(ids).size).toBe(12);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(data.every(({ status }) => status === "succeeded")).toBe(true);
  });

  test("prints what it has made when a later one of --times fails", async () => {
    const good = json(201, paymentWith({ status: "succeeded" }));
    const server = await scriptedServer(account, good, refusal(400, "parameter_invalid"));
    const env = createServiceEnv(server.url);
    const ran = await runPayments(["trigger", "payment.succeeded", "--times", "3", "--json"], {
      env,
    });
    expect(ran.exitCode).toBe(2);
    expect((JSON.parse(ran.stdout) as { data: object[] }).data).toHaveLength(1);
  });

  test("prints the payment that it has made when its key may not refund it any more", async () => {
    const made = paymentWith({ status: "succeeded" });
    const revoked = refusal(401, "invalid_api_key");
    const server = await scriptedServer(account, json(201, made), revoked);
    const ran = await runPayments(["trigger", "payment.refunded", "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stdout)).toEqual(made);
  });

  test.each([
    ["payment.succeeded", "--times", "0"],
    ["payment.succeeded", "--times", "1001"],
    ["payment.succeeded", "--return-url", "https://shop.example"],
    ["payment.failed", "--expires-in", "2h"],
    ["payment.pending", "--test-card", "visa"],
    ["payment.failed", "--test-card", "visa", "--card-number", "4242424242424242"],
  ])("refuses %s %s %s", async (...args) => {
    expect(await trigger(...args)).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test("exits with 8 after the timeout", async () => {
    const ran = await trigger("payment.failed", "--timeout", "0ms");
    expect(ran.exitCode).toBe(8);
    expect(ran.stdout).toMatch(/\nStatus +pending\n/);
  });

  test("names no idempotency key after a lost connection, since it has no flag for one", async () => {
    const server = await scriptedServer(account, drop);
    const ran = await runPayments(["trigger", "payment.succeeded", "--max-retries", "0"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).not.toContain("--idempotency-key");
    expect(ran.stderr).toContain("hint: The payment may have been made: payments list shows it.");
  });
});
