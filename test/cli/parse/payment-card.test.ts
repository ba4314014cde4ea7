import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testCards } from "../../../src/contract/known-test-cards.ts";
import type { CreatePayment } from "../../../src/client/calls.ts";
import { parsePaymentRequest } from "../../../src/cli/parse/payment-request.ts";
import type { PaymentFlags } from "../../../src/cli/parse/payment-flags.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";

const amount: PaymentFlags = { amount: "4999", currency: "eur" };
const numbered: PaymentFlags = {
  "card-number": "4242 4242-4242 4242",
  "exp-month": 1,
  "exp-year": 2030,
  cvc: "012",
};

const cardOf = async (flags: PaymentFlags, mode: "test" | "live" = "test") =>
  ((await parsePaymentRequest({ ...amount, ...flags }, mode)).body as CreatePayment).card;

function fileOf(value: unknown): string {
  const file = join(newHome(), "card.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

describe("a test card", () => {
  test.each(testCards)("$name has its number and an expiry to come", async ({ name, number }) => {
    const card = (await cardOf({ "test-card": name })) as { exp_year: number; cvc: string };
    expect(card).toMatchObject({ number, exp_month: 12 });
    expect(card.exp_year).toBeGreaterThan(new Date().getUTCFullYear());
    expect(card.cvc).toMatch(name === "amex" ? /^\d{4}$/ : /^\d{3}$/);
  });

  test("takes the expiry, the security code and the holder that are given", async () => {
    const given = { "exp-month": 1, "exp-year": 2020, cvc: "999", "card-holder": "Ada Lovelace" };
    expect(await cardOf({ "test-card": "visa", ...given })).toEqual({
      number: "4242424242424242",
      exp_month: 1,
      exp_year: 2020,
      cvc: "999",
      holder_name: "Ada Lovelace",
    });
  });

  test("is allowed in live mode", async () => {
    expect(await cardOf({ "test-card": "visa" }, "live")).toMatchObject({
      number: "4242424242424242",
    });
  });

  test("must be one", async () => {
    await expect(cardOf({ "test-card": "gold" })).rejects.toMatchObject({
      exitCode: 2,
      hint: "See payments test-cards.",
    });
  });
});

describe("a card by its number", () => {
  test("may be written in groups", async () => {
    expect(await cardOf(numbered)).toEqual({
      number: "4242424242424242",
      exp_month: 1,
      exp_year: 2030,
      cvc: "012",
    });
  });

  test.each(["exp-month", "exp-year", "cvc"] as const)("needs --%s", async (name) => {
    await expect(cardOf({ ...numbered, [name]: undefined })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`Missing --${name}`) as unknown,
    });
  });
});

describe("a card in a file", () => {
  test("is sent as it is", async () => {
    const card = { number: "1", exp_month: "x", more: true };
    expect(await cardOf({ "card-file": fileOf(card) })).toEqual(card);
    expect(await cardOf({ "card-file": fileOf(card) }, "live")).toEqual(card);
  });

  test.each<[string, PaymentFlags]>([
    ["card-holder", { "card-holder": "Ada" }],
    ["exp-month", { "exp-month": 1 }],
    ["exp-year", { "exp-year": 2030 }],
    ["cvc", { cvc: "123" }],
  ])("leaves no place for --%s", async (name, flags) => {
    await expect(cardOf({ "card-file": fileOf({}), ...flags })).rejects.toMatchObject({
      exitCode: 2,
      message: `--card-file already holds the whole card: leave --${name} out.`,
    });
  });
});

describe("two ways to give a card", () => {
  test.each<[string, PaymentFlags]>([
    ["--test-card or --card-number", { "test-card": "visa", "card-number": "4242424242424242" }],
    ["--test-card or --card-file", { "test-card": "visa", "card-file": "card.json" }],
    ["--card-number or --card-file", { ...numbered, "card-file": "card.json" }],
  ])("contradict each other: %s", async (ways, flags) => {
    await expect(cardOf(flags)).rejects.toMatchObject({
      exitCode: 2,
      message: `Give the card in one way: ${ways}.`,
    });
  });
});

describe("a live card", () => {
  test.each<[string, PaymentFlags]>([
    ["its number", numbered],
    ["its security code", { "test-card": "visa", cvc: "123" }],
    ["only a part of it", { cvc: "123" }],
  ])("is not accepted from flags: %s", async (_, flags) => {
    await expect(cardOf(flags, "live")).rejects.toMatchObject({
      exitCode: 2,
      message:
        "A live card is not accepted on the command line, where others can see it. Nothing was sent.",
      hint: expect.stringContaining("--card-file") as unknown,
    });
  });
});
