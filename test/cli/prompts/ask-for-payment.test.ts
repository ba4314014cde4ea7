import { describe, expect, test } from "vitest";
import { askForPayment } from "../../../src/cli/prompts/ask-for-payment.ts";
import { createScriptedPrompter } from "../../testkit/command/scripted-prompter.ts";

const inTest = { mode: "test", sends: true } as const;
const inLive = { mode: "live", sends: true } as const;
const visa = { "test-card": "visa" };

describe("asking for a payment", () => {
  test("asks for every value", async () => {
    const { prompter, transcript } = createScriptedPrompter(" 4999 ", "usd", "mastercard");
    expect(await askForPayment(prompter, {}, inTest)).toEqual({
      amount: "4999",
      currency: "usd",
      "test-card": "mastercard",
    });
    expect(transcript).toEqual([
      "Amount in minor units (4999 is 49.99):",
      "Currency:",
      "Amount: 49.99 USD",
      "Test card:",
    ]);
  });

  test("explains a mistake in an amount at once", async () => {
    const { prompter, transcript } = createScriptedPrompter(
      "49.99",
      "five",
      "0",
      "9007199254740992",
      "4999",
    );
    await askForPayment(prompter, { ...visa, currency: "eur" }, inTest);
    expect(transcript.filter((line) => line.startsWith("!"))).toEqual([
      "! The amount is in minor units, without a fraction: write 4999.",
      "! The amount must be an integer in minor units, at least 1: 4999 is 49.99.",
      "! The amount must be an integer in minor units, at least 1: 4999 is 49.99.",
      "! The amount must be an integer in minor units, at most 2^53 - 1: 4999 is 49.99.",
    ]);
    expect(transcript.at(-1)).toBe("Amount: 49.99 EUR");
  });

  test("asks only for the currency if the amount is given", async () => {
    const { prompter, transcript } = createScriptedPrompter("5.00 GBP");
    expect(await askForPayment(prompter, { ...visa, amount: "500" }, inTest)).toEqual({
      amount: "500",
      currency: "gbp",
    });
    expect(transcript).toEqual(["Currency:", "Amount: 5.00 GBP"]);
  });

  test.each([visa, { "card-file": "card.json" }])("asks for no card with %j", async (given) => {
    const { prompter, transcript } = createScriptedPrompter("5", "eur");
    await askForPayment(prompter, given, inTest);
    expect(transcript).toEqual([
      "Amount in minor units (4999 is 49.99):",
      "Currency:",
      "Amount: 0.05 EUR",
    ]);
  });
});

describe("in live mode", () => {
  const answers = ["4999", "eur", "4242424242424242", "12/40", "123"] as const;

  test("the user types a card, and confirms the charge", async () => {
    const { prompter, transcript } = createScriptedPrompter(...answers, true);
    expect(await askForPayment(prompter, {}, inLive)).toEqual({
      amount: "4999",
      currency: "eur",
      "card-number": "4242424242424242",
      "exp-month": 12,
      "exp-year": 2040,
      cvc: "123",
    });
    expect(transcript.slice(3)).toEqual([
      "Card number: (hidden)",
      "Expiry (MM/YY):",
      "Security code: (hidden)",
      "Charge 49.99 EUR in live mode?",
    ]);
  });

  test("the question names the place where there are several", async () => {
    const { prompter, transcript } = createScriptedPrompter("4999", "eur", true);
    const given = { "card-file": "card.json" };
    await askForPayment(prompter, given, { ...inLive, place: "production (live)" });
    expect(transcript.at(-1)).toBe("Charge 49.99 EUR in production (live)?");
  });

  test("a page needs neither a card nor a confirmation: the customer gives both", async () => {
    const { prompter, transcript } = createScriptedPrompter("4999", "eur");
    const given = { hosted: true };
    expect(await askForPayment(prompter, given, inLive)).toEqual({
      amount: "4999",
      currency: "eur",
    });
    expect(transcript.at(-1)).toBe("Amount: 49.99 EUR");
  });

  test("the answer no cancels the payment", async () => {
    const { prompter } = createScriptedPrompter(...answers, false);
    await expect(askForPayment(prompter, {}, inLive)).rejects.toMatchObject({
      exitCode: 10,
      message: "Canceled; nothing was sent.",
    });
  });

  test("a request that is not sent needs no confirmation", async () => {
    const { prompter, transcript } = createScriptedPrompter(...answers);
    await askForPayment(prompter, {}, { ...inLive, sends: false });
    expect(transcript.at(-1)).toBe("Security code: (hidden)");
  });
});
