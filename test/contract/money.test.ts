import { describe, expect, test } from "vitest";
import { formatMoney, isTypedAmount } from "../../src/contract/money.ts";

describe("an amount", () => {
  test.each([
    [4999, "eur", "49.99 EUR"],
    [1, "eur", "0.01 EUR"],
    [10, "usd", "0.10 USD"],
    [100, "gbp", "1.00 GBP"],
    [0, "eur", "0.00 EUR"],
    [1_000_000, "usd", "10000.00 USD"],
    [Number.MAX_SAFE_INTEGER, "eur", "90071992547409.91 EUR"],
    [4999, "jpy", "4999 JPY"],
    [4999, "kwd", "4.999 KWD"],
  ])("of %d minor units of %s is %s", (amount, currency, written) => {
    expect(formatMoney(amount, currency)).toBe(written);
  });

  test("has the digits of its currency, as the payment page has them", () => {
    for (const currency of Intl.supportedValuesOf("currency")) {
      const format = new Intl.NumberFormat("en", { style: "currency", currency });
      const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
      expect(formatMoney(10 ** digits, currency)).toBe(
        `1${digits === 0 ? "" : `.${"0".repeat(digits)}`} ${currency}`,
      );
    }
  });

  test.each(["", "e", "euro", "\u001B[2", "1a2"])(
    "in %j, which is no currency, is shown without it",
    (currency) => {
      expect(formatMoney(4999, currency)).toBe("4999 ???");
    },
  );
});

describe("an amount that a person types", () => {
  test.each([
    ["1234.50", "1,234.50", "1.234,50", "1234.5", "1234,50", "1,234.5", "1.234,5", "1234,5"],
    [" 1234.50 EUR ", "1.234,50eur", "EUR 1,234.50", "€1,234.50", "1.234,50 €"],
  ])("may be %s, or written as %s", (...forms) => {
    for (const typed of forms)
      expect([typed, isTypedAmount(typed, 123_450, "eur")]).toEqual([typed, true]);
  });

  test.each(["1234", "1,234", "1.234", "123450", "1234.51", "1234.500", "1,2345.0", "12,34.50"])(
    "is not 1,234.50 EUR where it is %s",
    (typed) => {
      expect(isTypedAmount(typed, 123_450, "eur")).toBe(false);
    },
  );

  test.each(["", "EUR", "€", "-1234.50", "+1234.50", "01234.50", "1 234.50", "1'234.50"])(
    "is not 1,234.50 EUR where it is %j",
    (typed) => {
      expect(isTypedAmount(typed, 123_450, "eur")).toBe(false);
    },
  );

  test.each(["$1234.50", "1234.50 USD", "1234.50 £", "€1234.50€", "EUR€1234.50", "1,234.50.00"])(
    "is not 1,234.50 EUR where it is %s",
    (typed) => {
      expect(isTypedAmount(typed, 123_450, "eur")).toBe(false);
    },
  );

  test.each([
    ["1234", 123_400],
    ["1,234", 123_400],
    ["1.234", 123_400],
    ["7", 700],
  ])("has its decimals: %s is not %d minor units", (typed, amount) => {
    expect(isTypedAmount(typed, amount, "eur")).toBe(false);
  });

  test.each([
    ["0.05", 5, "gbp"],
    ["£0,05", 5, "gbp"],
    ["0.5", 50, "usd"],
    ["1,000,000.0", 100_000_000, "usd"],
    ["90071992547409.91", 9_007_199_254_740_991, "eur"],
    ["1,234", 1234, "jpy"],
  ])("is %s for %d minor units of %s", (typed, amount, currency) => {
    expect(isTypedAmount(typed, amount, currency)).toBe(true);
  });
});
