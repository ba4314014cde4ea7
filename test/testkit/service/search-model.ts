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
  const search = takeApart(query["search"] ?? "");
  const found = sorted.filter((payment) => isFound(payment, query, search)).map(({ id }) => id);
  if (before === undefined) {
    const rest = found.filter((id) => after === undefined || id < after);
    return { ids: rest.slice(0, limit), hasMore: rest.length > limit };
  }
  const rest = found.filter((id) => id > before);
  return { ids: rest.slice(-limit), hasMore: rest.length > limit };
}

function isFound(payment: Payment, query: SentQuery, search: Search): boolean {
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
        return hasTyped(payment, search);
      default: {
        const key = name.slice("metadata[".length, -1);
        return Object.entries(payment.metadata).some(
          (pair) => pair[0] === key && pair[1] === value,
        );
      }
    }
  });
}

/** A piece of a search between white space, and its place. */
type Typed = { text: string; from: number; to: number };

/** The words of a search in order, with what stands between them; signs alone are left out, but those of money. */
type Search = { whole: string; typed: Typed[] };

function takeApart(search: string): Search {
  const whole = search.replaceAll(/\S+/gu, fold);
  const all = [...whole.matchAll(/\S+/gu)].map(([text], at) => ({ text, at }));
  let from = 0;
  const placed = all.map(({ text }) => {
    from = whole.indexOf(text, from);
    const place = { text: dropSigns(text), from, to: from + text.length };
    from += text.length;
    return place;
  });
  const typed = placed.filter(({ text }) => !isSignsAlone(text) || isMoneySign(text));
  const isBesideAmount = (at: number) =>
    typed.some((_, first) =>
      typed.some(
        (__, last) =>
          first <= at && at <= last && first < last && isMoney(cut({ whole, typed }, first, last)),
      ),
    );
  return {
    whole,
    typed: typed.filter(({ text }, at) => !isMoneySign(text) || isBesideAmount(at)),
  };
}

/** The search from one of its words to another one. */
function cut({ whole, typed }: Search, first: number, last: number): string {
  return dropSigns(whole.slice(typed[first]?.from, typed[last]?.to));
}

/** Each word is found, or some that follow each other are the amount. */
function hasTyped(payment: Payment, search: Search, at = 0): boolean {
  const { typed } = search;
  if (at === typed.length) return true;
  if (hasWord(payment, typed[at]?.text ?? "") && hasTyped(payment, search, at + 1)) return true;
  return typed.some(
    (_, last) =>
      last >= at &&
      isWrittenAs(payment, cut(search, at, last)) &&
      hasTyped(payment, search, last + 1),
  );
}

/** A function of a text that computes each text once: every query looks at all payments' texts again. */
function remember<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    if (!known.has(text)) known.set(text, compute(text));
    return known.get(text) as Value;
  };
}

/** A text without case and accents, with one apostrophe, and letters that no accent makes as they are typed. */
const fold = remember((text) => {
  let folded = text;
  for (const quote of "’‘ʼ`´") folded = folded.split(quote).join("'");
  folded = [...folded.normalize("NFKD")].filter((sign) => !/\p{M}/u.test(sign)).join("");
  folded = folded.toLowerCase();
  const letters = ["ß ss", "æ ae", "œ oe", "ø o", "đ d", "ł l", "ı i", "þ th", "ς σ"];
  for (const pair of letters) {
    const [letter = "", plain = ""] = pair.split(" ");
    folded = folded.split(letter).join(plain);
  }
  return folded;
});

const toWord = remember((text) => dropSigns(fold(text)));

function dropSigns(word: string): string {
  const signs = [...word];
  const first = signs.findIndex((sign) => !isSign(sign));
  if (first === -1) return "";
  return signs.slice(first, signs.findLastIndex((sign) => !isSign(sign)) + 1).join("");
}

function isSign(character: string): boolean {
  return /\p{P}/u.test(character);
}

function isSignsAlone(word: string): boolean {
  return [...word].every((sign) => /[\p{P}\p{S}]/u.test(sign) && sign !== "💳");
}

function isMoneySign(word: string): boolean {
  return ["€", "$", "£"].includes(word);
}

/** Whether a text is an amount with a sign, or with spaces. */
function isMoney(text: string): boolean {
  const digits = text.replaceAll(/\D/gu, "");
  if (digits === "" || digits.length > 16) return false;
  return ["eur", "usd", "gbp"].some((currency) =>
    [digits, `${digits}00`].some((minor) => isWrittenAs({ amount: Number(minor), currency }, text)),
  );
}

const moneySigns: Record<string, string> = { eur: "€", usd: "$", gbp: "£" };

/** Whether a text is one of the ways in which people write an amount. */
function isWrittenAs({ amount, currency }: { amount: number; currency: string }, typed: string) {
  const sign = moneySigns[currency] ?? "";
  let text = typed.replaceAll("\u00A0", " ").replaceAll("\u2009", "\u202F");
  if (text === String(amount)) return true;
  if (text.startsWith(sign)) text = text.slice(sign.length).trimStart();
  else if (text.endsWith(sign)) text = text.slice(0, -sign.length).trimEnd();
  return listWritten(String(amount)).includes(text);
}

/** The ways to write an amount, given in minor units, without its currency. */
const listWritten = remember((amount) => {
  const minor = amount.slice(-2).padStart(2, "0");
  const major = amount.slice(0, -2) || "0";
  const grouped = (separator: string) =>
    [...major]
      .map((digit, at) => ((major.length - at) % 3 || !at ? "" : separator) + digit)
      .join("");
  const groups = ["", ",", ".", " ", "\u202F", "'"];
  return groups.flatMap((group) => {
    const points = [",", "."].filter((point) => point !== group || major.length < 4);
    const written = points.map((point) => `${grouped(group)}${point}${minor}`);
    return minor === "00" ? written.concat(grouped(group)) : written;
  });
});

/** The words of a name as it is written without dots: all of its letters, or none. */
function respell(name: string): string {
  const spelled = "äae öoe øoe üue åaa ÄAe ÖOe ØOe ÜUe ÅAa".split(" ");
  let text = name.normalize("NFC");
  for (const [letter = "", ...plain] of spelled) text = text.split(letter).join(plain.join(""));
  return text;
}

/** The words of a text, and their parts. */
const listWords = remember((text) =>
  fold(text)
    .split(/\s+/)
    .flatMap((word) => [word].concat(word.split(/\p{P}/u)))
    .map(dropSigns)
    .filter((word) => word !== ""),
);

function hasWord(payment: Payment, typed: string): boolean {
  const { customer } = payment;
  if (hasWhole(payment, typed)) return true;
  const parts = typed.split(/\p{P}/u).filter((part) => part !== "");
  const isOfParts = parts.length > 1 && parts.length <= 8;
  if (isOfParts && parts.every((part) => hasWhole(payment, part) || isWrittenAs(payment, part))) {
    return true;
  }
  if ([...typed].length < 3) return false;
  const local = customer.email === "" ? "" : toWord(customer.email.replace(/@[^@]*$/, ""));
  return [local, ...listNameWords(customer.name)].some((word) => word.startsWith(typed));
}

const listNameWords = remember((name) => [...listWords(name), ...listWords(respell(name))]);

/** Whether a word equals one of the payment. */
function hasWhole(payment: Payment, typed: string): boolean {
  const { id, customer, description, metadata, card, currency } = payment;
  if (typed.length >= 8 && id.toLowerCase().endsWith(typed)) return true;
  const { email } = customer;
  const [local, domain] = [email.replace(/@[^@]*$/, ""), email.replace(/^.*@/, "")];
  if (email !== "" && [email, local, domain].some((part) => toWord(part) === typed)) return true;
  if (card !== null && [card.last4, card.brand].includes(typed)) return true;
  if (currency === typed) return true;
  const texts = [description ?? "", ...Object.values(metadata)];
  const ofTexts = texts.some((text) => listWords(text).includes(typed));
  return ofTexts || listNameWords(customer.name).includes(typed);
}
