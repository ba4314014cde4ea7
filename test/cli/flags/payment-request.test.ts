import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Answers,
  type PaymentFlags,
  parsePaymentRequest,
} from "../../../src/cli/flags/payment-request.ts";
import { CommandError } from "../../../src/cli/output/command-error.ts";
import type { CreatePayment } from "../../../src/client/calls.ts";
import { testCards } from "../../../src/contract/card.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const baseFlags: PaymentFlags = { amount: "4999", currency: "eur", "test-card": "visa" };

/** Returns the body for some flags. */
async function parseBody(...given: Parameters<typeof parsePaymentRequest>) {
  return (await parsePaymentRequest(...given)).body;
}

/** The message and the hint that refuse some flags. */
async function refusalOf(flags: PaymentFlags, mode: "test" | "live" = "test"): Promise<string> {
  const error: unknown = await parsePaymentRequest(flags, mode).catch((thrown: unknown) => thrown);
  if (error instanceof CommandError && error.exitCode === 2)
    return `${error.message}\n${error.hint}`;
  throw new Error("The flags were not refused.", { cause: error });
}

function writeFile(value: unknown): string {
  const file = join(createTemporaryHome(), "input.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

describe("the body of a payment", () => {
  test("has the values of the flags, and nothing else", async () => {
    expect(await parseBody(baseFlags, "test")).toEqual({
      amount: 4999,
      currency: "eur",
      card: expect.objectContaining({ number: "4242424242424242" }) as unknown,
    });
  });

  test("has its currency in lowercase, and leaves the rest to the API", async () => {
    expect(await parseBody({ ...baseFlags, currency: "EUR" }, "test")).toMatchObject({
      currency: "eur",
    });
    expect(await parseBody({ ...baseFlags, currency: "chf", email: "" }, "test")).toMatchObject({
      currency: "chf",
      customer: { email: "" },
    });
  });

  test("has no card for a page, but a return URL and how long it is open", async () => {
    const back = "https://shop.example/thanks";
    const page = { hosted: true, "return-url": back, "expires-in": "2h" };
    expect(await parseBody({ ...baseFlags, "test-card": undefined, ...page }, "live")).toEqual({
      amount: 4999,
      currency: "eur",
      return_url: back,
      expires_in: 7200,
    });
  });

  test.each<[string, PaymentFlags]>([
    ["--amount", { ...baseFlags, amount: undefined }],
    ["--currency", { ...baseFlags, currency: undefined }],
    ["a card", { ...baseFlags, "test-card": undefined }],
    [
      "--amount (in minor units: 4999 is 49.99) and --currency (eur, usd or gbp).",
      { hosted: true },
    ],
  ])("names %s where it is missing", async (name, given) => {
    expect(await refusalOf(given)).toContain(`Missing ${name}`);
  });
});

describe("an amount", () => {
  test.each([
    ["1", 1],
    ["04999", 4999],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("of %s is %d minor units", async (amount, minor) => {
    expect(await parseBody({ ...baseFlags, amount }, "test")).toMatchObject({ amount: minor });
  });

  test.each([
    ["49.99", 4999],
    ["49,99", 4999],
    ["49.9", 4990],
    ["0.05", 5],
  ])("of %s is refused with the hint %d", async (amount, minor) => {
    const message = `--amount is in minor units, without a fraction: write ${minor}.`;
    const hint = `For ${amount}: --amount ${minor}`;
    expect(await refusalOf({ ...baseFlags, amount })).toBe(`${message}\n${hint}`);
  });

  test.each([
    "",
    "0",
    "-1",
    "1e3",
    "0x10",
    "4 999",
    "49.999",
    "1,000,000",
    "€5",
    "9007199254740992",
  ])("of %j is refused", async (amount) => {
    expect(await refusalOf({ ...baseFlags, amount })).toContain("--amount must be an integer");
  });
});

const parseMetadata = async (...metadata: string[]) =>
  (await parseBody({ ...baseFlags, metadata }, "test")).metadata;

describe("metadata", () => {
  test("is split at the first equals sign", async () => {
    expect(await parseMetadata("a=1", "b=x=y=z", "c=", "d d= e ")).toEqual({
      a: "1",
      b: "x=y=z",
      c: "",
      "d d": " e ",
    });
  });

  test("may have any key", async () => {
    expect(JSON.stringify(await parseMetadata("__proto__=1", "constructor=2"))).toBe(
      '{"__proto__":"1","constructor":"2"}',
    );
  });

  test.each([
    [["order_id"], "--metadata must be written key=value, such as order_id=1001."],
    [["=1001"], "--metadata must be written key=value, such as order_id=1001."],
    [[""], "--metadata must be written key=value, such as order_id=1001."],
    [["a=1", "a=2"], "--metadata names the same key twice."],
  ])("may not be written %j", async (metadata, message) => {
    expect(await refusalOf({ ...baseFlags, metadata })).toContain(message);
  });
});

describe("--data", () => {
  test("is sent as it is, even if the API will refuse it", async () => {
    const body = { amount: "49.99", currency: "EUR", nonsense: [1] };
    expect(await parseBody({ data: writeFile(body) }, "test")).toEqual(body);
  });

  const others =
    "amount currency test-card card-number exp-month exp-year cvc card-holder card-file email first-name last-name country phone address city zip description metadata";

  test.each(others.split(" "))("leaves no place for --%s", async (name) => {
    const message = `--data already holds the whole body: leave --${name} out.`;
    expect(await refusalOf({ data: writeFile({}), [name]: "1" })).toContain(message);
  });
});

const numbered: PaymentFlags = {
  "card-number": "4242 4242-4242 4242",
  "exp-month": 1,
  "exp-year": 2030,
  cvc: "012",
};

const money = { amount: "4999", currency: "eur" };
const parseCard = async (given: PaymentFlags, mode: "test" | "live" = "test") => {
  return ((await parseBody({ ...money, ...given }, mode)) as CreatePayment).card;
};

describe("a test card", () => {
  test.each(testCards)("$name has its number and a future expiry", async ({ name, number }) => {
    const card = (await parseCard({ "test-card": name })) as { exp_year: number; cvc: string };
    expect(card).toMatchObject({ number, exp_month: 12 });
    expect(card.exp_year).toBe(2099);
    expect(card.cvc).toMatch(name === "amex" ? /^\d{4}$/ : /^\d{3}$/);
  });

  test("accepts another expiry, security code and holder", async () => {
    const given = { "exp-month": 1, "exp-year": 2020, cvc: "999", "card-holder": "Ada Lovelace" };
    expect(await parseCard({ "test-card": "visa", ...given })).toEqual({
      number: "4242424242424242",
      exp_month: 1,
      exp_year: 2020,
      cvc: "999",
      holder_name: "Ada Lovelace",
    });
  });

  test("is allowed in live mode", async () => {
    expect(await parseCard({ "test-card": "visa" }, "live")).toMatchObject({
      number: "4242424242424242",
    });
  });

  test("must exist", async () => {
    expect(await refusalOf({ ...money, "test-card": "gold" })).toMatch(
      /\nSee payments test-cards\.$/,
    );
  });
});

describe("a card by its number", () => {
  test("may be written in groups", async () => {
    expect(await parseCard(numbered)).toEqual({
      number: "4242424242424242",
      exp_month: 1,
      exp_year: 2030,
      cvc: "012",
    });
  });

  test.each(["exp-month", "exp-year", "cvc"] as const)("needs --%s", async (name) => {
    expect(await refusalOf({ ...money, ...numbered, [name]: undefined })).toContain(
      `Missing --${name}`,
    );
  });
});

describe("a card in a file", () => {
  test("is sent as it is", async () => {
    const card = { number: "1", exp_month: "x", more: true };
    expect(await parseCard({ "card-file": writeFile(card) })).toEqual(card);
    expect(await parseCard({ "card-file": writeFile(card) }, "live")).toEqual(card);
  });

  test.each<[string, PaymentFlags]>([
    ["card-holder", { "card-holder": "Ada" }],
    ["exp-month", { "exp-month": 1 }],
    ["exp-year", { "exp-year": 2030 }],
    ["cvc", { cvc: "123" }],
  ])("leaves no place for --%s", async (name, flags) => {
    const message = `--card-file already holds the whole card: leave --${name} out.`;
    expect(await refusalOf({ ...money, "card-file": writeFile({}), ...flags })).toContain(message);
  });
});

test.each<[string, PaymentFlags]>([
  ["--test-card or --card-number", { "test-card": "visa", "card-number": "4242424242424242" }],
  ["--test-card or --card-file", { "test-card": "visa", "card-file": "card.json" }],
  ["--card-number or --card-file", { ...numbered, "card-file": "card.json" }],
])("two ways to give a card contradict each other: %s", async (ways, flags) => {
  expect(await refusalOf({ ...money, ...flags })).toContain(`Give the card in one way: ${ways}.`);
});

test.each<[string, PaymentFlags]>([
  ["its number", numbered],
  ["its security code", { "test-card": "visa", cvc: "123" }],
  ["only a part of it", { cvc: "123" }],
])("a live card is not accepted from flags: %s", async (_, flags) => {
  const message =
    "A live card is not accepted on the command line, where others can see it. Nothing was sent.";
  const refusal = await refusalOf({ ...money, ...flags }, "live");
  expect(refusal.startsWith(`${message}\n`)).toBe(true);
  expect(refusal).toContain("--card-file");
});

const card = { "card-number": "4242424242424242", "exp-month": 12, "exp-year": 2040, cvc: "123" };

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
])("a prompt asks for what is missing where only %j is given: %s", async (flags, asks) => {
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    throw new Error("canceled");
  };
  const given = flags["card-file"] === undefined ? flags : { ...flags, "card-file": writeFile({}) };
  await parsePaymentRequest(given, "test", ask).catch(() => {});
  expect(isAsked).toBe(asks);
});

describe("answers", () => {
  test("complete the flags", async () => {
    const flags = { email: "ada@example.com" };
    const { body } = await parsePaymentRequest(flags, "test", createAnswer(testCard));
    expect(body).toMatchObject({
      amount: 100,
      currency: "usd",
      card: { number: "378282246310005" },
      customer: { email: "ada@example.com" },
    });
  });

  test("may contain a live card, which flags may not", async () => {
    expect(await parsePaymentRequest(money, "live", createAnswer(card))).toMatchObject({
      body: { card: { number: "4242424242424242" } },
    });
    const flags = { ...money, ...card };
    await expect(parsePaymentRequest(flags, "live", createAnswer({}))).rejects.toMatchObject({
      exitCode: 2,
    });
  });

  test("are not requested if nothing is missing", async () => {
    const flags = { ...money, "test-card": "visa" };
    expect(await parsePaymentRequest(flags, "test", createAnswer({ amount: "1" }))).toMatchObject({
      body: { amount: 4999 },
    });
  });
});

const testCard = { amount: "100", currency: "usd", "test-card": "amex" };

function createAnswer(answers: Answers) {
  return async () => answers;
}
