import { html, type Html } from "../design/html.ts";

/** An amount in the notation of the customer's language. */
export type AmountText = {
  text: string;
  /** The language that it is written in. */
  language: string;
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
  const format = new Intl.NumberFormat(known, { style: "currency", currency });
  const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
  // As a decimal string, because a large amount divided by 100 is not exact.
  const parts = format.formatToParts(toDecimal(amountMinor, exponent));
  const isShared = parts.some(({ type, value }) => type === "currency" && sharedSymbols.has(value));
  const text = parts.map(({ value }) => value).join("");
  return { text, language: known, code: isShared ? currency.toUpperCase() : null };
}

/** The amount, isolated from the text around it: some languages write it from the right. */
export function renderAmount({ text, language, code }: AmountText): Html {
  const lang = language !== "en" && html` lang="${language}"`;
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

const maxTags = 10;

/** The first language of an Accept-Language header in which amounts can be written, else English. */
export function parseLanguage(header: string | undefined): string {
  for (const item of (header ?? "").split(",", maxTags)) {
    const [tag = "", ...parameters] = item.split(";").map((part) => part.trim());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/i.test(parameter))) continue;
    const [language] = findSupported(tag);
    if (language !== undefined) return language;
  }
  return "en";
}

function findSupported(tag: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag);
  } catch {
    return []; // no language tag at all, such as *
  }
}
