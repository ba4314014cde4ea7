import { describe, expect, test } from "vitest";
import type { PaymentFlags } from "../../../src/cli/flags/payment-request.ts";
import { askForCard } from "../../../src/cli/prompts/ask-for-payment.ts";
import { createScriptedPrompter, type Answer } from "../../testkit/command/scripted-prompter.ts";

const number = { "card-number": "4242424242424242" };
const expiry = { "exp-month": 12, "exp-year": 2040 };
const year = new Date().getUTCFullYear();

async function askCard(flags: PaymentFlags, ...answers: Answer[]) {
  const { prompter, transcript } = createScriptedPrompter(...answers);
  return { card: await askForCard(prompter, flags, "test"), transcript };
}

describe("in test mode", () => {
  test("the user picks a card by its name", async () => {
    const { card, transcript } = await askCard({}, "insufficient-funds");
    expect({ card, transcript }).toEqual({
      card: { "test-card": "insufficient-funds" },
      transcript: ["Test card:"],
    });
  });

  test("the user types another card", async () => {
    const { card, transcript } = await askCard(
      {},
      "another card",
      "4242 4242-4242 4242",
      "1/2040",
      "123",
    );
    expect(card).toEqual({
      "card-number": "4242 4242-4242 4242",
      "exp-month": 1,
      "exp-year": 2040,
      cvc: "123",
    });
    expect(transcript).toEqual([
      "Test card:",
      "Card number: (hidden)",
      "Expiry (MM/YY):",
      "Security code: (hidden)",
    ]);
  });
});

test("in test mode a card may have expired: a sandbox's clock decides", async () => {
  const { card } = await askCard({ ...number, cvc: "1" }, "12/20");
  expect(card).toMatchObject({ "exp-month": 12, "exp-year": 2020 });
});

describe("the prompts ask only for missing values:", () => {
  test.each<[string, PaymentFlags, string[], string[]]>([
    ["the expiry", { ...number, cvc: "1" }, ["12/40"], ["Expiry (MM/YY):"]],
    ["the code", { ...number, ...expiry }, ["123"], ["Security code: (hidden)"]],
    ["the month", { ...number, "exp-year": 2040, cvc: "1" }, ["5"], ["Month of expiry (MM):"]],
    ["the year", { ...number, "exp-month": 5, cvc: "1" }, ["40"], ["Year of expiry (YY):"]],
    [
      "the number",
      { ...expiry, cvc: "123" },
      ["another card", "4242424242424242"],
      ["Test card:", "Card number: (hidden)"],
    ],
    ["nothing", { ...number, ...expiry, cvc: "123" }, [], []],
  ])("%s", async (_, flags, answers, questions) => {
    expect((await askCard(flags, ...answers)).transcript).toEqual(questions);
  });

  test("a month or a year beside the given other one", async () => {
    const { card } = await askCard({ ...number, "exp-month": 5, cvc: "1" }, "2040");
    expect(card).toMatchObject({ "exp-month": 5, "exp-year": 2040 });
  });
});

describe("the prompt explains a mistake at once, without repeating it:", () => {
  test.each<[string, PaymentFlags, string, string, string]>([
    ["a letter in the number", { ...expiry, cvc: "1" }, "4242x242", "4242424242424242", "digits"],
    ["a short number", { ...expiry, cvc: "1" }, "42424242", "4242424242424242", "12 to 19 digits"],
    ["a typing mistake", { ...expiry, cvc: "1" }, "4242424242424241", "4242424242424242", "check"],
    ["a code of two digits", { ...number, ...expiry }, "12", "123", "3 to 4 digits"],
    ["a code in letters", { ...number, ...expiry }, "abc", "1234", "3 to 4 digits"],
    ["a month of thirteen", { ...number, cvc: "1" }, "13/40", "12/40", "from 1 to 12"],
    ["an expiry in words", { ...number, cvc: "1" }, "soon", "12/40", "MM/YY or MM/YYYY"],
    ["a year of three digits", { ...number, cvc: "1" }, "12/040", "12-40", "MM/YY or MM/YYYY"],
    ["a card that has expired", { ...number, cvc: "1" }, "12/20", "12/2040", "has expired"],
    ["last year", { ...number, "exp-month": 12, cvc: "1" }, String(year - 1), "40", "has expired"],
  ])("%s", async (_, flags, wrong, right, mistake) => {
    const { prompter, transcript } = createScriptedPrompter(wrong, right);
    await askForCard(prompter, flags, "live");
    expect(transcript[1]).toMatch(/^! .*\.$/);
    expect(transcript[1]).toContain(mistake);
    expect(transcript[1]).not.toContain(wrong);
  });

  test("a card that expires this month is accepted", async () => {
    const month = new Date().getUTCMonth() + 1;
    const { transcript } = await askCard({ ...number, cvc: "1" }, `${month}/${year}`);
    expect(transcript).toHaveLength(1);
  });
});
