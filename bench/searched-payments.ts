import type { CardBrand } from "../src/contract/card.ts";
import type { DeclineCode } from "../src/contract/field-values.ts";
import {
  beginPayment,
  failPayment,
  succeedPayment,
  type Payment,
} from "../src/service/payments/payment-state.ts";

// Payments as a shop has them: few names and domains are frequent and many are rare, customers come back. Each payment
// follows from its number alone, so that a benchmark knows what a search has to find without storing it.

const yearMs = 365 * 24 * 60 * 60 * 1_000;
const spanMs = 2 * yearMs;

const firstNames =
  "Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Karl Lea Max Nina Otto Paula Quirin Rosa Samuel Tilda Udo Vera Willi Xenia Yannick Zoë José Renée Łukasz Ümit".split(
    " ",
  );
const syllables =
  "ba be bo da di do fa ga he ja ka ko la li lo ma mi mo na no pa ra ri ro sa se ta ti va wo".split(
    " ",
  );
const products =
  "shoes book lamp table chair phone case coffee tea bicycle tyre ticket poster shirt coat".split(
    " ",
  );
const plans = [
  "basic",
  "basic",
  "basic",
  "basic",
  "silver",
  "silver",
  "silver",
  "silver",
  "gold",
  "trial",
];
const brands: [share: number, brand: CardBrand][] = [
  [60, "visa"],
  [30, "mastercard"],
  [5, "amex"],
  [3, "discover"],
  [1, "jcb"],
  [1, "maestro"],
];
const codes: DeclineCode[] = ["insufficient_funds", "generic_decline", "expired_card"];

export const words = {
  /** Stands in `rareCount` payments, however many there are. */
  rare: "verdigris",
  rareCount: 30,
  /** Each of the two stands in a tenth of all payments, and both stand together in ten. */
  common: "amber",
  otherCommon: "cobalt",
  togetherCount: 10,
  /** Stands in every payment. */
  ubiquitous: "order",
};
export const regularEmail = "regular.customer@mail.example";

export type SearchedPayments = ReturnType<typeof createSearchedPayments>;

/** `count` payments of two years; the last one was created at `endMs`. */
export function createSearchedPayments(count: number, endMs: number) {
  const apartMs = spanMs / count;
  const customers = Math.ceil(count / 5);
  const isPlanted = (index: number, times: number, offset: number) => {
    const apart = Math.floor(count / times);
    return index % apart === Math.floor(apart * offset) && index < apart * times;
  };

  function createId(index: number): string {
    const ms = Math.floor(endMs - (count - 1 - index) * apartMs)
      .toString(16)
      .padStart(12, "0");
    const [a, b] = [toHex(mix(index, 1)), toHex(mix(index, 2))];
    return `pay_${ms.slice(0, 8)}-${ms.slice(8)}-7${a.slice(0, 3)}-8${a.slice(3, 6)}-${b}${a.slice(4)}`;
  }

  function describe(index: number): string {
    const kind = mix(index, 3) % 20;
    const isTogether = isPlanted(index, words.togetherCount, 0.7);
    return [
      `Order ORD-${index}`,
      products[mix(index, 4) % products.length],
      ...(kind < 2 || isTogether ? [words.common] : []),
      ...((kind > 1 && kind < 4) || isTogether ? [words.otherCommon] : []),
      ...(isPlanted(index, words.rareCount, 0.4) ? [words.rare] : []),
    ].join(" ");
  }

  function create(index: number): Payment {
    const id = createId(index);
    const created = Math.floor(Number.parseInt(id.slice(4, 12) + id.slice(13, 17), 16) / 1_000);
    const brand = pickBrand(mix(index, 5) % 100);
    const last4 =
      mix(index, 6) % 100 === 0 ? "4242" : String(mix(index, 7) % 10_000).padStart(4, "0");
    const card = { brand, last4, exp_month: 12, exp_year: 2030, country: "DE" };
    const pending = beginPayment({
      id,
      amount: mix(index, 8) % 20 === 0 ? 4999 : 100 + (mix(index, 9) % 50_000),
      currency: ["eur", "eur", "eur", "eur", "usd", "gbp"][mix(index, 10) % 6] ?? "eur",
      description: describe(index),
      card,
      customer: createCustomer(
        isPlanted(index, words.rareCount, 0.2)
          ? -1
          : Math.floor(customers * toShare(mix(index, 11)) ** 2),
      ),
      metadata: {
        order_id: createOrderId(index),
        plan: plans[mix(index, 12) % plans.length] ?? "",
      },
      redirect_url: null,
      created,
      livemode: false,
    });
    const kind = mix(index, 13) % 100;
    return kind < 8
      ? failPayment(pending, codes[kind % codes.length] ?? "expired_card", created)
      : succeedPayment(pending, card, created);
  }

  return { count, createId, create, createOrderId };
}

export function createCustomer(number: number): { email: string; name: string } {
  if (number === -1) return { email: regularEmail, name: "Regular Customer" };
  const first = pickFrequent(firstNames, mix(number, 21));
  const last = `${pickFrequent(syllables, mix(number, 22))}${pickFrequent(syllables, mix(number, 23))}${pickFrequent(syllables, mix(number, 24))}`;
  const share = mix(number, 25) % 100;
  const domain =
    share < 35
      ? "mail.example"
      : share < 55
        ? "inbox.example"
        : `${pickFrequent(syllables, mix(number, 26))}${mix(number, 27) % 500}.example`;
  const local = `${first}.${last}${number}`.normalize("NFKD").replaceAll(/[^\w.]/g, "");
  return {
    email: `${local}@${domain}`.toLowerCase(),
    name: `${first} ${last[0]?.toUpperCase()}${last.slice(1)}`,
  };
}

function createOrderId(index: number): string {
  return `A-${index.toString(36)}`;
}

/** One of a list, the first ones much more often than the last, as names are. */
function pickFrequent(all: string[], random: number): string {
  return all[Math.floor(all.length ** toShare(random)) - 1] ?? "";
}

function pickBrand(percent: number): CardBrand {
  let passed = 0;
  for (const [share, brand] of brands) if (percent < (passed += share)) return brand;
  return "visa";
}

/** 32 bits that look random: a number and what it is used for, mixed as MurmurHash ends. */
function mix(number: number, use: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(use, 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function toShare(random: number): number {
  return random / 2 ** 32;
}

function toHex(random: number): string {
  return random.toString(16).padStart(8, "0");
}
