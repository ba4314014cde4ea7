import { containsCardNumber } from "./card.ts";
import { isStorable, isWithin } from "./text.ts";

export const maxAddressLength = 2_000;

/** A host must follow the two slashes: a browser would read a backslash there as a slash. */
const shape = /^https?:\/\/[^/\\@?#]+(?:[/?#]|$)/i;

/** Whether a text is an http or https address without user name or password, and its usual form is not too long. */
export function isWebAddress(value: string): boolean {
  if (!isWithin(value, 1, maxAddressLength) || !isStorable(value)) return false;
  if (/[\s\p{Cc}\\]/u.test(value) || !shape.test(value)) return false;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && !url.username && !url.password && url.href.length <= maxAddressLength;
}

/** Whether an address holds a card number, percent-encoded or not: it would be kept, and sent on. */
export function addressHoldsCardNumber(value: string): boolean {
  const decoded = new URLSearchParams(`address=${value.replaceAll("&", "%26")}`).get("address");
  return containsCardNumber(decoded ?? value);
}
