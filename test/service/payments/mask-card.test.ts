import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maskCard } from "../../../src/service/payments/payment-state.ts";

const digits = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

describe("the stored part of a card", () => {
  test("is its brand, last four digits, expiry and country", () => {
    const card = { number: "5555555555554444", exp_month: 3, exp_year: 2031, cvc: "987" };
    expect(maskCard(card, "DE")).toEqual({
      brand: "mastercard",
      last4: "4444",
      exp_month: 3,
      exp_year: 2031,
      country: "DE",
    });
  });

  test("never holds five digits of its number in a row", () => {
    fc.assert(
      fc.property(digits(12, 19), (number) => {
        const stored = maskCard({ number, exp_month: 12, exp_year: 2030 }, "US");
        expect(JSON.stringify(stored)).not.toMatch(/\d{5}/);
      }),
    );
  });
});
