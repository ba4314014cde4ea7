import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findBrand, isExpired, isLuhnValid } from "../../src/contract/card.ts";

const digits = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));

const secondsOf = (time: string) => Date.parse(time) / 1000;

describe("the Luhn check", () => {
  test.each([
    "4242424242424242",
    "378282246310005",
    "30569309025904",
    "6304000000000000",
    "79927398713",
  ])("passes %s", (number) => {
    expect(isLuhnValid(number)).toBe(true);
  });

  test.each(["4242424242424241", "4242424242424224", "378282246310006", "79927398710"])(
    "refuses %s",
    (number) => {
      expect(isLuhnValid(number)).toBe(false);
    },
  );

  test("accepts one check digit of ten", () => {
    fc.assert(
      fc.property(digits(11, 18), (start) => {
        const passing = [..."0123456789"].filter((digit) => isLuhnValid(start + digit));
        expect(passing).toHaveLength(1);
      }),
    );
  });

  test("notices any one digit that is wrong", () => {
    fc.assert(
      fc.property(digits(12, 19), fc.nat(), fc.integer({ min: 1, max: 9 }), (number, at, by) => {
        const position = at % number.length;
        const wrong = (Number(number[position]) + by) % 10;
        const changed = number.slice(0, position) + wrong + number.slice(position + 1);
        expect(isLuhnValid(number) && isLuhnValid(changed)).toBe(false);
      }),
    );
  });
});

/** Prefixes of each brand; where a range is meant, its first and last. */
const prefixes = {
  visa: ["4", "4000", "4999"],
  mastercard: ["51", "55", "2221", "2720"],
  amex: ["34", "37"],
  discover: ["6011", "644", "649", "65"],
  diners: ["300", "305", "3095", "36", "38", "39"],
  jcb: ["3528", "3589"],
  unionpay: ["62", "81"],
  maestro: ["50", "56", "58", "6304", "6759", "6763"],
  unknown: ["0", "1", "2220", "2721", "306", "3094", "3096", "31", "3527", "3590", "35", "6010"],
} as const;
const others = [
  "6012",
  "643",
  "66",
  "6303",
  "6305",
  "6758",
  "6764",
  "7",
  "80",
  "82",
  "9",
  "60",
  "61",
];
const rows = Object.entries(prefixes).flatMap(([brand, list]) =>
  list.map((prefix) => ({ brand, prefix })),
);

describe("the brand of a card", () => {
  test.each([...rows, ...others.map((prefix) => ({ brand: "unknown", prefix }))])(
    "that begins with $prefix is $brand",
    ({ brand, prefix }) => {
      expect(findBrand(prefix.padEnd(16, "0"))).toBe(brand);
    },
  );

  test("follows from its first four digits", () => {
    fc.assert(
      fc.property(digits(4, 4), digits(8, 15), (prefix, rest) => {
        expect(findBrand(prefix + rest)).toBe(findBrand(prefix));
      }),
    );
  });
});

describe("a card that expires in a month", () => {
  test.each([
    { month: 11, year: 2026, lasts: "2026-11-30T23:59:59Z", ends: "2026-12-01T00:00:00Z" },
    { month: 12, year: 2026, lasts: "2026-12-31T23:59:59Z", ends: "2027-01-01T00:00:00Z" },
    { month: 1, year: 2027, lasts: "2027-01-31T23:59:59Z", ends: "2027-02-01T00:00:00Z" },
    { month: 2, year: 2028, lasts: "2028-02-29T23:59:59Z", ends: "2028-03-01T00:00:00Z" },
  ])("lasts until the last second of $month/$year in UTC", ({ month, year, lasts, ends }) => {
    const card = { exp_month: month, exp_year: year };
    expect(isExpired(card, secondsOf(lasts))).toBe(false);
    expect(isExpired(card, secondsOf(lasts) + 0.999)).toBe(false);
    expect(isExpired(card, secondsOf(ends))).toBe(true);
  });

  test.each([
    { exp_month: 12, exp_year: 1000, expired: true },
    { exp_month: 1, exp_year: 9999, expired: false },
  ])("of the year $exp_year is judged by that year", ({ expired, ...card }) => {
    expect(isExpired(card, secondsOf("2026-11-15T12:00:00Z"))).toBe(expired);
  });
});
