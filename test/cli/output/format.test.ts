import { afterEach, describe, expect, test, vi } from "vitest";
import { ageOrDate, localTime, money } from "../../../src/cli/output/format.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

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
    expect(money(amount, currency)).toBe(written);
  });

  test("has the digits of its currency, as the payment page has them", () => {
    for (const currency of Intl.supportedValuesOf("currency")) {
      const format = new Intl.NumberFormat("en", { style: "currency", currency });
      const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
      expect(money(10 ** digits, currency)).toBe(
        `1${digits === 0 ? "" : `.${"0".repeat(digits)}`} ${currency}`,
      );
    }
  });

  test.each(["", "e", "euro", "\u001B[2", "1a2"])(
    "in %j, which is no currency, is shown without it",
    (currency) => {
      expect(money(4999, currency)).toBe("4999 ???");
    },
  );
});

describe("a time", () => {
  test.each([
    ["UTC", "2026-11-15 04:05:09"],
    ["America/New_York", "2026-11-14 23:05:09"],
    ["Asia/Kolkata", "2026-11-15 09:35:09"],
  ])("is local in %s", (zone, written) => {
    vi.stubEnv("TZ", zone);
    expect(localTime(Date.UTC(2026, 10, 15, 4, 5, 9) / 1000)).toBe(written);
  });

  test("beyond what a date can be is shown as it is", () => {
    expect(localTime(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  });
});

describe("a time beside others", () => {
  const nowMs = Date.UTC(2026, 10, 15, 12) + 500;
  const now = Math.floor(nowMs / 1000);

  test.each([
    [now + 2, "0s ago"],
    [now - 59, "59s ago"],
    [now - 60, "1m ago"],
    [now - 3_599, "59m ago"],
    [now - 3_600, "1h ago"],
    [now - 86_399, "23h ago"],
    [now - 86_400, "2026-11-14"],
    [Number.MIN_SAFE_INTEGER, "-9007199254740991"],
  ])("%d is an age within a day, else a date: %s", (seconds, written) => {
    vi.stubEnv("TZ", "UTC");
    expect(ageOrDate(seconds, nowMs)).toBe(written);
  });
});
