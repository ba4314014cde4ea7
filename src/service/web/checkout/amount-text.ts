import { html, type Html } from "../design/html.ts";
import { findSupported, findWords } from "./words/find-words.ts";

/** An amount in the notation of the customer's language. */
export type AmountText = {
  text: string;
  /** The language that it is written in; null where the page is written in it, too. */
  language: string | null;
  /** The currency's code, if the text has only a symbol that several currencies share, such as `$`. */
  code: string | null;
};

const sharedSymbols = new Set(["$", "¥", "￥", "kr", "kr.", "Rs"]);

/**
 * Minor units in the notation of a language, exact at any size: 4999, `eur` and `de` are `49,99 €`.
 * A language that is unknown, or no language tag at all, is English.
 */
export function splitAmount(amountMinor: number, currency: string, language: string): AmountText {
  const [known = "en"] = findSupported(language);
  const isOfPage = known.split("-", 1)[0] === findWords(known).language;
  const format = new Intl.NumberFormat(known, { style: "currency", currency });
  const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
  // As a decimal string, because a large amount divided by 100 is not exact.
  const parts = format.formatToParts(toDecimal(amountMinor, exponent));
  const isShared = parts.some(({ type, value }) => type === "currency" && sharedSymbols.has(value));
  const text = parts.map(({ value }) => value).join("");
  return {
    text,
    language: isOfPage ? null : known,
    code: isShared ? currency.toUpperCase() : null,
  };
}

/** The amount, isolated from the text around it: some languages write it from the right. */
export function renderAmount({ text, language, code }: AmountText): Html {
  const lang = language !== null && html` lang="${language}"`;
  return html`<bdi${lang}>${text}</bdi>${code && html` <span class="code">${code}</span>`}`;
}

/** The amount for a title, as text. */
export function formatAmountLine({ text, code }: AmountText): string {
  return code ? `${text} ${code}` : text;
}

function toDecimal(amountMinor: number, exponent: number): `${number}` {
  const digits = String(amountMinor).padStart(exponent + 1, "0");
  const at = digits.length - exponent;
  return `${digits.slice(0, at)}.${digits.slice(at)}` as `${number}`;
}
