import { describe, expect, test } from "vitest";
import { parseError, parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

const amount = ["create", "--amount", "4999", "--currency", "eur"];
const card = { number: "5555555555554444", exp_month: 12, exp_year: 2040, cvc: "123" };

describe.concurrent("payments create takes", () => {
  test("the whole body from standard input", async () => {
    const stdin = JSON.stringify({ amount: 1, currency: "gbp", card });
    const ran = await runPayments(["create", "--data", "-", "--json"], { stdin });
    expect(parsePayment(ran)).toMatchObject({ amount: 1, currency: "gbp" });
  });
});

describe.concurrent("payments create refuses, with exit 2 and nothing sent,", () => {
  test("49.99, and says what to write", async () => {
    const args = ["create", "--amount", "49.99", "--currency", "eur", "--test-card", "visa"];
    expect(await runPayments(args)).toEqual({
      stdout: "",
      stderr:
        "Error: --amount is in minor units, without a fraction: write 4999.\n  hint: For 49.99: --amount 4999\n",
      exitCode: 2,
    });
    expect(parseError(await runPayments([...args, "--json"]))).toEqual({
      type: "cli_error",
      code: "usage",
      message: "--amount is in minor units, without a fraction: write 4999.",
      param: null,
      decline_code: null,
      doc_url: null,
      request_id: null,
      http_status: null,
      retryable: false,
      idempotency_key: null,
      hint: "For 49.99: --amount 4999",
    });
  });
});
