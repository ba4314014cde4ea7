import { containsCardNumber } from "../../contract/card-in-text.ts";
import { hideIdEnds, maxSearchLength, parseSearch } from "../../contract/search-words.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";

/** The text of a search as a service takes it, or why nothing is sent. */
export type SearchText =
  | { kind: "search"; search: string }
  | { kind: "blank" | "card_number" | "not_searchable" };

/** Checks a typed text without zod, since a prompt does so at each key. */
export function checkSearchText(typed: string): SearchText {
  const search = typed.trim();
  if (search === "") return { kind: "blank" };
  if (containsCardNumber(hideIdEnds(search))) return { kind: "card_number" };
  const isSearchable =
    isStorable(search) &&
    isWithin(search, 1, maxSearchLength) &&
    parseSearch(search) !== undefined &&
    !containsKey(search);
  return isSearchable ? { kind: "search", search } : { kind: "not_searchable" };
}

/** Whether a text holds a secret key, perhaps a mistyped one. A search becomes part of a URL, and proxies log URLs. */
export function containsKey(text: string): boolean {
  return /(?<![a-z0-9])(?:svc_(?:test|live)_sk|[sr]k_(?:test|live))_/i.test(text);
}

/** The shortest card number has as many; an incomplete or mistyped one may have fewer. */
const minCardDigits = 12;

/** The hint for a user who typed something else where an id is expected. */
export function describeSearch(typed: string): string {
  const text = checkSearchText(typed);
  const words = text.kind === "search" && mayBeRepeated(text.search) ? text.search : "WORDS";
  return `To find a payment by an e-mail, a name, a card's last four digits, an amount or an order: payments list --search "${words}"`;
}

/** Whether a text is no card number, even a mistyped one, and the same between a shell's double quotes. */
function mayBeRepeated(search: string): boolean {
  const digits = hideIdEnds(search).replaceAll(/[^0-9]/g, "");
  return digits.length < minCardDigits && /^[^"$`\\!\p{C}]+$/u.test(search);
}
