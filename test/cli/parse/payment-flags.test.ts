import { describe, expect, test } from "vitest";
import {
  isIncomplete,
  type Answers,
  type PaymentFlags,
} from "../../../src/cli/parse/payment-flags.ts";
import { parsePaymentRequest } from "../../../src/cli/parse/payment-request.ts";

const money = { amount: "4999", currency: "eur" };
const card = { "card-number": "4242424242424242", "exp-month": 12, "exp-year": 2040, cvc: "123" };

describe("there is something to ask for", () => {
  test.each<[PaymentFlags, boolean]>([
    [{}, true],
    [{ ...money }, true],
    [{ ...money, ...card }, false],
    [{ ...money, "test-card": "visa" }, false],
    [{ ...money, "card-file": "card.json" }, false],
    [{ ...card, amount: "4999" }, true],
    [{ ...card, currency: "eur" }, true],
    [{ ...money, ...card, "card-number": undefined }, true],
    [{ ...money, ...card, "exp-month": undefined }, true],
    [{ ...money, ...card, "exp-year": undefined }, true],
    [{ ...money, ...card, cvc: undefined }, true],
    [{ hosted: true }, true],
    [{ ...money, hosted: true }, false],
  ])("where only %j is given: %s", (flags, incomplete) => {
    expect(isIncomplete(flags)).toBe(incomplete);
  });
});

describe("answers", () => {
  test("complete what is given", async () => {
    const flags = { email: "ada@example.com" };
    const { body } = await parsePaymentRequest(flags, "test", asking(testCard));
    expect(body).toMatchObject({
      amount: 100,
      currency: "usd",
      card: { number: "378282246310005" },
      customer: { email: "ada@example.com" },
    });
  });

  test("may hold a live card, which flags may not", async () => {
    expect(await parsePaymentRequest(money, "live", asking(card))).toMatchObject({
      body: { card: { number: "4242424242424242" } },
    });
    const flags = { ...money, ...card };
    await expect(parsePaymentRequest(flags, "live", asking({}))).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  test("are not asked for where nothing is missing", async () => {
    const flags = { ...money, "test-card": "visa" };
    expect(await parsePaymentRequest(flags, "test", asking({ amount: "1" }))).toMatchObject({
      body: { amount: 4999 },
    });
  });
});

const testCard = { amount: "100", currency: "usd", "test-card": "amex" };

function asking(answers: Answers) {
  return async () => answers;
}
