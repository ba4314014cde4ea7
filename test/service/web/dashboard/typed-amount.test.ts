import { expect, test } from "vitest";
import { matchesAmount } from "../../../../src/service/web/dashboard/refund-page.ts";

test.each([
  ["1234.56", true],
  ["1,234.56 EUR", true],
  ["1234,56 eur", true],
  ["123,456", false],
  ["1,234", false],
  ["1.234,56", false],
  ["", false],
])("the amount 1,234.56 EUR typed as %j is the payment's: %s", (amount, isSame) => {
  expect(matchesAmount({ amount: 123_456, currency: "eur" }, amount)).toBe(isSame);
});
