import { expect, test } from "vitest";
import {
  renderAmount,
  formatAmountLine,
  splitAmount,
} from "../../../../src/service/web/checkout/amount-text.ts";

const largest = Number.MAX_SAFE_INTEGER;

test.each([
  [4999, "eur", "en", "€49.99", null],
  [4999, "eur", "de-AT", "€ 49,99", null],
  [4999, "eur", "fr", "49,99 €", null],
  [123456789, "usd", "en-CA", "US$1,234,567.89", null],
  [4999, "usd", "en", "$49.99", "USD"],
  [4999, "cad", "en-CA", "$49.99", "CAD"],
  [5, "gbp", "en-GB", "£0.05", null],
  [4999, "sek", "sv", "49,99 kr", "SEK"],
  [4999, "usd", "es-MX", "USD 49.99", null],
  [500, "jpy", "ja", "￥500", "JPY"],
  [1234, "kwd", "en", "KWD 1.234", null],
  [largest, "eur", "en", "€90,071,992,547,409.91", null],
  [largest, "gbp", "de", "90.071.992.547.409,91 £", null],
  [largest, "usd", "hi", "$9,00,71,99,25,47,409.91", "USD"],
])(
  "%d %s in %s is %s, with the code where others have the symbol too: %s",
  (amount, currency, language, text, code) => {
    const written = splitAmount(amount, currency, language);
    expect({ ...written, text: written.text.replaceAll(/[\u00a0\u202f]/g, " ") }).toEqual({
      text,
      language,
      code,
    });
  },
);

test.each(["", "*", "xx-YY", "de_DE", "not a language", '"><script>', "de,en;q=0.5"])(
  "the language %j is English",
  (language) => {
    expect(splitAmount(4999, "eur", language)).toMatchObject({ text: "€49.99", language: "en" });
  },
);

test("an amount in another language says so, and stands apart from the text around it", () => {
  expect(renderAmount(splitAmount(4999, "eur", "en"))).toBe("<bdi>€49.99</bdi>");
  expect(renderAmount(splitAmount(4999, "eur", "de"))).toBe('<bdi lang="de">49,99\u00a0€</bdi>');
});

test("the code stands behind the amount wherever it is said", () => {
  const dollars = splitAmount(4999, "usd", "en");
  expect(renderAmount(dollars)).toBe('<bdi>$49.99</bdi> <span class="code">USD</span>');
  expect(formatAmountLine(dollars)).toBe("$49.99 USD");
  expect(formatAmountLine(splitAmount(4999, "eur", "en"))).toBe("€49.99");
});
