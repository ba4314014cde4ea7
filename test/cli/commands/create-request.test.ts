import { describe, expect, test } from "vitest";
import { paymentWith } from "../../testkit/api-objects.ts";
import { drop, holding, json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
  parsePayment,
  type Ran,
} from "../../testkit/command/run-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { runningService } from "../../testkit/client/running-service.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";

const nextYears = new Date().getUTCFullYear() + 5;
const everything = [
  ["--amount", "4999"],
  ["--currency", "EUR"],
  ["--card-number", "4242 4242 4242 4242"],
  ["--exp-month", "1"],
  ["--exp-year", String(nextYears)],
  ["--cvc", "012"],
  ["--card-holder", "A. Lovelace"],
  ["--email", "ada@example.com"],
  ["--first-name", "Ada"],
  ["--last-name", "Lovelace"],
  ["--country", "GB"],
  ["--phone", "+44 20 7946 0000"],
  ["--address", "12 St James's Square"],
  ["--city", "London"],
  ["--zip", "SW1Y 4JH"],
  ["--description", "A book – 東京"],
  ["--metadata", "order_id=1001"],
  ["--metadata", "note=a=b, c"],
].flat();
const order = {
  amount: 4999,
  currency: "eur",
  card: {
    number: "4242424242424242",
    exp_month: 1,
    exp_year: nextYears,
    cvc: "012",
    holder_name: "A. Lovelace",
  },
  customer: {
    email: "ada@example.com",
    first_name: "Ada",
    last_name: "Lovelace",
    country: "GB",
    phone: "+44 20 7946 0000",
    address: "12 St James's Square",
    city: "London",
    zip: "SW1Y 4JH",
  },
  description: "A book – 東京",
  metadata: { order_id: "1001", note: "a=b, c" },
};

describe.concurrent("the request of payments create", () => {
  test("contains every flag, the key, the version and the idempotency key", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const args = ["create", ...everything, "--json", "--base-url", `${server.url}/gateway`];
    const named = ["--idempotency-key", "order-1001", "--service-version", "2026-11-01"];
    const env = { PAYMENTS_API_KEY: someKeys.test };
    const ran = await runPayments([...args, ...named], { env });
    expect(parsePrinted(ran)).toEqual(paymentWith());

    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments",
      headers: {
        authorization: `Bearer ${someKeys.test}`,
        "content-type": "application/json",
        "idempotency-key": "order-1001",
        "service-version": "2026-11-01",
      },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual(order);
  });

  test("is printed by --dry-run with card and key masked, and not sent", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const args = ["create", ...everything, "--dry-run", "--json", "--idempotency-key", "k"];
    const env = createServiceEnv(server.url);
    const ran = await runPayments(args, { env });
    expect(parsePrinted(ran)).toEqual({
      method: "POST",
      url: `${server.url}/v1/payments`,
      headers: {
        authorization: `Bearer svc_test_sk_…${someKeys.test.slice(-4)}`,
        "content-type": "application/json",
        "idempotency-key": "k",
      },
      body: { ...order, card: { ...order.card, number: "…4242", cvc: "…" } },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).not.toContain(someKeys.test);
    expect(ran.stdout).not.toMatch(/4242 ?4242|"012"/);
    expect(server.requests).toEqual([]);
  });

  test("is printed by --dry-run for the embedded service too, and not sent", async () => {
    const home = createTemporaryHome();
    const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const hostile = ["--description", "\u009B2J"];
    const ran = await runPayments([...args, ...hostile, "--dry-run"], { home });
    expect({ stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ url: "embedded:/v1/payments" });
    expect(ran.stdout).not.toContain("\u009B");
    const listed = await runPayments(["list", "--json"], { home });
    expect(parsePrinted(listed)).toMatchObject({ data: [] });
  });
});

const mastercard = { number: "5555555555554444", exp_month: 12, exp_year: 2040, cvc: "123" };

test.concurrent("payments create takes the whole body from standard input", async () => {
  const stdin = JSON.stringify({ amount: 1, currency: "gbp", card: mastercard });
  const ran = await runPayments(["create", "--data", "-", "--json"], { stdin });
  expect(parsePayment(ran)).toMatchObject({ amount: 1, currency: "gbp" });
});

const service = runningService();

async function create(card: string, ...args: string[]): Promise<Ran> {
  const env = createServiceEnv(service.url, service.keys.test);
  const flags = ["--amount", "4999", "--currency", "eur", "--test-card", card];
  return await runPayments(["create", ...flags, ...args, "--json"], { env });
}

/** Parses the payment on standard output and the error on standard error of a command that prints both. */
function parseBoth({ stdout, stderr }: Ran) {
  const { error } = JSON.parse(stderr) as { error: Record<string, unknown> };
  return { payment: JSON.parse(stdout) as Payment, error };
}

describe.concurrent("payments create --wait", () => {
  test("exits with 3 if the payment fails, and prints the failed payment", async () => {
    const ran = await create("generic-decline", "--wait");
    expect(ran.exitCode).toBe(3);
    const { payment, error } = parseBoth(ran);
    expect(payment).toMatchObject({ status: "failed", decline_code: "generic_decline" });
    expect(error).toMatchObject({
      type: "cli_error",
      code: "not_as_expected",
      decline_code: "generic_decline",
      http_status: null,
    });
  });

  test("prints the payment even if the connection is lost while it waits", async () => {
    const pending = paymentWith({ status: "pending" });
    const server = await scriptedServer(holding(0), json(201, pending), drop);
    const env = createServiceEnv(server.url);
    const flags = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const args = ["create", ...flags, "--wait", "--max-retries", "0", "--json"];
    const ran = await runPayments(args, { env });
    expect(ran.exitCode).toBe(9);
    const { payment, error } = parseBoth(ran);
    expect(payment).toEqual(pending);
    expect(error["code"]).toBe("connection_failed");
    // A retry with this key finds the same payment.
    expect(error["idempotency_key"]).toBe(server.requests[1]?.headers["idempotency-key"]);
  });
});

test("without --wait a pending payment is printed at once", async () => {
  const server = await scriptedServer(json(201, paymentWith({ status: "pending" })));
  const env = createServiceEnv(server.url);
  const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa", "--json"];
  const ran = await runPayments(args, { env });
  expect(ran.exitCode).toBe(0);
  expect(server.requests).toHaveLength(1);
});

test("in live mode a terminal shows that the command asks the bank, and what it waits for", async ({
  skip,
}) => {
  skip(!hasTerminals, noTerminals);
  const pending = paymentWith({ status: "pending", livemode: true });
  const paid = paymentWith({ status: "succeeded", livemode: true });
  const server = await scriptedServer(holding(0), json(201, pending), json(200, paid));
  const env = createServiceEnv(server.url, service.keys.live);
  const flags = ["--amount", "4999", "--currency", "eur", "--test-card", "visa"];
  const terminal = runInTerminal(["create", ...flags, "--wait"], { env });
  await terminal.appears("Asking the bank …");
  await terminal.appears(`for the bank to decide on ${pending.id} …`);
  expect(await terminal.exitCode).toBe(0);
});
