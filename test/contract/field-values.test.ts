import { describe, expect, test } from "vitest";
import { formatMoney, isStatusFilter, parseStatusFilter } from "../../src/contract/field-values.ts";

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

test.for<[string, number[]]>([
  ["404", [404]],
  ["2xx", [200, 201]],
  ["5xx,404,500", [404, 500, 503]],
  ["3xx", []],
])("the filter %s names %j", ([text, statuses]) => {
  expect(isStatusFilter(text)).toBe(true);
  expect(parseStatusFilter(text)).toEqual(statuses);
});

test.for(["", "4", "4x", "xxx", "1xx", "600", "404,", "404, 500", "4xx;5xx", "4XX"])(
  "%j is no filter",
  (text) => {
    expect(isStatusFilter(text)).toBe(false);
  },
);
