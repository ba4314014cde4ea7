import { testCards, type CardBrand, type TestCard } from "../../../contract/card.ts";
import { fillText, html, type Html } from "../design/html.ts";
import type { ByMerchant } from "./words/en.ts";
import { type Words, chooseText, fillPlain, findSupported, findWords } from "./words/languages.ts";

/** The amount in large type, on one line of a small phone however large it is. */
function renderLargeAmount(amount: AmountText): Html {
  const { length } = formatAmountLine(amount);
  const size = length > 16 ? " longest" : length > 12 ? " long" : "";
  return html`<span class="amount${size}">${renderAmount(amount)}</span>`;
}

/** How long a merchant's name may be that no line breaks: a small phone holds it beside a word. */
const maxUnbroken = 16;

/** A text in which the merchant may be named. */
export function renderByMerchant(text: ByMerchant, merchant: string | null): Html {
  const isShort = (merchant?.length ?? 0) <= maxUnbroken;
  const name = html`<bdi${isShort && html` class="whole"`}>${merchant}</bdi>`;
  return fillText(chooseText(text, merchant), { merchant: name });
}

type Payable = { merchant: string | null; amount: number; currency: string; language: string };

/** A text with the amount in large type, and the merchant where it has a name. */
export function renderLarge(text: ByMerchant, payable: Payable): Html {
  const { merchant, amount, currency, language } = payable;
  return fillText(chooseText(text, merchant), {
    amount: renderLargeAmount(splitAmount(amount, currency, language)),
    // Any text, in any language.
    merchant: merchant !== null && html`<bdi class="merchant">${merchant}</bdi>`,
  });
}

/** The amount and who gets it, below a heading. */
export function renderAmountTo(payable: Payable): Html {
  return html`<p>${renderLarge(findWords(payable.language).words.amountTo, payable)}</p>`;
}

/** The merchant's description of the payment: any text, in any language. */
export function renderDescription(description: string | null): Html | undefined {
  return description?.trim()
    ? html`<p class="description" dir="auto">${description}</p>`
    : undefined;
}

/** `secondary` where it is all that the customer can do. */
export function renderCancelForm(
  { cancel, canceling }: Words,
  action: string,
  look: "quiet" | "secondary" = "quiet",
): Html {
  return html`<form method="post" action="${action}">
    <button class="${look}" data-busy="${canceling}"><span>${cancel}</span></button>
  </form>`;
}

/** The band above a page of test mode, with the cards to pay with where the page takes one. */
export function renderTestBand(all: Words, { withCards }: { withCards: boolean }): Html {
  const { testMode, testCards: words } = all;
  return html`<header class="band test">
    <div>
      <p><strong>${testMode.title}</strong> ${withCards ? testMode.withCards : testMode.text}</p>
      ${
        withCards &&
        html`<details>
          <summary>${words.title}</summary>
          <p>${words.text}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">${words.card}</th>
                <th scope="col">${words.outcome}</th>
              </tr>
            </thead>
            <tbody>
              ${testCards.map((card) => renderTestCard(all, card))}
            </tbody>
          </table>
        </details>`
      }
    </div>
  </header>`;
}

function describeTestOutcome(
  { testCards: words, testReasons }: Words,
  { outcome, refund }: TestCard,
): string {
  const { paid, refundDeclined, refundSlow, asks, declined } = words;
  if (outcome === "authentication_required") return asks;
  if (outcome !== "succeeded") return fillPlain(declined, { reason: testReasons[outcome] });
  if (refund === undefined) return paid;
  return `${paid}, ${refund === "declined" ? refundDeclined : refundSlow}`;
}

function renderTestCard(words: Words, card: TestCard): Html {
  const { number, brand } = card;
  const grouped =
    number.length === 15
      ? number.replace(/(.{4})(.{6})/, "$1 $2 ")
      : number.replaceAll(/(.{4})(?=.)/g, "$1 ");
  return html`<tr>
    <td><code>${grouped}</code> ${brandNames[brand]}</td>
    <td>${describeTestOutcome(words, card)}</td>
  </tr>`;
}

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

/** Brands as their cards spell them. */
export const brandNames: Record<CardBrand, string> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  discover: "Discover",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
  maestro: "Maestro",
  unknown: "",
};

/** A card as its holder knows it: `Visa ending in 4242`. */
export function describeCard(
  { cardEndingIn }: Words,
  { brand, last4 }: { brand: string; last4: string },
): string {
  const name = Object.hasOwn(brandNames, brand) ? brandNames[brand as CardBrand] : "";
  return fillPlain(cardEndingIn, { brand: name, last4 }).trimStart();
}
