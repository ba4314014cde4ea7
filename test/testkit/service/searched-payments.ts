import * as fc from "fast-check";
import { expect } from "vitest";
import { testCards } from "../../../src/contract/card.ts";
import { declineCodes, paymentStatuses } from "../../../src/contract/field-values.ts";
import { currencies } from "../../../src/contract/money.ts";
import { listPaymentsQuery } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { ServiceError } from "../../../src/contract/error.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Driver } from "../../../src/service/database/driver.ts";
import { createPaymentStore } from "../../../src/service/payments/payments-store.ts";
import { writeOf } from "../../service/database/contract/writes.ts";
import { nextId, parsePayment, paymentIn } from "../database/records.ts";
import {
  type TestService,
  bodyWith,
  cardWith,
  openTestService,
  tokenOf,
  typedVisa,
} from "./open-test-service.ts";
import { type SentQuery, findPage } from "./search-model.ts";

// Payments that share words, and queries for them: most take their values from a payment, so that they find something.

/** One of a list, the first ones much more often than the last. */
function skewed<Value>(values: readonly Value[]): fc.Arbitrary<Value> {
  return fc.nat({ max: 999 }).map((n) => {
    const value = values[Math.floor(values.length * (n / 1_000) ** 2)];
    if (value === undefined) throw new Error("The list is empty.");
    return value;
  });
}

const firstNames = [
  "Ada",
  "José",
  "Grace",
  "Zoë",
  "O'Neil",
  "İlker",
  "李",
  "ﬁona",
  "Anne-Marie",
  "Søren",
  "Þóra",
  "",
];
const lastNames = [
  "Müller",
  "Lovelace",
  "O’Brien-Smith",
  "Mueller",
  "Ñandú-King",
  "Ångström-Jørgensen",
  "Hopper & Sons",
  "ＷＩＤＥ",
  "Mu\u0308ller",
  "van der Berg",
  "Łukasz-Weiß",
  "",
];
const domains = ["mail.example", "Example.com", "exämple.org", "4242.example", "shop.example"];
const locals = ["ada", "jose.nandu", "Grace+Shop", "4242", "zoë_z", "lovelace", "kim.smith+1"];
const words = [
  "Order",
  "ORD-1001",
  "4242",
  "49.99",
  "Café",
  "Straße",
  "INV-2026-0042/B",
  "1,299.99",
  "49,99 €",
  "&",
  "(gift-ord),",
  "eur",
  "visa",
  "ada",
  "…",
  "💳",
];
const values = ["A-77/x", "ord 1001", "", "München Süd", "4242", "ada", "x".repeat(500), "ABC"];
const keys = ["order_id", "note", "constructor", "größe"];
const amounts = [4999, 4242, 5, 100, 100_050, 1001, 77, 129_999, 250_000, 123_456_700];

const customer = fc.record({
  email: fc.option(fc.tuple(skewed(locals), skewed(domains)).map((parts) => parts.join("@"))),
  first_name: skewed(firstNames),
  last_name: skewed(lastNames),
});

/** The request of a payment, but for its card. */
const details = fc.record({
  amount: skewed(amounts),
  currency: skewed(currencies),
  customer,
  description: fc.option(fc.array(skewed(words), { maxLength: 4 }).map((all) => all.join(" "))),
  metadata: fc.dictionary(skewed(keys), skewed(values), { maxKeys: 3 }),
});

/** Cards whose refund is made at once: the model does not wait for one. */
const refundedAtOnce = testCards.filter(({ refund }) => refund === undefined);

/** A payment to create: by its card, or on a page. */
export const anyDraft = fc
  .record({ details, card: skewed(refundedAtOnce), holder_name: fc.option(skewed(firstNames)) })
  .map(({ details: hosted, card, holder_name }) => ({
    hosted,
    direct: bodyWith({ ...hosted, card: cardWith({ number: card.number, holder_name }) }),
  }));
export type AnyDraft = typeof anyDraft extends fc.Arbitrary<infer Draft> ? Draft : never;

const part = fc.constantFrom(
  "customer[email]",
  "card[last4]",
  "card[brand]",
  "amount",
  "currency",
  "decline_code",
  "metadata",
  "status",
  "created[gte]",
  "created[lt]",
);
const word = fc.record({
  pick: fc.nat(),
  isOfAnother: fc.boolean(),
  twist: fc.constantFrom(
    "none",
    "none",
    "capitals",
    "signs",
    "cut",
    "beginning",
    "plain",
    "quote",
    "dots",
    "alone",
  ),
});

/** A query to ask: its values are those of some of the payments that there are then. */
export const anyQuery = fc.record({
  of: fc.nat(),
  other: fc.nat(),
  parts: fc.uniqueArray(part, { maxLength: 3 }),
  words: fc.array(word, { maxLength: 3 }),
  statuses: fc.constantFrom(...paymentStatuses),
  code: fc.constantFrom(...declineCodes),
  limit: fc.option(fc.integer({ min: 1, max: 12 })),
  cursor: fc.option(
    fc.record({ at: fc.nat(), name: fc.constantFrom("starting_after", "ending_before") }),
  ),
});
export type AnyQuery = typeof anyQuery extends fc.Arbitrary<infer Query> ? Query : never;

/** The query that is sent; undefined where a value cannot be one, such as digits that look like a card number. */
export function toSentQuery(asked: AnyQuery, all: readonly Payment[]): SentQuery | undefined {
  const of = all[asked.of % all.length];
  const other = all[asked.other % all.length];
  if (of === undefined || other === undefined) return undefined;
  const query: SentQuery = {};
  for (const name of asked.parts) Object.assign(query, takePart(name, of, asked));
  const typed = asked.words.map(({ pick, isOfAnother, twist }) => {
    const choices = listTyped(isOfAnother ? other : of);
    return twistWord(choices[pick % choices.length] ?? "", twist);
  });
  if (typed.length > 0) query["search"] = typed.join(" ");
  if (asked.limit !== null) query["limit"] = String(asked.limit);
  if (asked.cursor) query[asked.cursor.name] = all[asked.cursor.at % all.length]?.id ?? "";
  return listPaymentsQuery.safeParse(query).success ? query : undefined;
}

function takePart(name: string, of: Payment, { code, statuses, other }: AnyQuery): SentQuery {
  switch (name) {
    case "customer[email]":
      return { [name]: of.customer.email || "nobody@mail.example" };
    case "card[last4]":
      return { [name]: of.card?.last4 ?? "4242" };
    case "card[brand]":
      return { [name]: of.card?.brand ?? "visa" };
    case "amount":
      return { [name]: String(of.amount) };
    case "currency":
      return { [name]: of.currency };
    case "decline_code":
      return { [name]: of.decline_code ?? code };
    case "metadata": {
      const pairs = Object.entries(of.metadata);
      const taken = pairs.length > 0 ? pairs : [["order_id", ""] as const];
      return Object.fromEntries(taken.map(([key, value]) => [`metadata[${key}]`, value]));
    }
    case "status":
      return { [name]: statuses };
    default:
      return { [name]: String(of.created + (other % 3) - 1) };
  }
}

/** Texts that a person might type to find a payment. */
function listTyped({ id, customer: of, description, metadata, card, amount, currency }: Payment) {
  const texts = [of.name, description ?? "", ...Object.values(metadata)];
  const email = of.email === "" ? [] : [of.email, ...of.email.split("@")];
  const cards = card === null ? [] : [card.last4, card.brand];
  const major = (amount / 100).toFixed(2);
  const spellings = spellAmount(amount);
  return [
    id,
    id.slice(-7),
    id.slice(-8),
    id.slice(-15),
    String(amount),
    major,
    major.replace(".", ","),
    ...spellings,
    ...spellings.flatMap((spelled) => [
      `€${spelled}`,
      `${spelled} €`,
      `${spelled}$`,
      `£ ${spelled}`,
      `${spelled} ${currency}`,
    ]),
    currency,
    ...email,
    ...cards,
    ...texts.flatMap((text) => text.split(" ")),
    ...texts.flatMap((text) => text.split(/[\s\p{P}]/u)),
  ].filter((typed) => /[\p{L}\p{N}]|💳/u.test(typed) && typed.length < 60);
}

/** An amount with groups of three, as pages and people write it; also with what does not belong together. */
function spellAmount(amount: number): string[] {
  const [units = "", cents = ""] = (amount / 100).toFixed(2).split(".");
  const group = (separator: string) => units.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, separator);
  return [",", ".", " ", "\u202F", "\u00A0", "\u2009", "'", "’"].flatMap((separator) => [
    group(separator),
    `${group(separator)}.${cents}`,
    `${group(separator)},${cents}`,
  ]);
}

const quotes = "’‘ʼ`´";
const dots: Record<string, string> = { ä: "ae", ö: "oe", ø: "oe", ü: "ue", å: "aa", Å: "Aa" };

function twistWord(typed: string, twist: AnyQuery["words"][number]["twist"]): string {
  switch (twist) {
    case "capitals":
      return typed.toUpperCase();
    case "signs":
      return `(${typed}),`;
    case "cut":
      return typed.slice(0, -1) || typed;
    case "beginning":
      return typed.slice(0, 3 + (typed.length % 3));
    case "plain":
      return typed.normalize("NFKD").replaceAll(/\p{M}/gu, "");
    case "quote":
      return typed.replaceAll(/['’]/g, quotes[typed.length % quotes.length] ?? "'");
    case "dots":
      return typed.normalize("NFC").replaceAll(/[äöøüåÅ]/g, (letter) => dots[letter] ?? letter);
    case "alone":
      return `& ${typed} €`;
    case "none":
      return typed;
    default:
      return twist satisfies never;
  }
}

/** A write commits within 20 s of its id, or never. */
const maxLateMs = 20_000;
/** For so long a replica may have announced itself once. */
const maxAnnouncedMs = 9_000;

export type SearchedService = ReturnType<typeof openSearched>;

/** A service with the payments that a test knows of, and the comparison of what it finds. */
export function openSearched(
  { service, store, test: testScope, live, time }: TestService,
  driver: Driver,
) {
  const payments = new Map<Scope, Map<string, Payment>>([
    [testScope, new Map()],
    [live, new Map()],
  ]);
  const of = (isLive: boolean): Scope => (isLive ? live : testScope);
  const list = (isLive: boolean) => [...(payments.get(of(isLive))?.values() ?? [])];
  // Two replicas index in turn, by the same clock.
  const another = openTestService({ store, clock: () => time.nowMs });
  const indexing: Promise<unknown>[] = [];
  /** A replica whose writes take long. What it has begun since its first one may appear. */
  let slow = { ...createPaymentStore(driver), firstMs: -Infinity };

  /** Reads the payments that may have changed by their ids, which asks no index. */
  async function refresh(): Promise<void> {
    for (const [scope, known] of payments) {
      const open = [...known.values()].filter(({ status }) => status === "pending");
      for (const { id } of open) known.set(id, parsePayment(await service.getPayment(scope, id)));
    }
  }

  return {
    list,
    time,
    refresh,
    /** Indexes what is due, by either replica; merging goes on behind it. */
    index: async ({
      isOther = false,
      signal,
    }: { isOther?: boolean; signal?: AbortSignal } = {}) => {
      const { service: replica } = isOther ? await another : { service };
      const { merged } = await replica.indexPayments(signal);
      indexing.push(
        merged.catch((error: unknown) => {
          if (!signal?.aborted) throw error;
        }),
      );
    },
    /** Resolves when nothing is merged any more. */
    idle: async () => Promise.all(indexing),
    create: async (draft: AnyDraft, on: "card" | "page", isLive: boolean) => {
      const scope = of(isLive);
      const { body } =
        on === "card"
          ? await service.createPayment(scope, draft.direct)
          : await service.createHostedPayment(scope, draft.hosted);
      const payment = JSON.parse(body) as Payment;
      payments.get(scope)?.set(payment.id, payment);
    },
    /**
     * Writes a payment whose id is some seconds old, as one that another replica commits late; perhaps of the same
     * millisecond and the same end as another payment.
     */
    createLate: async (
      { hosted: { customer: payer, ...fields } }: AnyDraft,
      which: number,
      isLive: boolean,
    ) => {
      const recent = list(isLive).findLast(
        ({ created }) => created * 1_000 > time.nowMs - maxLateMs,
      );
      const twin = which % 2 === 0 ? recent : undefined;
      const atMs = twin ? parseMs(twin.id) : time.nowMs - (which % maxLateMs);
      if (atMs <= slow.firstMs || atMs > slow.firstMs + maxAnnouncedMs) {
        slow = { ...createPaymentStore(driver), firstMs: atMs };
      }
      const id = nextId(atMs);
      const payment = paymentIn(which % 3 === 0 ? "failed" : "succeeded", atMs, {
        ...fields,
        id: id.slice(0, 37) + (twin ?? { id }).id.slice(37),
        customer: { email: payer.email ?? "", name: payer.first_name },
        livemode: isLive,
      });
      await slow.createPayment(() => writeOf(payment, { scope: of(isLive), nowMs: time.nowMs }));
      payments.get(of(isLive))?.set(payment.id, payment);
    },
    pay: async (payment: Payment, number: string) =>
      service.payPage(tokenOf(payment), { ...typedVisa, number }).catch(ignoreRefusal),
    cancel: async (payment: Payment) => service.cancelPage(tokenOf(payment)).catch(ignoreRefusal),
    refund: async ({ id }: Payment, isLive: boolean) => {
      const scope = of(isLive);
      await service.refundPayment(scope, id).catch(ignoreRefusal);
      payments.get(scope)?.set(id, parsePayment(await service.getPayment(scope, id)));
    },
    settle: async () => service.settlePayments(),
    /** Compares what the service finds with what the model finds in `all`. */
    compare: async (query: SentQuery, isLive: boolean) => {
      const { items, hasMore } = await service.listPayments(
        of(isLive),
        listPaymentsQuery.parse(query),
      );
      const found = items.map(parsePayment);
      const page = { ids: found.map(({ id }) => id), hasMore };
      expect({ query, ...page }).toEqual({ query, ...findPage(list(isLive), query) });
      const known = payments.get(of(isLive));
      expect(found).toEqual(page.ids.map((id) => known?.get(id)));
      return found.length;
    },
  };
}

function parseMs(id: string): number {
  return Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
