import { describe, expect, test } from "vitest";
import { createPaymentBody } from "../../../src/contract/payment.ts";
import {
  toPrefill,
  readTypedCard,
  type CardMistake,
  type TypedCard,
} from "../../../src/service/checkout/typed-card.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const typed = (fields: Partial<TypedCard> = {}): TypedCard => ({
  number: "4242 4242 4242 4242",
  expiry: "12/30",
  cvc: "987",
  name: "Ada Lovelace",
  ...fields,
});

function cardOf(fields: Partial<TypedCard>) {
  const read = readTypedCard(typed(fields), nowMs);
  return "card" in read ? read.card : read.mistakes;
}

function mistakesOf(fields: Partial<TypedCard>) {
  const read = readTypedCard(typed(fields), nowMs);
  return "mistakes" in read ? read.mistakes : {};
}

describe("a card is read", () => {
  test("as the API takes one", () => {
    const card = cardOf({});
    expect(card).toEqual({
      number: "4242424242424242",
      exp_month: 12,
      exp_year: 2030,
      cvc: "987",
      holder_name: "Ada Lovelace",
    });
    const body = { amount: 1, currency: "eur", card };
    expect(createPaymentBody.safeParse(body).success).toBe(true);
  });

  test.each([
    "4242424242424242",
    "4242-4242-4242-4242",
    " 4242  4242\t42424242 ",
    "4242\u00a04242\u20114242–4242",
  ])("from the number %j", (number) => {
    expect(cardOf({ number })).toMatchObject({ number: "4242424242424242" });
  });

  test.each([
    ["12/30", 12, 2030],
    [" 12 / 2030 ", 12, 2030],
    ["1230", 12, 2030],
    ["122030", 12, 2030],
    ["12-30", 12, 2030],
    ["12.2030", 12, 2030],
    ["12 30", 12, 2030],
    ["9/30", 9, 2030],
    ["11/26", 11, 2026],
    ["01/99", 1, 2099],
    ["12/9999", 12, 9999],
  ])("from the expiry %j", (expiry, exp_month, exp_year) => {
    expect(cardOf({ expiry })).toMatchObject({ exp_month, exp_year });
  });

  test.each([
    ["", null],
    ["  ", null],
    [" Ada  ", "Ada"],
    ["Jean-Luc d'Ö 3rd", "Jean-Luc d'Ö 3rd"],
    ["李小龍", "李小龍"],
  ])("with the name %j, which may be left out", (name, holder_name) => {
    expect(cardOf({ name })).toMatchObject({ holder_name });
  });

  test("with a code of four digits on an American Express card alone", () => {
    const number = "3782 822463 10005";
    expect(cardOf({ number, cvc: "1234" })).toMatchObject({ cvc: "1234" });
    expect(mistakesOf({ number, cvc: "123" })).toEqual({ cvc: "cvc_front" });
    expect(mistakesOf({ cvc: "1234" })).toEqual({ cvc: "cvc_back" });
  });
});

describe("a mistake is found in its field:", () => {
  test.each<[keyof TypedCard, string, CardMistake]>([
    ["number", "", "number_missing"],
    ["number", " - ", "number_missing"],
    ["number", "4242 4242 4242 424x", "number_not_digits"],
    ["number", "４２４２４２４２４２４２４２４２", "number_not_digits"],
    ["number", "4242 4242 424", "number_length"],
    ["number", "42424242424242424242", "number_length"],
    ["number", "4242 4242 4242 4241", "number_wrong"],
    ["expiry", "", "expiry_missing"],
    ["expiry", "12", "expiry_unreadable"],
    ["expiry", "12/3", "expiry_unreadable"],
    ["expiry", "12/030", "expiry_unreadable"],
    ["expiry", "2030/12", "expiry_unreadable"],
    ["expiry", "Dec 30", "expiry_unreadable"],
    ["expiry", `12${" ".repeat(8_000)}x`, "expiry_unreadable"],
    ["expiry", "00/30", "expiry_month"],
    ["expiry", "13/30", "expiry_month"],
    ["expiry", "10/26", "expired"],
    ["expiry", "12/0030", "expired"],
    ["cvc", "", "cvc_back"],
    ["cvc", "12", "cvc_back"],
    ["cvc", "12345", "cvc_back"],
    ["cvc", "12a", "cvc_back"],
    ["name", "x".repeat(201), "name_length"],
    ["name", "987", "name_wrong"],
    ["name", "Ada 4242 4242 4242 4242", "name_wrong"],
    ["name", "Ada\nLovelace", "name_wrong"],
    ["name", "Ada\0", "name_wrong"],
    ["name", "Ada\ud800", "name_wrong"],
  ])("%s %j", (field, text, mistake) => {
    expect(mistakesOf({ [field]: text })).toEqual({ [field]: mistake });
  });

  test("all of them at once", () => {
    const mistakes = mistakesOf({ number: "", expiry: "", cvc: "", name: "7" });
    expect(Object.keys(mistakes)).toEqual(["number", "expiry", "cvc", "name"]);
  });

  test("the card expires with the end of its month, in UTC", () => {
    const endMs = Date.UTC(2026, 11, 1);
    const card = typed({ expiry: "11/26" });
    expect(readTypedCard(card, endMs - 1)).toHaveProperty("card");
    expect(readTypedCard(card, endMs)).toHaveProperty("mistakes.expiry");
  });

  test("two digits are a year of the present century", () => {
    const read = readTypedCard(typed({ expiry: "12/30" }), Date.UTC(2125, 0, 1));
    expect(read).toMatchObject({ card: { exp_year: 2130 } });
  });
});

describe("a form shows again", () => {
  test("expiry and name as they were typed", () => {
    expect(toPrefill(typed({ expiry: " 13 / 30", name: " Ada " }))).toEqual({
      expiry: "13 / 30",
      name: "Ada",
    });
  });

  test.each([
    { expiry: "4242 4242 4242 4242", name: "4242424242424242" },
    { expiry: "4242424242424242", name: "Ada 4242-4242-4242-4242" },
    { expiry: "987", name: "987" },
    { expiry: "98 7", name: " 9876 " },
  ])("nothing that may be a card number or a code: %o", (fields) => {
    expect(toPrefill(typed(fields))).toEqual({ expiry: "", name: "" });
  });
});
