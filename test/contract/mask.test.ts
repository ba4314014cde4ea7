import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLuhnValid } from "../../src/contract/card.ts";
import { mask, maskBody } from "../../src/contract/mask.ts";

const key = "svc_test_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";
const uuid = "01999999-1234-7123-8123-123456789012";

// The forms of card numbers are those of card-in-text.test.ts.

describe("masking", () => {
  test("removes the secret of an API key, even of a mistyped one", () => {
    expect(mask(`the key ${key} is`)).toBe("the key svc_test_sk_… is");
    expect(mask("svc_live_sk_short-and_wrong")).toBe("svc_live_sk_…");
    expect(mask(key.toUpperCase())).toBe("SVC_TEST_SK_…");
    expect(mask(`{"key":"sk_live_0123456789"}`)).toBe(`{"key":"sk_live_…"}`);
  });

  test("removes a webhook's signing secret", () => {
    expect(mask(`{"secret":"whsec_AbC+/0123456789w=="}`)).toBe(`{"secret":"whsec_…"}`);
  });

  test.each([
    "metadata[face4242424242424242]",
    "4242.4242-4242 4242.",
    "--4242 4242 4242 4242",
    "4242-4242-4242-4242-",
  ])("leaves no digits of the card number in %s", (value) => {
    expect(mask(value)).not.toMatch(/\d/);
  });

  test.each([
    `pay_${uuid}`,
    `There is no payment pay_${uuid} in test mode.`,
    uuid.toUpperCase(),
    "4999",
    "1767225600",
    "from 1767225600 to 1767312000",
    "ends in 4242",
    "connect ECONNREFUSED 192.168.100.200:8402.",
    "192.168.100.200.",
    "task_live_0123456789",
  ])("leaves %s as it is", (value) => {
    expect(mask(value)).toBe(value);
  });

  test("removes a card number from any surroundings", () => {
    const surroundings = fc.stringMatching(/^[^0-9]*$/);
    const number = fc
      .stringMatching(/^4[0-9]{14}$/)
      .map((start) => start + [..."0123456789"].find((digit) => isLuhnValid(start + digit)));
    fc.assert(
      fc.property(surroundings, number, surroundings, (before, digits, after) => {
        expect(mask(before + digits + after)).not.toContain(digits.slice(0, 6));
      }),
    );
  });
});

test("shows a request with its card masked", () => {
  const card = { number: "4242424242424242", exp_month: 1, exp_year: 2040, cvc: "9173" };
  const customer = { email: "a@b.co", phone: "+44 20 7946 0000" };
  const body = { amount: 5, currency: "eur", customer, card };
  expect(maskBody(body)).toEqual({
    ...body,
    card: { number: "…4242", exp_month: 1, exp_year: 2040, cvc: "…" },
  });
});

test("shows the return URL, without a key in its query", () => {
  const body = { amount: 5, return_url: "https://shop.example/thanks?order=7&key=svc_test_sk_abc" };
  expect(maskBody(body)).toEqual({
    amount: 5,
    return_url: "https://shop.example/thanks?order=7&key=svc_test_sk_…",
  });
});

test("shows a request about an endpoint, but masks its URL, since anyone who has it may send to it", () => {
  const body = {
    events: ["payment.failed"],
    status: "enabled",
    overlap_hours: 24,
    endpoint: "we_1",
  };
  expect(maskBody({ ...body, url: "https://shop.example/hooks/secret" })).toEqual({
    ...body,
    url: "…",
  });
  expect(maskBody({ events: ["4242424242424242"] })).toEqual({ events: ["…"] });
});

test.each([
  { card_number: "4242424242424242" },
  { card: "4242424242424242" },
  { card: ["4242424242424242"] },
  { card: { card_number: "4242424242424242", security_code: "9173" } },
  { card: { number: 4242424242424242, cvc: 9173 } },
  { number: "4242424242424242", cvc: "9173" },
])("hides what stands under a name that is not known: %j", (body) => {
  expect(JSON.stringify(maskBody(body))).not.toMatch(/4242424|9173/);
});

test("masks only the key or the card number in a text", () => {
  const card = { holder_name: "4242 4242 4242 4242" };
  const customer = { email: "a@b.co", phone: "+44 20 7946 0000", zip: "4242-4242-4242-4242" };
  const metadata = { order_id: "1001", "4242424242424242": "svc_live_sk_abc" };
  const description = "Order 1001, paid by 4242.4242.4242.4242";
  expect(maskBody({ card, customer, description, metadata })).toEqual({
    card: { holder_name: "…" },
    customer: { ...customer, zip: "…" },
    description: "Order 1001, paid by …",
    metadata: { order_id: "1001", "…": "svc_live_sk_…" },
  });
});

test.each([
  { description: 4242424242424242 },
  { description: ["4242424242424242", { number: 4242424242424242 }] },
  { "4242424242424242": "9173" },
  { amount: 4242424242424242 },
  { amount: { value: 4242424242424242 } },
  { currency: "4242424242424242" },
  { card: { exp_month: "4242424242424242", exp_year: 4242424242424242 } },
  { metadata: { phone: "4242424242424242" } },
  { customer: { phone: 4242424242424242 } },
  { customer: { phone: ["+4242424242424242"] } },
])("hides it also where the body is wrong: %j", (body) => {
  expect(JSON.stringify(maskBody(body))).not.toMatch(/4242424|9173/);
});

test.each([
  { description: "card 4242 4242 4242 4242" },
  { customer: { first_name: "4242424242424242" } },
  { metadata: { note: "4242-4242-4242-4242", "4242424242424242": "svc_live_sk_abc" } },
  { card: { holder_name: "4242424242424242" } },
])("hides a card number or a key that stands where another text belongs: %j", (body) => {
  expect(JSON.stringify(maskBody(body))).not.toMatch(/4242|_sk_a/);
});
