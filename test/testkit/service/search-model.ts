import type { Payment } from "../../../src/contract/payment.ts";

/** The query of a list of payments, as it is sent: text. */
export type SentQuery = Record<string, string>;

/** The ids of a page, and whether there are more. */
export type FoundPage = { ids: string[]; hasMore: boolean };

/**
 * The page that a query has to give: all payments, newest first, are looked through one after the other. It is written
 * from what the API promises, and shares no code with the service.
 */
export function findPage(all: readonly Payment[], query: SentQuery): FoundPage {
  const limit = Number(query["limit"] ?? 10);
  const { starting_after: after, ending_before: before } = query;
  const sorted = all.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const found = sorted.filter((payment) => isFound(payment, query)).map(({ id }) => id);
  if (before === undefined) {
    const rest = found.filter((id) => after === undefined || id < after);
    return { ids: rest.slice(0, limit), hasMore: rest.length > limit };
  }
  const rest = found.filter((id) => id > before);
  return { ids: rest.slice(-limit), hasMore: rest.length > limit };
}

function isFound(payment: Payment, query: SentQuery): boolean {
  return Object.entries(query).every(([name, value]) => {
    switch (name) {
      case "limit":
      case "starting_after":
      case "ending_before":
        return true;
      case "status":
        return payment.status === value;
      case "created[gte]":
        return payment.created >= Number(value);
      case "created[lt]":
        return payment.created < Number(value);
      case "customer[email]":
        return payment.customer.email.toLowerCase() === value.toLowerCase();
      case "card[last4]":
        return payment.card !== null && payment.card.last4 === value;
      case "card[brand]":
        return payment.card !== null && payment.card.brand === value;
      case "amount":
        return payment.amount === Number(value);
      case "currency":
        return payment.currency === value;
      case "decline_code":
        return payment.decline_code === value;
      case "search":
        return compare(value).every((typed) => hasWord(payment, typed));
      default: {
        const key = name.slice("metadata[".length, -1);
        return Object.entries(payment.metadata).some(
          (pair) => pair[0] === key && pair[1] === value,
        );
      }
    }
  });
}

/** The words of a text as they are compared: without case, accents and the signs around them. */
function compare(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).map(toWord);
}

function toWord(text: string): string {
  const plain = [...text.normalize("NFKD")].filter((sign) => !/\p{M}/u.test(sign)).join("");
  return dropSigns(plain.toLowerCase());
}

function dropSigns(word: string): string {
  const signs = [...word];
  const first = signs.findIndex((sign) => !isSign(sign));
  if (first === -1) return "";
  return signs.slice(first, signs.findLastIndex((sign) => !isSign(sign)) + 1).join("");
}

function isSign(character: string): boolean {
  return /\p{P}/u.test(character);
}

function hasWord(payment: Payment, typed: string): boolean {
  const { id, customer, description, metadata, card, amount, currency } = payment;
  if (typed.length >= 8 && id.toLowerCase().endsWith(typed)) return true;
  const { email } = customer;
  const [local, domain] = [email.replace(/@[^@]*$/, ""), email.replace(/^.*@/, "")];
  if (email !== "" && [email, local, domain].some((part) => toWord(part) === typed)) return true;
  if (card !== null && [card.last4, toWord(card.brand)].includes(typed)) return true;
  const [major, minor] = [Math.floor(amount / 100), String(amount % 100).padStart(2, "0")];
  if ([`${amount}`, `${major}.${minor}`, `${major},${minor}`, currency].includes(typed))
    return true;
  const texts = [customer.name, description ?? "", ...Object.values(metadata)];
  return texts
    .flatMap((text) => text.split(/\s+/))
    .some(
      (word) =>
        toWord(word) === typed || word.split(/\p{P}/u).some((part) => toWord(part) === typed),
    );
}
