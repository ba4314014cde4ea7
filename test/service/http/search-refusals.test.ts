import { afterAll, describe, expect, test } from "vitest";
import { cardBrands } from "../../../src/contract/card.ts";
import { declineCodes } from "../../../src/contract/field-values.ts";
import { currencies } from "../../../src/contract/money.ts";
import { errorIn, openApp, refusalOf } from "../../testkit/app/open-app.ts";

const { call, close } = await openApp();
afterAll(close);

const ask = async (query: string) => call({ path: `/v1/payments?${query}` });
const write = (name: string, value: string) => String(new URLSearchParams({ [name]: value }));
const invalid = (param: string) => ({ status: 400, code: "parameter_invalid", param });
const unknown = (param: string) => ({ status: 400, code: "parameter_unknown", param });

/** Parameters whose values are words of a list: in no other case, without spaces around them. */
const enumerations: [name: string, value: string][] = [
  ["card[brand]", "visa"],
  ["currency", "eur"],
  ["decline_code", "expired_card"],
];

describe("a value that cannot be one is refused by its parameter's name", () => {
  test.for<[name: string, values: string[]]>([
    ["customer[email]", ["", "ada", "ada@", "@example.com", "ada@example", "a da@example.com"]],
    ["customer[email]", [" ada@example.com", "ada@example.com ", `${"a".repeat(243)}@example.com`]],
    ["card[last4]", ["", "12", "12345", "424a", " 4242", "4242 ", "４２４２", "+242", "-242"]],
    ["card[brand]", ["", "bitcoin", "Visa", "VISA", " visa", "visa ", "visa,amex"]],
    ["amount", ["", "0", "-1", "+1", "01", "0001", " 1", "1 ", "1.0", "49.99", "49,99", "1e3"]],
    ["amount", ["9007199254740992", "99999999999999999999", "0x10", "１", "eur"]],
    ["currency", ["", "EUR", "Eur", " eur", "eur ", "chf", "eur,usd"]],
    ["decline_code", ["", "card_declined", "Expired_card", "expired_card ", "null"]],
    [`metadata[${"k".repeat(41)}]`, ["1"]],
    ["metadata[k]", ["x".repeat(501), "\0", "a\0b"]],
    ["search", ["", " ", "\t\n", "\u3000", "-", "…", "€", "& - …", "ada \u0301"]],
    ["search", ["a\0", "😀".repeat(201), "x".repeat(201), `a${" ".repeat(200)}`]],
    ["search", ["1 2 3 4 5 6 7 8 9", "a ".repeat(9), "a\u3000".repeat(9)]],
    ["search", ["a b c d e f g h 900 000.00 €", "1 000\u202F000 3 4 5 6 7 8 9"]],
    ["status", ["Succeeded", " failed"]],
  ])("%s", async ([name, values]) => {
    for (const value of values) {
      const answer = await ask(write(name, value));
      expect([value, refusalOf(answer)]).toEqual([value, invalid(name)]);
      expect(errorIn(answer).message).toContain(`${name} must `);
    }
  });

  test.for<[name: string, values: string[]]>([
    ["customer[email]", ["a@b.c", "ada+1@example.com", "ädä@exämple.com"]],
    ["card[last4]", ["0000", "4242"]],
    ["card[brand]", [...cardBrands]],
    ["amount", ["1", "9007199254740991"]],
    ["currency", [...currencies]],
    ["decline_code", [...declineCodes]],
    ["metadata[k]", ["", " ", " x ", "x".repeat(500), "😀".repeat(500)]],
    [`metadata[${"😀".repeat(40)}]`, ["1"]],
    ["metadata[a]b]", ["1"]],
    ["metadata[[]", ["1"]],
    ["search", ["😀".repeat(200), "x".repeat(200), `a${" ".repeat(199)}`, "a ".repeat(8)]],
    ["search", ["a & ".repeat(8), "1 2 3 4 5 6 7 8 000.00 €", "a-b-c-d-e-f-g-h-i 2 3 4 5 6 7 8"]],
    ["search", ["1", "💳", "a+b", "#1", "c++", "ada -", "+ ada", "Smith & Sons €"]],
  ])("%s accepts what can be one", async ([name, values]) => {
    for (const value of values) {
      const { status } = await ask(write(name, value));
      expect([value, status]).toEqual([value, 200]);
    }
  });

  test("values of a list are refused in capitals and with spaces around them", async () => {
    for (const [name, value] of enumerations) {
      for (const wrong of [value.toUpperCase(), ` ${value}`, `${value} `, `${value}\n`]) {
        expect(refusalOf(await ask(write(name, wrong)))).toEqual(invalid(name));
      }
    }
  });
});

describe("a parameter that does not exist is unknown", () => {
  test.each([
    "metadata",
    "metadata[]",
    "metadata[k",
    "metadatak]",
    "Metadata[k]",
    "metadata[k]x",
    "xmetadata[k]",
    "customer",
    "customer[Email]",
    "customer[name]",
    "customer.email",
    "email",
    "last4",
    "card[Last4]",
    "card",
    "brand",
    "Amount",
    "Search",
    "q",
    "search[]",
    "__proto__",
    "constructor",
  ])("%s", async (name) => {
    expect(refusalOf(await ask(write(name, "1")))).toEqual(unknown(name));
  });

  test("also beside known ones and filters by metadata", async () => {
    for (const query of ["search=ada&metadata=1", "metadata[a]=1&metadata[b]=1&metadata=1"]) {
      expect(refusalOf(await ask(query))).toEqual(unknown("metadata"));
    }
  });
});

describe("a repeated parameter is refused", () => {
  test.each([
    ["search", "search=a&search=a"],
    ["amount", "amount=1&amount=2"],
    ["card[last4]", "card[last4]=4242&card%5Blast4%5D=4242"],
    ["customer[email]", "customer[email]=a@b.c&limit=1&customer[email]=a@b.c"],
    ["metadata[a]", "metadata[a]=1&metadata[a]=2"],
    ["metadata[a]", "metadata[a]=1&metadata%5Ba%5D=1"],
  ])("%s", async (param, query) => {
    const answer = await ask(query);
    expect(refusalOf(answer)).toEqual(invalid(param));
    expect(errorIn(answer).message).toContain(`${param} must not be repeated`);
  });
});

test("three filters by metadata are accepted, and the fourth is refused by its name", async () => {
  const three = "metadata[a]=1&metadata[b]=2&metadata[10]=3";
  expect((await ask(three)).status).toBe(200);
  const answer = await ask(`${three}&metadata[d]=4&search=ada`);
  expect(refusalOf(answer)).toEqual(invalid("metadata[d]"));
});

describe("a card number is refused, and never said back", () => {
  const number = "4242424242424242";
  test.for<[name: string, value: string]>([
    ["search", number],
    ["search", `ada ${number}`],
    ["customer[email]", `${number}@example.com`],
    ["customer[email]", number],
    ["card[last4]", number],
    ["card[brand]", number],
    ["amount", number],
    ["currency", number],
    ["decline_code", number],
    ["metadata[k]", number],
    ["status", number],
  ])("%s: %s", async ([name, value]) => {
    const answer = await ask(write(name, value));
    expect(refusalOf(answer)).toEqual(invalid(name));
    expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/4242/);
  });

  test.each([
    `metadata[${number}]=1`,
    `metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[${number}]=1`,
    `metadata[${number}]=1&metadata[${number}]=1`,
    `${number}=1`,
    `metadata[${number}=1`,
    `search[${number}]=1`,
    `metadata[4242 4242 4242 4242]=1`,
  ])("%s", async (query) => {
    const answer = await ask(query);
    expect(refusalOf(answer).status).toBe(400);
    expect(answer.text).not.toMatch(/4242 ?4242/);
  });
});

test("the end of an id is never taken for a card number", async () => {
  const ends = ["424242424242", "4242-424242424242", "9042-4242-424242424242"];
  for (const end of [...ends, "pay_01999999-4242-7424-8242-424242424242"]) {
    expect([end, (await ask(write("search", end))).status]).toEqual([end, 200]);
  }
});
