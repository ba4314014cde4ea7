import { describe, expect, test } from "vitest";
import { createPaymentBody, refundPaymentBody } from "../../src/contract/payment.ts";
import { bodyWith, cardWith, faultsOf, messagesOf } from "../testkit/create-payment-body.ts";

describe("the body of a new payment", () => {
  test("needs an amount, a currency and a card", () => {
    expect(faultsOf({})).toEqual(["amount", "currency", "card"]);
  });

  test.each(["amount", "currency", "card"])("does not take null for %s", (field) => {
    expect(faultsOf(bodyWith({ [field]: null }))).toEqual([field]);
  });

  test.each(["customer", "description", "metadata"])("takes null for %s as absent", (field) => {
    expect(faultsOf(bodyWith({ [field]: null }))).toEqual([]);
  });

  test.each(["capture", "__proto__", "constructor"])("has no field %s", (field) => {
    expect(faultsOf(bodyWith(JSON.parse(`{"${field}":{}}`)))).toEqual([field]);
  });
});

describe("an amount", () => {
  test.each([1, 4999, 2 ** 53 - 1])("may be %d", (amount) => {
    expect(faultsOf(bodyWith({ amount }))).toEqual([]);
  });

  test.each([0, -1, 1.5, 2 ** 53, 1e300, Number.NaN, Infinity, "4999", true, [4999]])(
    "may not be %o",
    (amount) => {
      expect(faultsOf(bodyWith({ amount }))).toEqual(["amount"]);
    },
  );
});

describe("a currency", () => {
  test.each(["eur", "usd", "gbp"])("may be %s", (currency) => {
    expect(faultsOf(bodyWith({ currency }))).toEqual([]);
  });

  test.each(["EUR", "chf", "eu", "euro", "", 978])("may not be %o", (currency) => {
    expect(faultsOf(bodyWith({ currency }))).toEqual(["currency"]);
  });
});

describe("a card", () => {
  test.each(["number", "exp_month", "exp_year", "cvc"])("needs its %s", (field) => {
    expect(faultsOf(bodyWith({ card: cardWith({ [field]: undefined }) }))).toEqual([
      `card.${field}`,
    ]);
    expect(faultsOf(bodyWith({ card: cardWith({ [field]: null }) }))).toEqual([`card.${field}`]);
  });

  test.each([
    { number: "1".repeat(12) },
    { number: "1".repeat(19) },
    { exp_month: 1 },
    { exp_month: 12 },
    { exp_year: 1000 },
    { exp_year: 9999 },
    { cvc: "000" },
    { cvc: "0000" },
    { holder_name: null },
    { holder_name: "" },
    { holder_name: "Ada Lovelace" },
  ])("may have %o", (fields) => {
    expect(faultsOf(bodyWith({ card: cardWith(fields) }))).toEqual([]);
  });

  test.each([
    { number: "1".repeat(11) },
    { number: "1".repeat(20) },
    { number: "4242 4242 4242 4242" },
    { number: "４２４２４２４２４２４２４２４２" },
    { number: "4242424242424242\n" },
    { number: 4242424242424242 },
    { exp_month: 0 },
    { exp_month: 13 },
    { exp_month: "12" },
    { exp_month: 1.5 },
    { exp_year: 999 },
    { exp_year: 10_000 },
    { exp_year: 30 },
    { exp_year: "2030" },
    { cvc: "12" },
    { cvc: "12345" },
    { cvc: "12a" },
    { cvc: 123 },
    { holder_name: 7 },
    { brand: "visa" },
  ])("may not have %o", (fields) => {
    expect(faultsOf(bodyWith({ card: cardWith(fields) }))).toEqual([
      `card.${Object.keys(fields).join()}`,
    ]);
  });

  test.each([null, [], "4242424242424242", 7])("may not be %o", (card) => {
    expect(faultsOf(bodyWith({ card }))).toEqual(["card"]);
  });

  test("is never repeated by the message that refuses it", () => {
    const card = cardWith({ number: "4242-4242-4242-4242", cvc: "98765", exp_year: 1 });
    const said = messagesOf(bodyWith({ card })).join();
    expect(said).toContain("digits");
    expect(said).not.toMatch(/4242|98765/);
  });
});

describe("a customer", () => {
  test.each([
    null,
    {},
    { email: null, first_name: null, last_name: null, country: null, phone: null },
    { address: null, city: null, zip: null },
    { email: "a@b.c" },
    { email: `${"a".repeat(242)}@example.com` },
    { country: "de" },
    { country: "DE" },
    { first_name: "x".repeat(200) },
    { first_name: "", last_name: "" },
  ])("may be %o", (customer) => {
    expect(faultsOf(bodyWith({ customer }))).toEqual([]);
  });

  test.each([
    { email: "" },
    { email: "ada" },
    { email: "ada@example" },
    { email: "ada @example.com" },
    { email: "ada@@example.com" },
    { email: `${"a".repeat(243)}@example.com` },
    { email: "ada\0@example.com" },
    { email: "\ud800@example.com" },
    { email: 7 },
    { country: "" },
    { country: "D" },
    { country: "DEU" },
    { country: "D1" },
    { country: "ÄÖ" },
    { first_name: "x".repeat(201) },
    { last_name: "x".repeat(201) },
    { phone: "x".repeat(201) },
    { address: "x".repeat(201) },
    { city: "x".repeat(201) },
    { zip: "x".repeat(201) },
    { zip: 10_115 },
    { name: "Ada" },
  ])("may not have %o", (customer) => {
    expect(faultsOf(bodyWith({ customer }))).toEqual([`customer.${Object.keys(customer).join()}`]);
  });

  test.each([[], "ada@example.com", 7])("may not be %o", (customer) => {
    expect(faultsOf(bodyWith({ customer }))).toEqual(["customer"]);
  });
});

test("what is accepted comes out as it was sent", () => {
  const body = bodyWith({
    customer: { email: "ada@example.com", first_name: " Ada ", country: "de" },
    description: "  Zwei Bücher \n",
    metadata: { order: "7" },
  });
  expect(createPaymentBody.parse(body)).toEqual(body);
});

test("the body of a refund is empty", () => {
  expect(refundPaymentBody.safeParse({}).success).toBe(true);
  expect(refundPaymentBody.safeParse({ amount: 100 }).success).toBe(false);
});
