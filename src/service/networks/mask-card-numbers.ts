import { containsCardNumber } from "../../contract/card-in-text.ts";
import { mask } from "../../contract/mask.ts";
import type { NetworkOutcome } from "../ports/card-network.ts";

/**
 * Masks the card numbers in a text of a network: the protocol forbids them, but a text that holds one would be
 * stored, logged and displayed. `cardNumber` is the number of the charged card, where it is known: it is found even
 * where it does not look like a card number.
 */
export function maskCardNumbers(text: string, cardNumber?: string): string {
  const holdsCardNumber = (value: string) =>
    containsCardNumber(value) ||
    (cardNumber !== undefined && extractDigits(value).includes(cardNumber));
  if (!holdsCardNumber(text)) return text;
  const masked = mask(text);
  return holdsCardNumber(masked) ? "…" : masked;
}

type Texts = { outcome: string; reference?: string; networkCode?: string; url?: string | null };

/**
 * Masks the card numbers in an outcome. A bank's address stays as it is, since its own numbers may look like a card's;
 * with the number of the charged card in it, no customer is sent there.
 */
export function maskOutcome<O extends NetworkOutcome>(outcome: O, cardNumber?: string): O {
  const { reference, networkCode, url }: Texts = outcome;
  if (url && cardNumber !== undefined && extractDigits(url).includes(cardNumber)) {
    return maskOutcome({ ...outcome, url: null, isMasked: true });
  }
  const text = reference ?? networkCode;
  const masked = text === undefined ? undefined : maskCardNumbers(text, cardNumber);
  if (masked === text) return outcome;
  const field = reference === undefined ? "networkCode" : "reference";
  return { ...outcome, [field]: masked, isMasked: true };
}

function extractDigits(text: string): string {
  return text.normalize("NFKC").replaceAll(/\D/g, "");
}
