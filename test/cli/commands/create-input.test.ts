import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newHome } from "../../testkit/command/temporary-home.ts";
import { errorIn, printedPayment, runPayments } from "../../testkit/command/run-payments.ts";

const amount = ["create", "--amount", "4999", "--currency", "eur"];
const card = { number: "5555555555554444", exp_month: 12, exp_year: 2040, cvc: "123" };

function fileOf(value: unknown): string {
  const file = join(newHome(), "input.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

function fileOfBytes(bytes: Buffer): string {
  const file = join(newHome(), "input.json");
  writeFileSync(file, bytes);
  return file;
}

/** A body whose amount is written so. */
function bodyOf(amountLiteral: string): string {
  return `{"amount":${amountLiteral},"currency":"gbp","card":${JSON.stringify(card)}}`;
}

describe.concurrent("payments create takes", () => {
  test("the whole body from a file", async () => {
    const data = { amount: 1, currency: "gbp", card, metadata: { order_id: "1001" } };
    const ran = await runPayments(["create", "--data", fileOf(data), "--json"]);
    expect(printedPayment(ran)).toMatchObject({
      amount: 1,
      currency: "gbp",
      card: { brand: "mastercard", last4: "4444" },
      metadata: { order_id: "1001" },
    });
  });

  test("the whole body from standard input", async () => {
    const stdin = JSON.stringify({ amount: 1, currency: "gbp", card });
    const ran = await runPayments(["create", "--data", "-", "--json"], { stdin });
    expect(printedPayment(ran)).toMatchObject({ amount: 1, currency: "gbp" });
  });

  test("an amount in a body however JSON writes it, and none that would be rounded", async () => {
    for (const literal of ["100", "100.0", "1e2"]) {
      const ran = await runPayments(["create", "--data", "-", "--json"], {
        stdin: bodyOf(literal),
      });
      expect(printedPayment(ran)).toMatchObject({ amount: 100 });
    }
    const rounded = bodyOf("9007199254740991.4");
    const ran = await runPayments(["create", "--data", "-", "--json"], { stdin: rounded });
    expect(ran.exitCode).toBe(2);
    expect(errorIn(ran)).toMatchObject({ code: "parameter_invalid", param: "amount" });
  });

  test("a file as Windows writes it, with a byte order mark", async () => {
    const text = `\uFEFF${JSON.stringify({ amount: 1, currency: "gbp", card })}\r\n`;
    const file = fileOfBytes(Buffer.from(text));
    const ran = await runPayments(["create", "--data", file, "--json"]);
    expect(printedPayment(ran)).toMatchObject({ amount: 1, currency: "gbp" });
  });

  test("the card from a file, in live mode too", async () => {
    const args = [...amount, "--card-file", fileOf(card), "--json", "--mode", "live"];
    expect(printedPayment(await runPayments(args))).toMatchObject({
      livemode: true,
      card: { last4: "4444", exp_year: 2040 },
    });
  });

  test("the card from standard input", async () => {
    const args = [...amount, "--card-file", "-", "--json"];
    const ran = await runPayments(args, { stdin: JSON.stringify(card) });
    expect(printedPayment(ran)).toMatchObject({ card: { last4: "4444" } });
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
    [
      "a card number alone",
      ["create", "--card-number", "4242424242424242", "--amount", "1"],
      "Missing --currency (eur, usd or gbp), --exp-month (1 to 12), --exp-year (four digits) and --cvc (3 or 4 digits).",
    ],
    ["two cards", [...visa, ...number], "Give the card in one way: --test-card or --card-number."],
    [
      "a test card that there is not",
      [...amount, "--test-card", "gold"],
      "--test-card must be visa",
    ],
    [
      "a card file that there is not",
      [...amount, "--card-file", "none.json"],
      "there is no such file",
    ],
    [
      "a file that is not UTF-8, of which letters would be lost",
      ["create", "--data", fileOfBytes(Buffer.from('{"description":"caf\u00E9"}', "latin1"))],
      "--data is not text in UTF-8",
    ],
    ["no time at all for a request", [...visa, "--request-timeout", "0s"], "longer than 0"],
    ["a body and a flag", [...visa, "--data", "-"], "--data already holds the whole body"],
    ["a month in words", [...visa, "--exp-month", "may"], "--exp-month must be an integer"],
    ["an outcome that none can have", [...visa, "--expect", "pending"], "--expect must be one of"],
    [
      "a time without a unit",
      [...visa, "--wait", "--timeout", "5"],
      "--timeout must be a duration",
    ],
    [
      "a time for which nothing is waited",
      [...visa, "--timeout", "5s"],
      "--timeout needs --wait or --expect too.",
    ],
    ["an idempotency key with a space", [...visa, "--idempotency-key", "a b"], "without spaces"],
    ["a service version that is no date", [...visa, "--service-version", "v1"], "YYYY-MM-DD"],
    ["a flag that there is not", [...visa, "--nonsense"], "--nonsense"],
    ["a word too many", [...visa, "now"], "now"],
    [
      "fewer retries than none",
      [...visa, "--max-retries", "-1"],
      "must be an integer of at least 0",
    ],
  ])("%s", async (_, args, message) => {
    const home = newHome();
    const ran = await runPayments([...args, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    expect(errorIn(ran)).toMatchObject({ code: "usage", http_status: null });
    expect(errorIn(ran)["message"]).toContain(message);
  });

  test("49.99, and says what to write", async () => {
    const args = ["create", "--amount", "49.99", "--currency", "eur", "--test-card", "visa"];
    expect(await runPayments(args)).toEqual({
      stdout: "",
      stderr:
        "Error: --amount is in minor units, without a fraction: write 4999.\n  hint: For 49.99: --amount 4999\n",
      exitCode: 2,
    });
    expect(errorIn(await runPayments([...args, "--json"]))).toEqual({
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

  test("a body that is no JSON object, without repeating it", async () => {
    const runs = await Promise.all(
      ["4242424242424242", "{4242424242424242", "[]", ""].map(async (stdin) =>
        runPayments(["create", "--data", "-"], { stdin }),
      ),
    );
    for (const ran of runs) {
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toMatch(/^Error: --data (does not|must) hold/);
      expect(ran.stderr).not.toContain("4242");
    }
  });
});
