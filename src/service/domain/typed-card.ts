import { brandOf, isExpired, isLuhnValid, typedExpiry } from "../../contract/card.ts";
import { mask } from "../../contract/mask.ts";
import type { CardInput } from "../../contract/payment.ts";
import { isKept, isWithin } from "../../contract/text.ts";

/** A card as a person types it on a payment's page. */
export type TypedCard = { number: string; expiry: string; cvc: string; name: string };

/** What is wrong in the fields, in words that say what to do. No text repeats what was typed. */
export type CardMistakes = { [Field in keyof TypedCard]?: string };

export type ReadCard = { card: CardInput } | { mistakes: CardMistakes };

/** Reads a card as it was typed, at a time in Unix milliseconds, or says what is wrong with it. */
export function readTypedCard(typed: TypedCard, nowMs: number): ReadCard {
  const number = typed.number.replaceAll(/[\s\p{Pd}]/gu, "");
  const cvc = typed.cvc.trim();
  const name = typed.name.trim();
  const expiry = typedExpiry(typed.expiry, nowMs);
  const mistakes = Object.fromEntries(
    Object.entries({
      number: mistakeInNumber(number),
      expiry: mistakeInExpiry(expiry, typed.expiry, nowMs),
      cvc: mistakeInCode(cvc, number),
      name: mistakeInName(name),
    }).filter(([, mistake]) => mistake !== undefined),
  );
  if (!expiry || Object.keys(mistakes).length > 0) return { mistakes };
  return { card: { number, ...expiry, cvc, holder_name: name || null } };
}

/** What a form may show again of what was typed: nothing that may be a card number or a code. */
export function keptOf({ expiry, name }: TypedCard): Pick<TypedCard, "expiry" | "name"> {
  return {
    expiry: typedExpiry(expiry, 0) ? expiry.trim() : "",
    name: mistakeInName(name.trim()) === undefined ? name.trim() : "",
  };
}

function mistakeInNumber(number: string): string | undefined {
  if (number === "") return "Enter the card number.";
  if (!/^[0-9]+$/.test(number)) return "Enter the card number in digits only.";
  if (number.length < 12 || number.length > 19)
    return "Enter the whole card number: it has 12 to 19 digits.";
  if (!isLuhnValid(number)) return "Check the card number: a digit is wrong.";
  return undefined;
}

function mistakeInExpiry(
  expiry: ReturnType<typeof typedExpiry>,
  typed: string,
  nowMs: number,
): string | undefined {
  if (typed.trim() === "") return "Enter the month and year on the card, such as 09/30.";
  if (!expiry) return "Enter month and year as they stand on the card, such as 09/30.";
  if (expiry.exp_month < 1 || expiry.exp_month > 12)
    return "Check the month: it is a number from 01 to 12.";
  if (isExpired(expiry, nowMs / 1000)) return "This card has expired. Use another card.";
  return undefined;
}

function mistakeInCode(cvc: string, number: string): string | undefined {
  const isAmex = brandOf(number) === "amex";
  if (isAmex && !/^[0-9]{4}$/.test(cvc)) return "Enter the 4 digits on the front of the card.";
  if (!isAmex && !/^[0-9]{3}$/.test(cvc)) return "Enter the 3 digits on the back of the card.";
  return undefined;
}

/** The name may be left out. A card number or a code in its place would be kept with the payment. */
function mistakeInName(name: string): string | undefined {
  if (name === "") return undefined;
  if (!isWithin(name, 1, 200)) return "Enter a name of at most 200 characters.";
  const isName = isKept(name) && /\p{L}/u.test(name) && !/\p{Cc}/u.test(name);
  return isName && mask(name) === name ? undefined : "Enter the name as it stands on the card.";
}
