import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeFingerprint } from "../../../src/service/idempotency/run-idempotently.ts";

const request = {
  method: "POST",
  path: "/v1/payments",
  body: {
    amount: 4999,
    card: { number: "4242424242424242", cvc: "987" },
    metadata: { a: "1", cvc: "2" },
  },
};
const original = computeFingerprint("secret", request);
const withBody = (body: unknown) => computeFingerprint("secret", { ...request, body });

function withNumber(number: string) {
  return { ...request, body: { ...request.body, card: { ...request.body.card, number } } };
}

/** The same value, with the keys of every object in the opposite order. */
function reverseKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reverseKeys);
  const pairs = Object.entries(value).toReversed();
  // Object.fromEntries keeps a key called __proto__.
  return Object.fromEntries(pairs.map(([key, each]) => [key, reverseKeys(each)]));
}

describe("the fingerprint of a request", () => {
  test("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        expect(withBody(reverseKeys(body))).toBe(withBody(body));
      }),
    );
  });

  test("depends on everything else in a body", () => {
    const body = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(body, body, (one, other) => {
        fc.pre(!("card" in one || "card" in other));
        expect(withBody(one) === withBody(other)).toBe(canonical(one) === canonical(other));
      }),
    );
  });

  test.each([
    ["another method", { ...request, method: "PUT" }],
    ["another path", { ...request, path: "/v1/payments/pay_1/refund" }],
    ["no body", { ...request, body: undefined }],
    ["another amount", { ...request, body: { ...request.body, amount: 4998 } }],
    ["an amount as text", { ...request, body: { ...request.body, amount: "4999" } }],
    ["one field more", { ...request, body: { ...request.body, description: null } }],
    ["another issuer", withNumber("4242434242424242")],
    ["other last digits", withNumber("4242424242424243")],
    ["other metadata", { ...request, body: { ...request.body, metadata: { a: "1", cvc: "3" } } }],
  ])("differs for %s", (_, another) => {
    expect(computeFingerprint("secret", another)).not.toBe(original);
  });

  test("does not depend on the middle digits of a card's number, which therefore cannot be guessed from it", () => {
    const middle = fc.stringMatching(/^[0-9]{6}$/);
    fc.assert(
      fc.property(middle, (digits) => {
        expect(computeFingerprint("secret", withNumber(`424242${digits}4242`))).toBe(original);
      }),
    );
  });

  test("leaves out only the card's security code", () => {
    const { card, ...rest } = request.body;
    expect(withBody({ ...rest, card: { ...card, cvc: "123" } })).toBe(original);
    expect(withBody({ ...rest, card: { number: card.number } })).toBe(original);
    expect(withBody({ ...rest, card, cvc: "987" })).not.toBe(original);
    expect(withBody({ ...rest, card: { ...card, card: { cvc: "1" } } })).not.toBe(original);
    expect(withBody({ ...rest, card, metadata: { a: "1" } })).not.toBe(original);
  });

  test("depends on a key called __proto__", () => {
    const one: unknown = JSON.parse('{"metadata":{"__proto__":"1"}}');
    const other: unknown = JSON.parse('{"metadata":{"__proto__":"2"}}');
    expect(withBody(one)).not.toBe(withBody(other));
  });

  test("is the same for no body and an empty one", () => {
    expect(withBody(undefined)).toBe(withBody({}));
  });

  test("depends on the account's secret, and reveals nothing of the card", () => {
    expect(computeFingerprint("another secret", request)).not.toBe(original);
    expect(original).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

/** The value as text, the keys of every object sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
