import type { ListPaymentsQuery } from "../../contract/list-object.ts";
import type { Payment } from "../../contract/payment.ts";
import {
  foldText,
  metadataKeyOf,
  splitSearch,
  trimPunctuation,
} from "../../contract/search-words.ts";

/** The values of a search, beside status and time. A payment has to match all of them. */
export type PaymentFilter = {
  email: string | undefined;
  last4: string | undefined;
  brand: string | undefined;
  amount: number | undefined;
  currency: string | undefined;
  declineCode: string | undefined;
  metadata: [key: string, value: string][];
  words: string[];
};

/** A word or a value that payments are found by, with its kind: `word ada`, `last4 4242`. */
export type SearchTerm = string;

/** The searched values of a query; undefined where it has none (search: the parameters). */
export function toPaymentFilter(query: ListPaymentsQuery): PaymentFilter | undefined {
  const metadata = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    const key = metadataKeyOf(name);
    return key === undefined ? [] : [[key, String(value)]];
  });
  const filter = {
    email: query["customer[email]"]?.toLowerCase(),
    last4: query["card[last4]"],
    brand: query["card[brand]"],
    amount: query.amount,
    currency: query.currency,
    declineCode: query.decline_code,
    metadata,
    words: query.search === undefined ? [] : (splitSearch(query.search) ?? []),
  };
  return listFilterTerms(filter).length > 0 ? filter : undefined;
}

export function matchesFilter(payment: Payment, filter: PaymentFilter): boolean {
  const { email, last4, brand, amount, currency, declineCode, metadata, words } = filter;
  return (
    isWanted(amount, payment.amount) &&
    isWanted(currency, payment.currency) &&
    isWanted(last4, payment.card?.last4) &&
    isWanted(brand, payment.card?.brand) &&
    isWanted(declineCode, payment.decline_code) &&
    (email === undefined || payment.customer.email.toLowerCase() === email) &&
    metadata.every(([key, value]) => readOwn(payment.metadata, key) === value) &&
    (words.length === 0 || hasWords(payment, words))
  );
}

function isWanted<T>(wanted: T | undefined, value: T | null | undefined): boolean {
  return wanted === undefined || value === wanted;
}

/** Metadata may have a key such as `constructor`. */
function readOwn(metadata: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

const minIdEnd = 8;

function hasWords(payment: Payment, words: string[]): boolean {
  const found = listWords(payment);
  const values = listValueWords(payment);
  const id = payment.id.toLowerCase();
  return words.every(
    (word) =>
      found.has(word) || values.includes(word) || (word.length >= minIdEnd && id.endsWith(word)),
  );
}

/** The words of a payment's texts, folded, without the punctuation around them (search: `search`). */
function listWords({ customer, description, metadata }: Payment): Set<string> {
  const words = new Set<string>();
  const email = foldText(customer.email);
  const at = email.lastIndexOf("@");
  if (at !== -1) {
    for (const part of [email, email.slice(0, at), email.slice(at + 1)]) {
      words.add(trimPunctuation(part));
    }
  }
  addWords(words, customer.name);
  if (description !== null) addWords(words, description);
  for (const value of Object.values(metadata)) addWords(words, value);
  words.delete("");
  return words;
}

/** The words of a payment that are values of its own: card, amount and currency. */
function listValueWords({ card, amount, currency }: Payment): string[] {
  const ofCard = card ? [foldText(card.last4), foldText(card.brand)] : [];
  return [...ofCard, ...listAmounts(amount), foldText(currency)];
}

/** Adds the words of a text, whole and in their parts between punctuation. */
function addWords(words: Set<string>, text: string): void {
  for (const word of foldText(text).split(/\s+/u)) {
    words.add(trimPunctuation(word));
    for (const part of word.split(/\p{P}+/u)) words.add(part);
  }
}

/** 4999 minor units are written 4999, 49.99 or 49,99. */
function listAmounts(amount: number): string[] {
  const digits = String(amount).padStart(3, "0");
  const [units, cents] = [digits.slice(0, -2), digits.slice(-2)];
  return [String(amount), `${units}.${cents}`, `${units},${cents}`];
}

/** Every term that a payment is found by. */
export function listTerms(payment: Payment): SearchTerm[] {
  const { id, customer, card, amount, currency, decline_code: code, metadata } = payment;
  const email = foldText(customer.email);
  const terms = [`amount ${amount}`, `currency ${currency}`, `id ${toIdEnd(id.toLowerCase())}`];
  if (email !== "") terms.push(`email ${email}`);
  if (card) terms.push(`last4 ${card.last4}`, `brand ${foldText(card.brand)}`);
  if (code !== null) terms.push(`code ${code}`);
  for (const pair of Object.entries(metadata)) terms.push(`metadata ${JSON.stringify(pair)}`);
  for (const word of listWords(payment)) terms.push(`word ${word}`);
  return terms;
}

/**
 * The terms of a filter: a payment that matches has at least one of each. A word may stand for a value, too. Not every
 * payment that has them matches.
 */
export function listFilterTerms(filter: PaymentFilter): SearchTerm[][] {
  const { email, last4, brand, amount, currency, declineCode, metadata, words } = filter;
  const values: [kind: string, value: string | number | undefined][] = [
    ["email", email === undefined ? undefined : foldText(email)],
    ["last4", last4],
    ["brand", brand],
    ["amount", amount],
    ["currency", currency],
    ["code", declineCode],
  ];
  return [
    ...values.flatMap(([kind, value]) => (value === undefined ? [] : [[`${kind} ${value}`]])),
    ...metadata.map((pair) => [`metadata ${JSON.stringify(pair)}`]),
    ...words.map(listWordTerms),
  ];
}

/** The terms of a word: of a text, and of each value that is written so. */
function listWordTerms(word: string): SearchTerm[] {
  const terms = [`word ${word}`];
  if (/^[0-9]{4}$/.test(word)) terms.push(`last4 ${word}`);
  if (/^[a-z]+$/.test(word)) terms.push(`brand ${word}`, `currency ${word}`);
  if (/^[0-9]+(?:[.,][0-9]{2})?$/.test(word)) {
    terms.push(`amount ${Number(word.replace(/[.,]/, ""))}`);
  }
  if (word.length >= minIdEnd) terms.push(`id ${toIdEnd(word)}`);
  return terms;
}

function toIdEnd(id: string): string {
  return id.slice(-minIdEnd);
}
