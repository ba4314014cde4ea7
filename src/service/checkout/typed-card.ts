import { findBrand, isExpired, isLuhnValid, parseExpiry } from "../../contract/card.ts";
import { mask } from "../../contract/mask.ts";
import type { CardInput } from "../../contract/payment.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";

/** A card as a person types it on a payment's page. */
export type TypedCard = { number: string; expiry: string; cvc: string; name: string };

/** The mistake in a field. The page says it in the customer's language, and never repeats what was typed. */
export type CardMistake =
  | "number_missing"
  | "number_not_digits"
  | "number_length"
  | "number_wrong"
  | "expiry_missing"
  | "expiry_unreadable"
  | "expiry_month"
  | "expired"
  | "cvc_back"
  | "cvc_front"
  | "name_length"
  | "name_wrong";

export type CardMistakes = { [Field in keyof TypedCard]?: CardMistake };

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

  function checkNumber(): CardMistake | undefined {
    if (number === "") return "number_missing";
    if (!/^[0-9]+$/.test(number)) return "number_not_digits";
    if (number.length < 12 || number.length > 19) return "number_length";
    return is.isLuhnValid(number) ? undefined : "number_wrong";
  }

  function checkExpiry(): CardMistake | undefined {
    if (card.expiry === "") return "expiry_missing";
    if (!expiry) return "expiry_unreadable";
    if (expiry.exp_month < 1 || expiry.exp_month > 12) return "expiry_month";
    return is.isExpired(expiry, nowMs / 1000) ? "expired" : undefined;
  }

  function checkCode(): CardMistake | undefined {
    if (is.isAmex(number)) return /^[0-9]{4}$/.test(cvc) ? undefined : "cvc_front";
    return /^[0-9]{3}$/.test(cvc) ? undefined : "cvc_back";
  }

  /** The name may be left out. A card number or a code typed there would be stored with the payment. */
  function checkName(): CardMistake | undefined {
    if (name === "") return undefined;
    if (!is.isWithin(name, 1, 200)) return "name_length";
    const isName = /\p{L}/u.test(name) && !/\p{Cc}/u.test(name) && is.isStorableName(name);
    return isName ? undefined : "name_wrong";
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
