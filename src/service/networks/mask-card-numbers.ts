import { containsCardNumber } from "../../contract/card-in-text.ts";
import { mask } from "../../contract/mask.ts";
import type { NetworkOutcome } from "../ports/card-network.ts";

/**
 * A text of a network's without the card numbers in it: networks are told never to send one, but what they send
 * is kept, logged and shown. `cardNumber` is the number of the card that the text is about, where it is known: that
 * one is found whatever it looks like. A text that holds no card number stays as it is.
 */
export function maskCardNumbers(text: string, cardNumber?: string): string {
  const holdsCardNumber = (value: string) =>
    containsCardNumber(value) ||
    (cardNumber !== undefined && keepDigits(value).includes(cardNumber));
  if (!holdsCardNumber(text)) return text;
  const masked = mask(text);
  return holdsCardNumber(masked) ? "…" : masked;
}

type Texts = { outcome: string; reference?: string; networkCode?: string };

/** What a network answers, without the card numbers in it. */
export function maskOutcome<O extends NetworkOutcome>(outcome: O, cardNumber?: string): O {
  const { reference, networkCode }: Texts = outcome;
  const text = reference ?? networkCode;
  const masked = text === undefined ? undefined : maskCardNumbers(text, cardNumber);
  if (masked === text) return outcome;
  const field = reference === undefined ? "networkCode" : "reference";
  return { ...outcome, [field]: masked, isMasked: true };
}

function keepDigits(text: string): string {
  return text.normalize("NFKC").replaceAll(/\D/g, "");
}
