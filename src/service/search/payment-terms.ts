import { cardBrands } from "../../contract/card.ts";
import { currencies } from "../../contract/money.ts";
import type { ListPaymentsQuery } from "../../contract/list-payments.ts";
import type { Payment, PaymentStatus } from "../../contract/payment.ts";
import {
  type TypedAmount,
  type TypedSearch,
  type TypedWord,
  foldText,
  isBeginning,
  isCurrencySign,
  isWord,
  metadataKeyOf,
  minBeginning,
  minIdEnd,
  parseSearch,
  splitAtPunctuation,
  trimPunctuation,
  writeWithoutDots,
} from "../../contract/search-words.ts";
import { addToHash, createKind, endHash, hashTerm } from "./search-keys.ts";
import type { Range } from "../database/listing.ts";

/** The values of a search, beside status and time. A payment has to match all of them. */
export type PaymentFilter = {
  email: string | undefined;
  last4: string | undefined;
  brand: string | undefined;
  amount: number | undefined;
  currency: string | undefined;
  declineCode: string | undefined;
  metadata: [key: string, value: string][];
  search: TypedSearch | undefined;
};

/** A word or a value that payments are found by, with its kind: `word ada`, `last4 4242`. */
export type SearchTerm = string;

/**
 * The number of the rules by which payments have terms. It goes up with every change of `listTermHashes`: then all payments
 * are indexed anew, and a search by one program never reads an index by the rules of another.
 */
export const termRules = 2;

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
    search: query.search === undefined ? undefined : parseSearch(query.search),
  };
  return listFilterTerms(filter).length > 0 ? filter : undefined;
}

export function matchesFilter(payment: Payment, filter: PaymentFilter): boolean {
  const { email, last4, brand, amount, currency, declineCode, metadata, search } = filter;
  return (
    isWanted(amount, payment.amount) &&
    isWanted(currency, payment.currency) &&
    isWanted(last4, payment.card?.last4) &&
    isWanted(brand, payment.card?.brand) &&
    isWanted(declineCode, payment.decline_code) &&
    (email === undefined || payment.customer.email.toLowerCase() === email) &&
    metadata.every(([key, value]) => readOwn(payment.metadata, key) === value) &&
    (search === undefined || matchesSearch(payment, search))
  );
}

function isWanted<T>(wanted: T | undefined, value: T | null | undefined): boolean {
  return wanted === undefined || value === wanted;
}

/** Metadata may have a key such as `constructor`. */
function readOwn(metadata: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

/** A longer beginning is found by as many characters, and the payments themselves decide. */
const maxBeginning = 64;

/** Whether a payment has all words, each as it was typed or, with words beside it, as an amount. */
function matchesSearch(payment: Payment, { words, amounts }: TypedSearch): boolean {
  const found = listWords(payment);
  const isReached = new Set([0]);
  for (const [at, typed] of words.entries()) {
    if (!isReached.has(at)) continue;
    if (hasWord(payment, found, typed)) isReached.add(at + 1);
    for (const amount of amounts) {
      if (amount.from === at && isAmount(payment, amount)) isReached.add(amount.to);
    }
  }
  return isReached.has(words.length);
}

function hasWord(payment: Payment, found: PaymentWords, { word, parts }: TypedWord): boolean {
  return (
    isValue(payment, found, word) ||
    (isBeginning(word) && found.names.values().some((name) => name.startsWith(word))) ||
    (parts.length > 0 &&
      parts.every(
        (part) =>
          isValue(payment, found, part.word) ||
          part.amounts.some((amount) => isAmount(payment, amount)),
      ))
  );
}

/** Whether a word equals one of a payment, or is the end of its id. */
function isValue({ id, card, currency }: Payment, { words }: PaymentWords, word: string): boolean {
  return (
    words.has(word) ||
    word === currency ||
    (card !== null && (word === card.last4 || word === card.brand)) ||
    (word.length >= minIdEnd && id.toLowerCase().endsWith(word))
  );
}

function isAmount(payment: Payment, { minor, currency }: TypedAmount): boolean {
  return minor === payment.amount && (currency === undefined || currency === payment.currency);
}

/**
 * The words of a payment's texts, folded, without the punctuation around them (search: `search`). `names` are those
 * that are also found by their beginnings: of the customer's name, and the e-mail address before its `@`.
 */
type PaymentWords = { words: Set<string>; names: Set<string> };

function listWords({ customer, description, metadata }: Payment): PaymentWords {
  const names = new Set<string>();
  addWords(names, customer.name);
  const withoutDots = writeWithoutDots(customer.name);
  if (withoutDots !== customer.name) addWords(names, withoutDots);
  const email = foldText(customer.email);
  const at = email.lastIndexOf("@");
  if (at !== -1) addWord(names, email.slice(0, at));
  const words = new Set(names);
  if (at !== -1) for (const part of [email, email.slice(at + 1)]) addWord(words, part);
  if (description !== null) addWords(words, description);
  for (const value of Object.values(metadata)) addWords(words, value);
  return { words, names };
}

/** Adds the words of a text, whole and in their parts between punctuation. */
function addWords(words: Set<string>, text: string): void {
  for (const word of foldText(text).split(/\s+/u)) {
    if (plainWord.test(word)) {
      words.add(word);
      continue;
    }
    addWord(words, word);
    for (const part of splitAtPunctuation(word)) addWord(words, part);
  }
}

/** Nearly all are: those have no punctuation, and no parts. */
const plainWord = /^[a-z0-9]+$/;

/** Of a word that has no punctuation around it, and is one. */
const plainEnds = /^[a-z0-9](?:.*[a-z0-9])?$/s;

/** Adds a word, unless it is one that nobody can search for. */
function addWord(words: Set<string>, text: string): void {
  if (plainEnds.test(text)) {
    words.add(text);
    return;
  }
  const word = trimPunctuation(text);
  if (isWord(word) || isCurrencySign(word)) words.add(word);
}

const kinds = {
  amount: createKind("amount"),
  currency: createKind("currency"),
  id: createKind("id"),
  email: createKind("email"),
  last4: createKind("last4"),
  brand: createKind("brand"),
  code: createKind("code"),
  metadata: createKind("metadata"),
  word: createKind("word"),
  begins: createKind("begins"),
};

/** The hash of every term that a payment is found by. */
export function listTermHashes(payment: Payment): number[] {
  const { id, customer, card, amount, currency, decline_code: code, metadata } = payment;
  const email = foldText(customer.email);
  const hashes = [
    hashTerm(String(amount), kinds.amount),
    hashTerm(currency, kinds.currency),
    hashTerm(toIdEnd(id.toLowerCase()), kinds.id),
  ];
  if (email !== "") hashes.push(hashTerm(email, kinds.email));
  if (card) hashes.push(hashTerm(card.last4, kinds.last4), hashTerm(card.brand, kinds.brand));
  if (code !== null) hashes.push(hashTerm(code, kinds.code));
  for (const pair of Object.entries(metadata))
    hashes.push(hashTerm(JSON.stringify(pair), kinds.metadata));
  const { words, names } = listWords(payment);
  for (const word of words) hashes.push(hashTerm(word, kinds.word));
  for (const name of names) addBeginnings(hashes, name, words);
  return hashes;
}

/**
 * Adds the hashes of a word's beginnings, but for those that are words themselves. No word that is typed ends with
 * punctuation, unless it is cut.
 */
function addBeginnings(hashes: number[], word: string, words: Set<string>): void {
  let state = kinds.begins;
  let end = 0;
  let length = 0;
  for (const character of word) {
    state = addToHash(state, character);
    end += character.length;
    length += 1;
    if (end === word.length || length > maxBeginning) return;
    const isTyped = length === maxBeginning || !isPunctuation(character);
    if (length < minBeginning || !isTyped) continue;
    if (!words.has(word.slice(0, end))) hashes.push(endHash(state));
  }
}

function isPunctuation(character: string): boolean {
  const isPlain = character >= "a" && character <= "z";
  return !isPlain && /^\p{P}$/u.test(character);
}

/**
 * The terms of a filter: a payment that matches has at least one of each. A word may stand for a value, too. Not every
 * payment that has them matches.
 */
export function listFilterTerms(filter: PaymentFilter): SearchTerm[][] {
  const { email, last4, brand, amount, currency, declineCode, metadata, search } = filter;
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
    ...(search === undefined ? [] : listSearchTerms(search)),
  ];
}

/**
 * The terms of each word: of the whole, and of the amounts that it may be a part of. Where a word is also found by its
 * parts, the whole or the first part is found, and the whole or the second part, and so on.
 */
function listSearchTerms({ words, amounts }: TypedSearch): SearchTerm[][] {
  return words.flatMap(({ word, parts }, at) => {
    const whole = [
      ...listWordTerms(word),
      ...listBeginningTerms(word),
      ...amounts.filter(({ from, to }) => from <= at && at < to).map(toAmountTerm),
    ];
    if (parts.length === 0) return [unique(whole)];
    return parts.map((part) =>
      unique([...whole, ...listWordTerms(part.word), ...part.amounts.map(toAmountTerm)]),
    );
  });
}

function unique(terms: SearchTerm[]): SearchTerm[] {
  return [...new Set(terms)];
}

/** The terms of a word: of a text, and of each value that is written so. */
function listWordTerms(word: string): SearchTerm[] {
  const terms = [`word ${word}`];
  if (/^[0-9]{4}$/.test(word)) terms.push(`last4 ${word}`);
  if (isOneOf(cardBrands, word)) terms.push(`brand ${word}`);
  if (isOneOf(currencies, word)) terms.push(`currency ${word}`);
  if (/[0-9a-f]{8}$/.test(word)) terms.push(`id ${toIdEnd(word)}`);
  return terms;
}

function isOneOf(values: readonly string[], word: string): boolean {
  return values.includes(word);
}

function toAmountTerm({ minor }: TypedAmount): SearchTerm {
  return `amount ${minor}`;
}

function listBeginningTerms(word: string): SearchTerm[] {
  if (!isBeginning(word)) return [];
  if (word.length <= maxBeginning) return [`begins ${word}`];
  const cut = [...word].slice(0, maxBeginning).join("");
  return [`begins ${cut}`, `word ${cut}`];
}

function toIdEnd(id: string): string {
  return id.slice(-minIdEnd);
}

/**
 * A part of a list of payments; with `filter`, only of those that match it. `since`: where the range of time begins.
 */
export type PageRequest = Range & {
  /** Any of these; undefined for all. */
  statuses?: readonly PaymentStatus[] | undefined;
  filter?: PaymentFilter | undefined;
  since?: string | undefined;
};
