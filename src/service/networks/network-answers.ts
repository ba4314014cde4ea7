import * as z from "zod";
import {
  containsCardNumber,
  findCardNumbers,
  listDecoded,
  maskCardNumbers,
} from "../../contract/card-in-text.ts";
import { maskKeys } from "../../contract/mask.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";
import type { Declined, NetworkOutcome } from "./card-network.ts";

// What the answers of every network have in common.

/** The known digits of the charged card: its number in the request that sends it, its last four digits later. */
export type ChargedCard = { number?: string | undefined; last4?: string | undefined };

/**
 * Masks the card numbers in a text of a network: the protocol forbids them, but a text that holds one would be
 * stored, logged and displayed. The charged card's own is found even where it does not look like a card number.
 */
export function maskNetworkText(text: string, { number }: ChargedCard = {}): string {
  const masked = maskCardNumbers(text);
  return number !== undefined && extractDigits(masked).includes(number) ? "…" : masked;
}

type Texts = { outcome: string; reference?: string; networkCode?: string; url?: string | null };

/** Masks the card numbers in an outcome. No customer is sent to a bank's address with the charged card's number in it. */
export function maskOutcome<O extends NetworkOutcome>(outcome: O, card: ChargedCard = {}): O {
  const { reference, networkCode, url }: Texts = outcome;
  if (url && addressHoldsNumber(url, card)) {
    return maskOutcome({ ...outcome, url: null, isMasked: true }, card);
  }
  const text = reference ?? networkCode;
  const masked = text === undefined ? undefined : maskNetworkText(text, card);
  if (masked === text) return outcome;
  const field = reference === undefined ? "networkCode" : "reference";
  return { ...outcome, [field]: masked, isMasked: true };
}

/** A bank's own numbers may look like a card's: what is known of the card tells them apart. */
function addressHoldsNumber(url: string, { number, last4 }: ChargedCard): boolean {
  if (number !== undefined) {
    return listDecoded(url).some((decoded) => extractDigits(decoded).includes(number));
  }
  if (last4 === undefined) return containsCardNumber(url);
  return findCardNumbers(url).some((found) => found.endsWith(last4));
}

function extractDigits(text: string): string {
  return text.normalize("NFKC").replaceAll(/\D/g, "");
}

const maxNetworkCodeLength = 100;

/** The network's own name for a charge or refund. */
export const reference = z.string().refine((value) => isStorable(value) && isWithin(value, 1, 255));

/** A decline with a code that only the network knows. */
export function genericDecline(code: string): Declined {
  const masked = maskCardNumbers(code);
  const networkCode = maskKeys(masked).slice(0, maxNetworkCodeLength);
  const decline = { outcome: "declined", code: "generic_decline", networkCode } as const;
  return masked === code ? decline : { ...decline, isMasked: true };
}

const maxChallengeUrlLength = 2_048;

/** The address of a bank's page for the customer's browser, as browsers write it; null where none may be sent there. */
export const challengeUrl = z.string().transform((text) => {
  const url = text.length > maxChallengeUrlLength ? null : URL.parse(text);
  const isUsable =
    url &&
    url.username === "" &&
    url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
  return isUsable && url.href.length <= maxChallengeUrlLength ? url.href : null;
});
