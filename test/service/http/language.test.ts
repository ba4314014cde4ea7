import { expect, test } from "vitest";
import { parseLanguage } from "../../../src/service/web/checkout/amount-text.ts";

test.each([
  [undefined, "en"],
  ["", "en"],
  ["*", "en"],
  ["de", "de"],
  ["de-at", "de-AT"],
  ["fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5", "fr-CH"],
  ["*, de", "de"],
  ["tlh, x-private, de", "de"],
  ["de;q=0, fr", "fr"],
  ["de ; Q=0.000 , fr", "fr"],
  ["de;q=0.1, fr", "de"],
  ['"><script>, en-GB', "en-GB"],
  ["de_DE, nl", "nl"],
  [`${"xx-".repeat(2_000)}, de`, "de"],
  [`${"*,".repeat(10)}de`, "en"],
])("of %j the language is %s", (header, language) => {
  expect(parseLanguage(header)).toBe(language);
});
