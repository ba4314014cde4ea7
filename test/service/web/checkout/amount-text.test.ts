import { expect, test } from "vitest";
import {
  formatAmountLine,
  renderAmount,
  splitAmount,
} from "../../../../src/service/web/checkout/amount-text.ts";
import { html, renderDocument } from "../../../../src/service/web/design/html.ts";

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
  "%d %s in %s is %s, with the code if the symbol is shared: %s",
  (amount, currency, language, text, code) => {
    const split = splitAmount(amount, currency, language);
    const plain = split.text.replaceAll(/[\u00a0\u202f]/g, " ");
    expect({ ...split, text: plain }).toEqual({ text, language, code });
  },
);

test.each(["", "*", "xx-YY", "de_DE", "not a language", '"><script>', "de,en;q=0.5"])(
  "the unknown language %j falls back to English",
  (language) => {
    expect(splitAmount(4999, "eur", language)).toMatchObject({ text: "€49.99", language: "en" });
  },
);

test.each([
  ["eur", "en", "<bdi>€49.99</bdi>", "€49.99"],
  ["eur", "de", '<bdi lang="de">49,99\u00a0€</bdi>', "49,99\u00a0€"],
  ["usd", "en", '<bdi>$49.99</bdi> <span class="code">USD</span>', "$49.99 USD"],
])(
  "%s in %s is isolated from the text around it, with its code",
  (currency, language, markup, line) => {
    const amount = splitAmount(4999, currency, language);
    const body = html`<main>${renderAmount(amount)}</main>`;
    expect(renderDocument({ title: "", style: "", body })).toContain(`<main>${markup}</main>`);
    expect(formatAmountLine(amount)).toBe(line);
  },
);
