import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsePaymentRequest } from "../../../src/cli/parse/payment-request.ts";
import type { PaymentFlags } from "../../../src/cli/parse/payment-flags.ts";
import { newHome } from "../../testkit/command/temporary-home.ts";

const flags: PaymentFlags = { amount: "4999", currency: "eur", "test-card": "visa" };

/** What is sent for some flags. */
async function bodyOf(...given: Parameters<typeof parsePaymentRequest>) {
  return (await parsePaymentRequest(...given)).body;
}

function fileOf(value: unknown): string {
  const file = join(newHome(), "input.json");
  writeFileSync(file, JSON.stringify(value));
  return file;
}

describe("the body of a payment", () => {
  test("holds what the flags say, and no more", async () => {
    expect(await bodyOf(flags, "test")).toEqual({
      amount: 4999,
      currency: "eur",
      card: expect.objectContaining({ number: "4242424242424242" }) as unknown,
    });
  });

  test("holds every field of the API", async () => {
    const all: PaymentFlags = {
      ...flags,
      email: "ada@example.com",
      "first-name": "Ada",
      "last-name": "Lovelace",
      country: "GB",
      phone: "+44 20 7946 0000",
      address: "12 St James's Square",
      city: "London",
      zip: "SW1Y 4JH",
      description: "A book",
      metadata: ["order_id=1001"],
    };
    expect(await bodyOf(all, "test")).toMatchObject({
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
      description: "A book",
      metadata: { order_id: "1001" },
    });
  });

  test("has its currency in lowercase, and leaves the rest to the API", async () => {
    expect(await bodyOf({ ...flags, currency: "EUR" }, "test")).toMatchObject({
      currency: "eur",
    });
    expect(await bodyOf({ ...flags, currency: "chf", email: "" }, "test")).toMatchObject({
      currency: "chf",
      customer: { email: "" },
    });
  });

  test("has no card where the customer gives it on a page, which leads back", async () => {
    const page = { hosted: true, "return-url": "https://shop.example/thanks" };
    expect(await bodyOf({ ...flags, "test-card": undefined, ...page }, "live")).toEqual({
      amount: 4999,
      currency: "eur",
      return_url: "https://shop.example/thanks",
    });
  });

  test.each<[string, PaymentFlags]>([
    ["--amount", { ...flags, amount: undefined }],
    ["--currency", { ...flags, currency: undefined }],
    ["a card", { ...flags, "test-card": undefined }],
    [
      "--amount (in minor units: 4999 is 49.99) and --currency (eur, usd or gbp).",
      { hosted: true },
    ],
  ])("names %s where it is missing", async (name, given) => {
    await expect(parsePaymentRequest(given, "test")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(`Missing ${name}`) as unknown,
    });
  });
});

describe("an amount", () => {
  test.each([
    ["1", 1],
    ["04999", 4999],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("of %s is %d minor units", async (amount, minor) => {
    expect(await bodyOf({ ...flags, amount }, "test")).toMatchObject({ amount: minor });
  });

  test.each([
    ["49.99", 4999],
    ["49,99", 4999],
    ["49.9", 4990],
    ["0.05", 5],
  ])("of %s is refused with the hint %d", async (amount, minor) => {
    await expect(parsePaymentRequest({ ...flags, amount }, "test")).rejects.toMatchObject({
      exitCode: 2,
      message: `--amount is in minor units, without a fraction: write ${minor}.`,
      hint: `For ${amount}: --amount ${minor}`,
    });
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
    await expect(parsePaymentRequest({ ...flags, amount }, "test")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("--amount must be an integer") as unknown,
    });
  });
});

const metadataOf = async (...metadata: string[]) =>
  (await bodyOf({ ...flags, metadata }, "test")).metadata;

describe("metadata", () => {
  test("is split at the first equals sign", async () => {
    expect(await metadataOf("a=1", "b=x=y=z", "c=", "d d= e ")).toEqual({
      a: "1",
      b: "x=y=z",
      c: "",
      "d d": " e ",
    });
  });

  test("may have any key", async () => {
    expect(JSON.stringify(await metadataOf("__proto__=1", "constructor=2"))).toBe(
      '{"__proto__":"1","constructor":"2"}',
    );
  });

  test.each(["order_id", "=1001", ""])("may not be written %j", async (pair) => {
    await expect(metadataOf(pair)).rejects.toMatchObject({
      exitCode: 2,
      message: "--metadata must be written key=value, such as order_id=1001.",
    });
  });

  test("may not name a key twice", async () => {
    await expect(metadataOf("a=1", "a=2")).rejects.toMatchObject({
      exitCode: 2,
      message: "--metadata names the same key twice.",
    });
  });
});

describe("--data", () => {
  test("is sent as it is, also what the API will refuse", async () => {
    const body = { amount: "49.99", currency: "EUR", nonsense: [1] };
    expect(await bodyOf({ data: fileOf(body) }, "test")).toEqual(body);
  });

  test.each<keyof PaymentFlags>([
    "amount",
    "currency",
    "test-card",
    "card-number",
    "exp-month",
    "exp-year",
    "cvc",
    "card-holder",
    "card-file",
    "email",
    "first-name",
    "last-name",
    "country",
    "phone",
    "address",
    "city",
    "zip",
    "description",
    "metadata",
  ])("leaves no place for --%s", async (name) => {
    await expect(
      parsePaymentRequest({ data: fileOf({}), [name]: "1" }, "test"),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: `--data already holds the whole body: leave --${name} out.`,
    });
  });
});
