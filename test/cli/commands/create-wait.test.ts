import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { runningService } from "../../testkit/client/running-service.ts";
import { drop, json, paymentWith, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parsePayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();

async function create(card: string, ...args: string[]): Promise<Ran> {
  const env = createServiceEnv(service.url, service.keys.test);
  const body = ["--amount", "4999", "--currency", "eur", "--test-card", card];
  return await runPayments(["create", ...body, ...args, "--json"], { env });
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

  test("exits with 8 after the timeout, and prints the pending payment", async () => {
    const server = await scriptedServer(json(201, paymentWith({ status: "pending" })));
    const env = createServiceEnv(server.url);
    const body = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const args = ["create", ...body, "--wait", "--timeout", "150ms", "--json"];
    const ran = await runPayments(args, { env });
    expect(ran.exitCode).toBe(8);
    const { payment, error } = parseBoth(ran);
    expect(payment.status).toBe("pending");
    expect(error["code"]).toBe("still_pending");
    expect(error["hint"]).toContain(`payments get ${payment.id}`);
  });

  test("prints the payment even if the connection is lost while it waits", async () => {
    const pending = paymentWith({ status: "pending" });
    const server = await scriptedServer(json(201, pending), drop);
    const env = createServiceEnv(server.url);
    const body = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const args = ["create", ...body, "--wait", "--max-retries", "0", "--json"];
    const ran = await runPayments(args, { env });
    expect(ran.exitCode).toBe(9);
    const { payment, error } = parseBoth(ran);
    expect(payment).toEqual(pending);
    expect(error["code"]).toBe("connection_failed");
    // A retry with this key finds the same payment.
    expect(error["idempotency_key"]).toBe(server.requests[0]?.headers["idempotency-key"]);
  });
});

describe.concurrent("payments create --expect", () => {
  test.each([
    ["visa", "succeeded"],
    ["insufficient-funds", "insufficient_funds"],
  ])("of %s to end as %s is 0", async (card, outcome) => {
    const ran = await create(card, "--expect", outcome);
    expect(ran.exitCode).toBe(0);
    expect(parsePayment(ran).status).not.toBe("pending");
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
  const server = await scriptedServer(json(201, pending), json(200, paid));
  const env = createServiceEnv(server.url, service.keys.live);
  const body = ["--amount", "4999", "--currency", "eur", "--test-card", "visa"];
  const terminal = runInTerminal(["create", ...body, "--wait"], { env });
  await terminal.appears("Asking the bank …");
  await terminal.appears(`for the bank to decide on ${pending.id} …`);
  expect(await terminal.exitCode).toBe(0);
});
