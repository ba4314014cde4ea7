import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brandOf, holdsCardNumber, isExpired, isLuhnValid } from "../../src/contract/card.ts";

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

  test("lets one check digit of ten pass", () => {
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
      expect(brandOf(prefix.padEnd(16, "0"))).toBe(brand);
    },
  );

  test("is told by its first four digits alone", () => {
    fc.assert(
      fc.property(digits(4, 4), digits(8, 15), (prefix, rest) => {
        expect(brandOf(prefix + rest)).toBe(brandOf(prefix));
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

describe("a card number in a text", () => {
  test.each([
    "4242424242424242",
    "card 4242 4242 4242 4242, please",
    "4242-4242-4242-4242",
    "4242.4242.4242.4242",
    "3782 822463 10005",
    "order 12 4242 4242 4242 4242 34",
    "5555555555554444,x",
    "(378282246310005)",
    "4000 0000 0000 0002",
    "6200000000000005",
    "+4242424242424242",
    "\uff14\uff12\uff14\uff12 4242 4242 4242",
    "4242\u00a04242\u00a04242\u00a04242",
    "4242\u20134242\u20134242\u20134242",
    "4242  4242  4242  4242",
    "4242\t4242\n4242/4242",
    "card_4242424242424242",
    "4242_4242_4242_4242",
  ])("is found in %j", (text) => {
    expect(holdsCardNumber(text)).toBe(true);
  });

  test.each([
    ["a wrong check digit", "4242424242424241"],
    ["no known brand", "9999999999999995"],
    ["a length that the brand does not have", "424242424242422"],
    ["a part of a word", "a4242424242424242"],
    ["a part of a longer number", "42424242424242424242424242424242"],
    ["ids with UUIDs", "pay_01a1ff0b-2fbd-75bc-b767-5ab4240a4a4f"],
    ["a UUID of digits alone", "42424242-4242-4242-8242-424242424242"],
    ["a phone number", "+49 151 2345 6783"],
    ["dates and amounts", "2026-11-22 10.000,00 EUR, 1.2.3.4"],
    ["nothing at all", ""],
  ])("is not seen in %s", (_, text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  test("is found however it is grouped, and whatever stands around it", () => {
    const number = fc.stringMatching(/^4[0-9]{14}$/).map((start) => {
      const check = [..."0123456789"].find((digit) => isLuhnValid(start + digit)) ?? "";
      return start + check;
    });
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 15 }), { maxLength: 15 });
    const around = fc.constantFrom("", " ", "(", "\n", "x ", " 12 ", "é ");
    fc.assert(
      fc.property(number, cuts, fc.constantFrom(" ", "-", "."), around, (whole, at, gap, edge) => {
        const grouped = [...whole].map((digit, i) => (at.includes(i) ? gap : "") + digit).join("");
        expect(holdsCardNumber(`${edge}${grouped}`)).toBe(true);
      }),
    );
  });

  test("is looked for quickly in whatever is sent", () => {
    for (const text of ["4".repeat(500), "4 ".repeat(250), "-4".repeat(250), "4\u00a0".repeat(250)])
      expect(holdsCardNumber(text)).toBeTypeOf("boolean");
  });
});
