import { describe, expect, test } from "vitest";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { parseError, parsePayment, runPayments } from "../../testkit/command/run-payments.ts";

const amount = ["create", "--amount", "4999", "--currency", "eur"];
const card = { number: "5555555555554444", exp_month: 12, exp_year: 2040, cvc: "123" };

describe.concurrent("payments create takes", () => {
  test("the whole body from standard input", async () => {
    const stdin = JSON.stringify({ amount: 1, currency: "gbp", card });
    const ran = await runPayments(["create", "--data", "-", "--json"], { stdin });
    expect(parsePayment(ran)).toMatchObject({ amount: 1, currency: "gbp" });
  });

  test("the card from standard input", async () => {
    const args = [...amount, "--card-file", "-", "--json"];
    const ran = await runPayments(args, { stdin: JSON.stringify(card) });
    expect(parsePayment(ran)).toMatchObject({ card: { last4: "4444" } });
  });
});

describe.concurrent("payments create refuses, with exit 2 and nothing sent,", () => {
  const visa = [...amount, "--test-card", "visa"];
  const number = ["--card-number", "4242424242424242"];
  const rest = ["--exp-month", "12", "--exp-year", "2040"];
  test.each<[string, string[], string]>([
    [
      "no value at all",
      ["create"],
      "Missing --amount (in minor units: 4999 is 49.99), --currency (eur, usd or gbp) and a card (--test-card visa, --card-number, or --card-file; see payments test-cards).",
    ],
    ["a body and a flag", [...visa, "--data", "-"], "--data already holds the whole body"],
    ["a surplus word", [...visa, "now"], "now"],
  ])("%s", async (_, args, message) => {
    const home = createTemporaryHome();
    const ran = await runPayments([...args, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({ code: "usage", http_status: null });
    expect(parseError(ran)["message"]).toContain(message);
  });

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

  test("a live card from flags", async () => {
    const live = [...amount, "--mode", "live"];
    const [byNumber, byCode] = await Promise.all([
      runPayments([...live, ...number, ...rest, "--cvc", "123"]),
      runPayments([...live, "--test-card", "visa", "--cvc", "123"]),
    ]);
    for (const ran of [byNumber, byCode]) {
      expect(ran.exitCode).toBe(2);
      expect(ran.stdout).toBe("");
      expect(ran.stderr).toMatch(/^Error: A live card is not accepted on the command line/);
      expect(ran.stderr).not.toContain("4242424242424242");
    }
  });
});
