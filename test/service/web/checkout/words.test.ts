import { expect, test } from "vitest";
import { renderPaymentPage } from "../../../../src/service/web/checkout/payment-page.ts";
import { languages } from "../../../../src/service/web/checkout/words/languages.ts";
import { everyView } from "../../../testkit/pages/shown-page.ts";

const { en, ...others } = languages;

/** Texts that may be the same as in English. */
const international = new Set(["Error: {title}", "{amount}", "(optional)"]);

/** Every text by its path, such as `outcomes.paid.title`. */
function listTexts(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  return Object.entries(value as object).flatMap(([name, each]) =>
    listTexts(each, path === "" ? name : `${path}.${name}`),
  );
}

function listPlaces(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

test.each(Object.entries(others))("%s has every text, with the same places", (_, words) => {
  const texts = new Map(listTexts(words));
  const english = listTexts(en);
  expect([...texts.keys()]).toEqual(english.map(([path]) => path));
  for (const [path, text] of english) {
    const translated = texts.get(path) ?? "";
    expect({ path, places: listPlaces(translated) }).toEqual({ path, places: listPlaces(text) });
    expect({ path, isTranslated: translated !== text || international.has(text) }).toEqual({
      path,
      isTranslated: true,
    });
  }
});

test.each(Object.keys(languages))("every page is in %s, and no place is left empty", (language) => {
  for (const view of Object.values(everyView)) {
    const page = renderPaymentPage({ ...view, language });
    expect(page).toMatch(new RegExp(`^<!doctype html>\\s*<html lang="${language}">`));
    const text = page.replaceAll(/<(style|script)>.*?<\/\1>/gs, "");
    expect(text.match(/\{\w+\}|undefined|\[object/g)).toBeNull();
  }
});

test.each(Object.entries(languages))(
  "in %s a page that is not shown says neither that the customer was charged nor that not",
  (_, { nothings, notCharged }) => {
    const { gone, refused } = nothings; // the link of a paid payment leads there, too
    const charged = /charged|abgebucht|belastet|afgeschreven|débité|cobrado|addebitato/;
    for (const { paragraphs } of [gone, refused]) {
      expect(paragraphs.join(" ")).not.toMatch(charged);
    }
    expect(notCharged).toMatch(charged);
  },
);
