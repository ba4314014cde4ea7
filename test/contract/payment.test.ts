import { describe, expect, test } from "vitest";
import { createPaymentBody, emptyBody } from "../../src/contract/payment.ts";
import { bodyWith, cardWith, faultsOf, messagesOf } from "../testkit/api-objects.ts";

const pairs = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, "value"]));
const long = "x".repeat(200);
const absent = [null, undefined];
const number = "4242424242424242";

/** By field: values that are accepted, and values that are refused. */
const fields: Record<string, [accepted: unknown[], refused: unknown[]]> = {
  amount: [
    [1, 4999, 2 ** 53 - 1],
    [
      ...absent,
      0,
      -1,
      1.5,
      2 ** 53,
      1e300,
      Number.NaN,
      Infinity,
      "4999",
      true,
      [4999],
      4929123456781236,
      378282246310005,
      30569309025904,
    ],
  ],
  currency: [
    ["eur", "usd", "gbp"],
    [...absent, "EUR", "chf", "eu", "euro", "", 978],
  ],
  description: [
    [
      ...absent,
      "",
      "a".repeat(500),
      "😀".repeat(500),
      "\u0001\u001f\t\r\n",
      "\ufeff\uffff\u202e",
      "👩‍👩‍👧",
    ],
    [
      "a".repeat(501),
      number,
      "😀".repeat(501),
      "\0",
      "a\0b",
      "\ud800",
      "a\udc00",
      7,
      true,
      {},
      ["text"],
    ],
  ],
  card: [[], [...absent, [], "4242424242424242", 7]],
  "card.number": [
    ["1".repeat(12), "1".repeat(19)],
    [
      ...absent,
      "1".repeat(11),
      "1".repeat(20),
      "4242 4242 4242 4242",
      "４２４２４２４２４２４２４２４２",
      "4242424242424242\n",
      4242424242424242,
    ],
  ],
  "card.exp_month": [
    [1, 12],
    [...absent, 0, 13, "12", 1.5],
  ],
  "card.exp_year": [
    [1000, 9999],
    [...absent, 999, 10_000, 30, "2030"],
  ],
  "card.cvc": [
    ["000", "0000"],
    [...absent, "12", "12345", "12a", 123],
  ],
  "card.holder_name": [
    [...absent, "", "Ada Lovelace"],
    [7, number],
  ],
  "card.brand": [[], ["visa"]],
  customer: [
    [...absent, {}],
    [[], "ada@example.com", 7],
  ],
  "customer.email": [
    [...absent, "a@b.c", `${"a".repeat(242)}@example.com`],
    [
      "",
      "ada",
      "ada@example",
      "ada @example.com",
      "ada@@example.com",
      `${"a".repeat(243)}@example.com`,
      "ada\0@example.com",
      "\ud800@example.com",
      `${number}@example.com`,
      7,
    ],
  ],
  "customer.country": [
    [...absent, "de", "DE"],
    ["", "D", "DEU", "D1", "ÄÖ"],
  ],
  "customer.first_name": [[...absent, "", long], [`${long}x`]],
  "customer.last_name": [[...absent, "", long], [`${long}x`]],
  "customer.phone": [
    [...absent, long],
    [`${long}x`, number],
  ],
  "customer.address": [
    [...absent, long],
    [`${long}x`, number],
  ],
  "customer.city": [
    [...absent, long],
    [`${long}x`, "\ud800"],
  ],
  "customer.zip": [
    [...absent, long],
    [`${long}x`, 10_115],
  ],
  "customer.name": [[], ["Ada"]],
  metadata: [
    [
      ...absent,
      {},
      pairs(50),
      { a: "" },
      { ["😀".repeat(40)]: "" },
      { a: "😀".repeat(500) },
      { constructor: "c", toString: "t" },
    ],
    [
      pairs(51),
      { [number]: "" },
      { "": "value" },
      { ["k".repeat(41)]: "" },
      { ["😀".repeat(41)]: "" },
      { "a\0": "" },
      { "a\ud800": "" },
      [],
      ["a"],
      "a",
      7,
      true,
    ],
  ],
  "metadata.key": [
    ["v".repeat(500)],
    [number, "v".repeat(501), "😀".repeat(501), "\0", "\udc00", 7, null, {}],
  ],
  capture: [[], [{}]],
};

function bodyOf(path: string, value: unknown): object {
  const [field = "", inner] = path.split(".");
  if (inner === undefined) return bodyWith({ [field]: value });
  return bodyWith({
    [field]: field === "card" ? cardWith({ [inner]: value }) : { [inner]: value },
  });
}

test.for(Object.entries(fields))("%s has its limits", ([path, [accepted, refused]]) => {
  for (const value of accepted) expect([value, faultsOf(bodyOf(path, value))]).toEqual([value, []]);
  for (const value of refused) {
    expect([value, faultsOf(bodyOf(path, value))]).toEqual([value, [path]]);
  }
});

test("a valid body is returned unchanged", () => {
  const body = bodyWith({
    customer: { email: "ada@example.com", first_name: " Ada ", country: "de" },
    description: "  Zwei Bücher \n",
    metadata: { order: "7" },
  });
  expect(createPaymentBody.parse(body)).toEqual(body);
});

test("the message that refuses a card never repeats it", () => {
  const card = cardWith({ number: "4242-4242-4242-4242", cvc: "98765", exp_year: 1 });
  const messages = messagesOf(bodyWith({ card })).join();
  expect(messages).toContain("digits");
  expect(messages).not.toMatch(/4242|98765/);
});

describe("a key called __proto__", () => {
  test("is an unknown field of a body", () => {
    expect(faultsOf(bodyWith(JSON.parse('{"__proto__":{}}')))).toEqual(["__proto__"]);
    expect(faultsOf(bodyWith({ constructor: {} }))).toEqual(["constructor"]);
  });

  test("is preserved in metadata, and its value checked", () => {
    const sent = '{"__proto__":"kept","constructor":"too"}';
    const { metadata } = createPaymentBody.parse(bodyWith({ metadata: JSON.parse(sent) }));
    expect(JSON.stringify(metadata)).toBe(sent);
    const wrong = bodyWith({ metadata: JSON.parse('{"__proto__":{"a":"b"}}') });
    expect(faultsOf(wrong)).toEqual(["metadata.__proto__"]);
  });
});

test("a very long e-mail address is refused by its length, without backtracking", () => {
  const email = `a@${".".repeat(63_000)} `;
  const startMs = performance.now();
  expect(faultsOf(bodyWith({ customer: { email } }))).toEqual(["customer.email"]);
  expect(performance.now() - startMs).toBeLessThan(1_000); // backtracking took seconds
});

test("the body of a refund is empty", () => {
  expect(emptyBody.safeParse({}).success).toBe(true);
  expect(emptyBody.safeParse({ amount: 100 }).success).toBe(false);
});
