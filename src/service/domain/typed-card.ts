import { findBrand, isExpired, isLuhnValid, parseExpiry } from "../../contract/card.ts";
import { mask } from "../../contract/mask.ts";
import type { CardInput } from "../../contract/payment.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";
import { formatMoney } from "../../contract/money.ts";

/** A card as a person types it on a payment's page. */
export type TypedCard = { number: string; expiry: string; cvc: string; name: string };

/** The mistake in each field, in words that say what to do. No text repeats what was typed. */
export type CardMistakes = { [Field in keyof TypedCard]?: string };

type ReadCard = { card: CardInput } | { mistakes: CardMistakes };

export function readTypedCard(typed: TypedCard, nowMs: number): ReadCard {
  const plain = normalizeTypedCard(typed);
  const mistakes = findCardMistakes(plain, nowMs, facts);
  const expiry = parseExpiry(plain.expiry, nowMs);
  if (!expiry || Object.keys(mistakes).length > 0) return { mistakes };
  const { number, cvc, name } = plain;
  return { card: { number, ...expiry, cvc, holder_name: name || null } };
}

/** The rules that `findCardMistakes` applies. */
type CardFacts = {
  isLuhnValid: typeof isLuhnValid;
  parseExpiry: typeof parseExpiry;
  isExpired: typeof isExpired;
  isWithin: typeof isWithin;
  isAmex: (number: string) => boolean;
  /** Whether a name may be stored: it holds no card number, nor a code. */
  isStorableName: (name: string) => boolean;
};

const facts: CardFacts = {
  isLuhnValid,
  parseExpiry,
  isExpired,
  isWithin,
  isAmex: (number) => findBrand(number) === "amex",
  isStorableName: (name) => isStorable(name) && mask(name) === name,
};

/** A card without the spaces around its fields, and without those and the dashes in its number. */
export function normalizeTypedCard(typed: TypedCard): TypedCard {
  return {
    number: typed.number.replaceAll(/[\s\p{Pd}]/gu, ""),
    expiry: typed.expiry.trim(),
    cvc: typed.cvc.trim(),
    name: typed.name.trim(),
  };
}

/**
 * Finds the mistakes in a normalized card. The payment page embeds the source of this function and the one above, so
 * they refer to nothing but their parameters.
 */
export function findCardMistakes(card: TypedCard, nowMs: number, is: CardFacts): CardMistakes {
  const { number, cvc, name } = card;
  const expiry = is.parseExpiry(card.expiry, nowMs);
  const found = {
    number: checkNumber(),
    expiry: checkExpiry(),
    cvc: checkCode(),
    name: checkName(),
  };
  const pairs = Object.entries(found).filter(([, mistake]) => mistake !== undefined);
  return Object.fromEntries(pairs) as CardMistakes;

  function checkNumber(): string | undefined {
    if (number === "") return "Enter the card number.";
    if (!/^[0-9]+$/.test(number)) return "Enter the card number in digits only.";
    if (number.length < 12 || number.length > 19)
      return "Enter the whole card number: it has 12 to 19 digits.";
    return is.isLuhnValid(number) ? undefined : "Check the card number: a digit is wrong.";
  }

  function checkExpiry(): string | undefined {
    if (card.expiry === "") return "Enter the month and year on the card, such as 09/30.";
    if (!expiry) return "Enter month and year as they stand on the card, such as 09/30.";
    if (expiry.exp_month < 1 || expiry.exp_month > 12)
      return "Check the month: it is a number from 01 to 12.";
    return is.isExpired(expiry, nowMs / 1000)
      ? "This card has expired. Use another card."
      : undefined;
  }

  function checkCode(): string | undefined {
    if (is.isAmex(number))
      return /^[0-9]{4}$/.test(cvc) ? undefined : "Enter the 4 digits on the front of the card.";
    return /^[0-9]{3}$/.test(cvc) ? undefined : "Enter the 3 digits on the back of the card.";
  }

  /** The name may be left out. A card number or a code typed there would be stored with the payment. */
  function checkName(): string | undefined {
    if (name === "") return undefined;
    if (!is.isWithin(name, 1, 200)) return "Enter a name of at most 200 characters.";
    const isName = /\p{L}/u.test(name) && !/\p{Cc}/u.test(name) && is.isStorableName(name);
    return isName ? undefined : "Enter the name as it stands on the card.";
  }
}

/** The typed fields that a form may show again: none that may hold a card number or a code. */
export function toPrefill(typed: TypedCard): Pick<TypedCard, "expiry" | "name"> {
  const plain = normalizeTypedCard(typed);
  const { name: mistake } = findCardMistakes(plain, 0, facts);
  return {
    expiry: parseExpiry(plain.expiry, 0) ? plain.expiry : "",
    name: mistake === undefined ? plain.name : "",
  };
}

/** Whether a text is an amount as a person types it: `49.99`, `49,99` or `49.99 EUR`. */
export function matchesAmount(
  { amount, currency }: { amount: number; currency: string },
  typed: string,
): boolean {
  const whole = formatMoney(amount, currency);
  const text = typed.trim().replaceAll(/\s+/g, " ").replace(",", ".").toUpperCase();
  return text === whole || text === whole.split(" ", 1)[0];
}
