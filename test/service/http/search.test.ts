import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";

const { call, close, service, logged } = await openApp();
afterAll(close);

/** The payments that are searched, by the name that the tables below give them. */
const bodies = {
  ada: bodyWith({
    description: "ORD-1001 (Zwei Bücher) an den O'Hara‑Platz",
    customer: {
      email: "Ada.Lovelace@Mail.Example.com",
      first_name: "Ada",
      last_name: "Lovelace-King",
      phone: "+49 30 5550199",
      address: "Seestraße 81",
      city: "Potsdam",
      zip: "14467",
      country: "DE",
    },
    metadata: { order_id: "A-77/x", city: "München Süd", empty: "", cOnStructor: "K9" },
  }),
  jose: bodyWith({
    amount: 5,
    currency: "usd",
    card: cardWith({ number: "5555555555554444" }),
    description: "Café ﬁne ＦＵＬＬ İzmir Straße 💳",
    customer: { email: "jose@example.org", first_name: "José", last_name: "Ñandú" },
    metadata: { order_id: "ord 1001", full: "Cafe\u0301 Noir" },
  }),
  eve: bodyWith({
    amount: 4242,
    currency: "gbp",
    card: cardWith({ number: "4000000000009995" }),
    description: "_underscored_ 49.99 order*1 ΟΔΟΣ.ΑΒ",
    customer: { email: "eve+shop@example.org", first_name: "Eve", last_name: "Müller-Ødegård" },
  }),
  grace: bodyWith({
    amount: 100_050,
    customer: { email: "Grace.Hopper+books@mail.test" },
    card: cardWith({ number: "378282246310005", holder_name: "Grace O’Hopper" }),
    description: "order #4242",
    metadata: { order_id: "a-77/x" },
  }),
};
type Name = keyof typeof bodies;
const all: Name[] = ["grace", "eve", "jose", "ada"];
const created = new Map<string, Name>();
let ada: Payment;

beforeAll(async () => {
  for (const name of all.toReversed()) {
    const { text, status } = await call({ method: "POST", body: bodies[name] });
    if (status !== 201) throw new Error(text);
    const payment = JSON.parse(text) as Payment;
    created.set(payment.id, name);
    if (name === "ada") ada = payment;
  }
  await service.settlePayments();
});

type Parameters = Record<string, string>;

async function list(parameters: Parameters, key: "test" | "live" = "test"): Promise<PaymentList> {
  const query = String(new URLSearchParams(parameters));
  const answer = await call({ path: `/v1/payments?${query}`, key });
  expect([query, answer.status]).toEqual([query, 200]);
  return JSON.parse(answer.text) as PaymentList;
}

async function find(parameters: Parameters): Promise<(Name | undefined)[]> {
  return (await list(parameters)).data.map(({ id }) => created.get(id));
}

describe("a parameter finds the payments that have its whole value", () => {
  test.for<[name: string, value: string, found: Name[]]>([
    ["customer[email]", "Ada.Lovelace@Mail.Example.com", ["ada"]],
    ["customer[email]", "ADA.lovelace@mail.EXAMPLE.com", ["ada"]],
    ["customer[email]", "lovelace@mail.example.com", []],
    ["customer[email]", "ada.lovelace@mail.example.co", []],
    ["customer[email]", "josé@example.org", []],
    ["customer[email]", "eve+shop@example.org", ["eve"]],
    ["customer[email]", "eve@example.org", []],
    ["card[last4]", "4242", ["ada"]],
    ["card[last4]", "0005", ["grace"]],
    ["card[last4]", "9995", ["eve"]],
    ["card[last4]", "1001", []],
    ["card[brand]", "visa", ["eve", "ada"]],
    ["card[brand]", "mastercard", ["jose"]],
    ["card[brand]", "amex", ["grace"]],
    ["card[brand]", "unknown", []],
    ["amount", "4999", ["ada"]],
    ["amount", "5", ["jose"]],
    ["amount", "100050", ["grace"]],
    ["amount", "49", []],
    ["amount", "9007199254740991", []],
    ["currency", "eur", ["grace", "ada"]],
    ["currency", "usd", ["jose"]],
    ["currency", "gbp", ["eve"]],
    ["decline_code", "insufficient_funds", ["eve"]],
    ["decline_code", "hpp_expired", []],
    ["metadata[order_id]", "A-77/x", ["ada"]],
    ["metadata[order_id]", "a-77/x", ["grace"]],
    ["metadata[order_id]", "ord 1001", ["jose"]],
    ["metadata[order_id]", "ord", []],
    ["metadata[order_id]", " A-77/x", []],
    ["metadata[Order_id]", "A-77/x", []],
    ["metadata[city]", "München Süd", ["ada"]],
    ["metadata[city]", "Munchen Sud", []],
    ["metadata[empty]", "", ["ada"]],
    ["metadata[order_id]", "", []],
    ["metadata[constructor]", "K9", []],
    ["metadata[constructor]", "", []],
    ["metadata[__proto__]", "", []],
    ["metadata[a]b]", "1", []],
  ])("%s: %s", async ([name, value, found]) => {
    expect(await find({ [name]: value })).toEqual(found);
  });
});

describe("all that is asked for must hold", () => {
  test.for<[Parameters, Name[]]>([
    [{ "card[brand]": "visa", currency: "eur" }, ["ada"]],
    [{ "card[brand]": "visa", currency: "usd" }, []],
    [{ search: "visa 4242" }, ["eve", "ada"]],
    [{ search: "visa 4242", amount: "4242" }, ["eve"]],
    [{ search: "eur", status: "succeeded", amount: "4999" }, ["ada"]],
    [{ search: "visa", status: "failed" }, ["eve"]],
    [{ search: "visa", status: "refunded" }, []],
    [{ currency: "eur", "created[gte]": "0", "created[lt]": "9007199254740991" }, ["grace", "ada"]],
    [{ currency: "eur", "created[lt]": "1000" }, []],
    [{ "metadata[order_id]": "A-77/x", "metadata[empty]": "", "metadata[city]": "x" }, []],
    [
      { "metadata[order_id]": "A-77/x", "metadata[empty]": "", "metadata[city]": "München Süd" },
      ["ada"],
    ],
  ])("%j", async ([parameters, found]) => {
    expect(await find(parameters)).toEqual(found);
  });
});

describe("words find a payment that has each of them", () => {
  test.for<[what: string, found: Name[], searches: string[]]>([
    [
      "an e-mail address",
      ["ada"],
      ["ada.lovelace@mail.example.com", "ADA.Lovelace@mail.example.com"],
    ],
    ["an e-mail address with an accent", ["jose"], ["jose@example.org", "josé@example.org"]],
    ["what stands before an address's @", ["ada"], ["ADA.LOVELACE", "ada.lovelace"]],
    ["signs before an address's @", ["eve"], ["eve+shop"]],
    ["a domain", ["ada"], ["mail.example.com"]],
    ["a domain of two", ["eve", "jose"], ["example.org", "Example.ORG"]],
    [
      "the beginning of what stands before the @",
      ["grace"],
      ["grace.hop", "GRACE.", "grace.hopper+b"],
    ],
    ["no part of an address", [], ["example", "mail", "shop", "org", "com", "books", "mail.ex"]],
    ["a customer's name", ["ada"], ["ada", "lovelace-king", "LOVELACE", "king ada"]],
    ["accents of a name", ["jose"], ["jose nandu", "josé ñandú", "jose\u0301", "NANDU José"]],
    ["the card holder's name", ["grace"], ["grace", "o'hopper", "O'HOPPER", "hopper"]],
    [
      "an apostrophe of any kind",
      ["grace"],
      ["o’hopper", "o‘hopper", "oʼhopper", "O`Hopper", "O´HOPPER"],
    ],
    [
      "the beginning of a name's word",
      ["ada"],
      ["kin", "lovelac", "lovelace-kin", "Lov KIN", "“lov”"],
    ],
    [
      "the beginning of a name without its dots",
      ["eve"],
      ["mul", "MÜL", "mue", "muell", "ode", "oed"],
    ],
    [
      "a name as it is written without dots",
      ["eve"],
      ["mueller", "oedegaard", "mueller-oedegaard", "odegard"],
    ],
    ["a name without all of its dots", ["eve"], ["mueller-odegard", "muller oedegaard"]],
    [
      "no name that has no dots",
      [],
      ["loevelace", "joese", "mueler", "odegaard", "oedegard", "haen"],
    ],
    [
      "no beginning of two characters, or of a part",
      [],
      ["ki", "lo", "kin-lovelace", "lov-kin", "ada-kin"],
    ],
    ["no part of a name", [], ["ing", "ovelace", "lovelacek", "ada jose"]],
    ["a word of the description", ["ada"], ["ord-1001 zwei", "zwei", "hara", "platz"]],
    [
      "parts of a word",
      ["jose", "ada"],
      ["ord", "1001", "ord 1001", "1001 ORD", "ord-1001", "ord_1001"],
    ],
    [
      "parts in any order and of any text",
      ["ada"],
      ["1001/ord-süd", "zwei.king", "visa-4999", "ord-1001-eur"],
    ],
    ["each of the parts", [], ["ord-1002", "zwei.hopper", "visa-4998"]],
    ["eight parts", ["ada"], ["ada.king.zwei.ord.1001.77.k9.eur"]],
    ["nine parts as the whole alone", [], ["ada.king.zwei.ord.1001.77.k9.eur.visa"]],
    [
      "signs that stand alone beside words",
      ["ada"],
      ["ada & king", "- zwei …", "ada + € king", "± zwei"],
    ],
    [
      "no prefix, stem or other sign",
      [],
      ["100", "rd-1001", "ord_100", "buch", "or*", "bucherei", "munc", "fin", "a-7"],
    ],
    ["signs around a word", ["ada"], ["(bücher)", "Bücher,", "“zwei”", "¿zwei?"]],
    ["a star around a word, which is no pattern", ["jose", "ada"], ["ord*", "*ord", "#1001"]],
    ["signs around a word that is found", ["eve"], ["underscored", "_underscored_", "order*1"]],
    ["accents of a description", ["jose"], ["cafe", "CAFÉ", "cafe\u0301", "cafe noir"]],
    ["ligatures and full width", ["jose"], ["fine", "ﬁne", "full", "ｆｕｌｌ", "ＦＵＬＬ"]],
    ["letters with a dot", ["jose"], ["izmir", "İZMİR", "İzmir"]],
    ["a letter that has two capitals", ["eve"], ["οδός", "ΟΔΟΣ", "οδος.αβ"]],
    ["letters that stand for two", ["jose"], ["straße", "STRAẞE", "strasse", "STRASSE"]],
    ["no other spelling", [], ["strase", "zwey", "buecher", "muenchen"]],
    ["a picture", ["jose"], ["💳"]],
    ["a whole value of metadata", ["grace", "ada"], ["a-77/x", "A-77/X", "77", "a-77"]],
    ["a word of metadata", ["ada"], ["munchen", "süd münchen", "k9"]],
    ["no key", [], ["order_id", "city", "empty", "constructor", "id"]],
    ["the end of a card", ["eve"], ["9995", "visa 9995"]],
    ["a brand", ["eve", "ada"], ["Visa", "VISA"]],
    ["no part of a card's end or brand", [], ["995", "99950", "master", "42424"]],
    ["digits, whatever they stand for", ["grace", "eve", "ada"], ["4242", "#4242"]],
    ["an amount in major units", ["eve"], ["42.42", "42,42"]],
    ["an amount in minor units", ["ada"], ["4999"]],
    ["an amount, or the same in a text", ["eve", "ada"], ["49.99", "49,99"]],
    [
      "an amount of a currency",
      ["ada"],
      ["€49.99", "49.99€", "49,99 €", "€ 49,99", "49,99\u202F€", "(€49.99)"],
    ],
    [
      "an amount of a currency beside words",
      ["ada"],
      ["king 49,99 €", "€ 49.99 king", "ada 49.99 EUR"],
    ],
    ["no amount of another currency", [], ["$49.99", "49,99 £", "€42.42"]],
    ["a small amount", ["jose"], ["0.05", "0,05", "5"]],
    ["a large amount", ["grace"], ["1000.50", "1000,50", "100050"]],
    [
      "a large amount in groups",
      ["grace"],
      [
        "1,000.50",
        "1.000,50",
        "1 000,50",
        "1 000.50",
        "1\u202F000,50",
        "1\u00A0000,50",
        "1'000.50",
        "1’000,50",
      ],
    ],
    [
      "groups and a currency",
      ["grace"],
      ["€1,000.50", "1.000,50 €", "€ 1 000,50", "1 000,50 EUR", "amex 1 000,50 €"],
    ],
    [
      "no amount in other forms",
      [],
      ["05", ".05", "1000.5", "1,000,50", "1.000.50", "10,00.50", "€100050"],
    ],
    [
      "no groups that are parted by other signs",
      [],
      ["1  000,50", "1\t000,50", "1 - 000,50", "1_000,50", "01 000,50"],
    ],
    ["no amount with more digits", [], ["49.990", "4999.00", "049.99", "0.5", "00.05"]],
    ["a currency", ["grace", "ada"], ["eur", "EUR"]],
    ["no two currencies", [], ["eur usd"]],
    [
      "no phone and no address",
      [],
      ["5550199", "+49", "seestraße", "potsdam", "14467", "de", "us"],
    ],
    [
      "no status and no decline code",
      [],
      ["succeeded", "failed", "insufficient_funds", "insufficient"],
    ],
    ["nothing else of a payment", [], ["payment", "2030", "12", "null", "false"]],
    ["white space around and between", ["ada"], ["  ada   lovelace ", "ada\tlovelace\nking"]],
    [
      "white space of other kinds",
      ["ada"],
      ["ada\u00a0lovelace", "ada\u3000lovelace", "\u2003ada"],
    ],
    ["eight words", ["ada"], ["ada ".repeat(8), "ada king zwei eur visa 4242 77 k9"]],
  ])("%s", async ([, found, searches]) => {
    for (const search of searches) {
      expect([search, await find({ search })]).toEqual([search, found]);
    }
  });
});

test("words find a payment by its id, and by the end of it from eight characters on", async () => {
  const { id } = ada;
  for (const search of [id, id.toUpperCase(), id.slice(4), `${id}.`]) {
    expect([search, await find({ search })]).toEqual([search, ["ada"]]);
  }
  for (let length = 8; length < id.length; length++) {
    const end = id.slice(-length);
    expect([end, await find({ search: end })]).toEqual([end, ["ada"]]);
    const upper = end.toUpperCase();
    expect([upper, await find({ search: upper })]).toEqual([upper, ["ada"]]);
  }
  for (const search of [id.slice(-7), id.slice(0, -1), id.replaceAll("-", "")]) {
    expect([search, await find({ search })]).toEqual([search, []]);
  }
});

test("found payments are those of the API, and what is searched for is in no log", async () => {
  const { data, ...rest } = await list({ search: "lovelace-king", limit: "1" });
  expect(rest).toEqual({ object: "list", url: "/v1/payments", has_more: false });
  const { text } = await call({ path: `/v1/payments/${ada.id}` });
  expect(data).toEqual([JSON.parse(text)]);
  await call({ path: "/v1/payments?search=lovelace-king&amount=0" });
  expect(logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(logged)).not.toMatch(/lovelace/i);
});
