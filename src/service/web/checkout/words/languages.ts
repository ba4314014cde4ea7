import { de } from "./de.ts";
import { getDeclineWords, type Language } from "./decline-words.ts";
import { en, type ByMerchant, type OwnWords } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { nl } from "./nl.ts";

export type Words = OwnWords & ReturnType<typeof getDeclineWords>;

const translations: Record<Language, OwnWords> = { en, de, fr, es, it, nl };
/** The languages in which the pages are written. */
export const languages: Record<string, Words> = Object.fromEntries(
  Object.entries(translations).map(([language, words]) => [
    language,
    { ...words, ...getDeclineWords(language as Language) },
  ]),
);

/** The words of a language tag, such as `de-AT`; English for a language in which the pages are not written. */
export function findWords(tag: string): { language: string; words: Words } {
  const [language = ""] = tag.toLowerCase().split("-", 1);
  const words = Object.hasOwn(languages, language) ? languages[language] : undefined;
  return words ? { language, words } : findWords("en");
}

const maxTags = 10;

/**
 * The first language of an Accept-Language header in which the pages are written; else the first in which amounts
 * can be written, on a page in English; else English.
 */
export function parseLanguage(header: string | undefined): string {
  const accepted = (header ?? "").split(",", maxTags).flatMap((item) => {
    const [tag = "", ...parameters] = item.split(";").map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q=0(?:\.0*)?$/i.test(parameter));
    return isRefused ? [] : findSupported(tag);
  });
  const written = accepted.find((tag) => Object.hasOwn(languages, tag.split("-", 1)[0] ?? ""));
  return written ?? accepted[0] ?? "en";
}

/** The tag as `Intl` writes it, where it knows the language. */
export function findSupported(tag: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag);
  } catch {
    return []; // no language tag at all, such as *
  }
}

/** A text with its places filled, for a title. */
export function fillPlain(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

/** The text for a payment whose merchant has a name, or the other one. */
export function chooseText({ named, unnamed }: ByMerchant, merchant: string | null): string {
  return merchant === null ? unnamed : named;
}
