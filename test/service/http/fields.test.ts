import { afterAll, describe, expect, test } from "vitest";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { errorIn, refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, close } = await openApp();
afterAll(close);

const whole = JSON.stringify(bodyWith({ customer: {}, metadata: {} }));

/** A body as text, with something put into it that JSON.stringify would not write. */
function withText(field: string, json: string): string {
  const { [field]: _, ...rest } = JSON.parse(whole) as Record<string, unknown>;
  return JSON.stringify(rest).replace(/}$/, `,"${field}":${json}}`);
}

describe("a field that is absent is named", () => {
  test.each([
    ["amount", bodyWith({ amount: undefined })],
    ["currency", bodyWith({ currency: undefined })],
    ["card", bodyWith({ card: undefined })],
    ["card[number]", bodyWith({ card: cardWith({ number: undefined }) })],
    ["card[exp_month]", bodyWith({ card: cardWith({ exp_month: undefined }) })],
    ["card[exp_year]", bodyWith({ card: cardWith({ exp_year: undefined }) })],
    ["card[cvc]", bodyWith({ card: cardWith({ cvc: undefined }) })],
    ["amount", {}],
  ])("%s", async (param, body) => {
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_missing", param });
    expect(errorIn(answer).message).toContain(`${param} is required`);
  });
});

describe("a field that is wrong is named", () => {
  test.each([
    ["amount", bodyWith({ amount: null })],
    ["amount", bodyWith({ amount: 0 })],
    ["amount", bodyWith({ amount: "4999" })],
    ["amount", bodyWith({ amount: true })],
    ["amount", bodyWith({ amount: [4999] })],
    ["currency", bodyWith({ currency: null })],
    ["currency", bodyWith({ currency: "chf" })],
    ["currency", bodyWith({ currency: "EUR" })],
    ["card", bodyWith({ card: null })],
    ["card", bodyWith({ card: "4242424242424242" })],
    ["card[number]", bodyWith({ card: cardWith({ number: null }) })],
    ["card[number]", bodyWith({ card: cardWith({ number: 4242424242424242 }) })],
    ["card[number]", bodyWith({ card: cardWith({ number: "4242 4242 4242 4242" }) })],
    ["card[exp_month]", bodyWith({ card: cardWith({ exp_month: 13 }) })],
    ["card[exp_year]", bodyWith({ card: cardWith({ exp_year: 30 }) })],
    ["card[cvc]", bodyWith({ card: cardWith({ cvc: "12" }) })],
    ["card[holder_name]", bodyWith({ card: cardWith({ holder_name: "x".repeat(201) }) })],
    ["customer", bodyWith({ customer: [] })],
    ["customer[email]", bodyWith({ customer: { email: "ada" } })],
    ["customer[country]", bodyWith({ customer: { country: "DEU" } })],
    ["customer[zip]", bodyWith({ customer: { zip: 10_115 } })],
    ["description", bodyWith({ description: "x".repeat(501) })],
    ["description", bodyWith({ description: "a\0b" })],
    ["description", bodyWith({ description: "\ud800" })],
    ["metadata", bodyWith({ metadata: [] })],
    ["metadata", bodyWith({ metadata: { "": "x" } })],
    ["metadata[order_id]", bodyWith({ metadata: { order_id: 7 } })],
    ["metadata[order_id]", bodyWith({ metadata: { order_id: "x".repeat(501) } })],
    ["metadata[constructor]", bodyWith({ metadata: { constructor: null } })],
  ])("%s", async (param, body) => {
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    expect(errorIn(answer).message).toContain(`${param} must `);
  });
});

describe("a number that JSON carries but a double does not", () => {
  test.each([
    "4999.5",
    "9007199254740992",
    "9007199254740993",
    "9007199254740991.4",
    "9007199254740991.00000000001",
    "90071992547409914e-1",
    "9.0071992547409914e15",
    "9007199254740992e0",
    "4999e-1",
    "1E400",
    "1e-400",
    "100e-99999999999999999999",
    "-1",
    "0.99999999999999999999",
  ])("%s is no amount, and never rounded", async (literal) => {
    const answer = await call({ method: "POST", body: withText("amount", literal) });
    const refusal = { status: 400, code: "parameter_invalid", param: "amount" };
    expect(refusalOf(answer)).toEqual(refusal);
  });

  test.each([
    ["9007199254740991", 9007199254740991],
    ["9007199254740991.000", 9007199254740991],
    ["9.007199254740991e15", 9007199254740991],
    ["100.0", 100],
    ["1e2", 100],
    ["1E+2", 100],
    ["10.0e1", 100],
    ["1000e-1", 100],
  ])("%s is an amount", async (literal, amount) => {
    const answer = await call({ method: "POST", body: withText("amount", literal) });
    expect(JSON.parse(answer.text)).toMatchObject({ amount });
  });
});

describe("a field that does not exist is named", () => {
  test.each([
    ["capture", bodyWith({ capture: true })],
    ["card[brand]", bodyWith({ card: cardWith({ brand: "visa" }) })],
    ["customer[name]", bodyWith({ customer: { name: "Ada" } })],
    ["constructor", bodyWith({ constructor: 1 })],
    ["toString", bodyWith({ toString: 1 })],
    ["hasOwnProperty", bodyWith({ hasOwnProperty: 1 })],
    ["card[constructor]", bodyWith({ card: cardWith({ constructor: 1 }) })],
    ["Amount", bodyWith({ Amount: 1 })],
    ["x".repeat(100), bodyWith({ ["x".repeat(5_000)]: 1 })],
  ])("%s", async (param, body) => {
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param });
  });

  test.each([
    ["__proto__", whole.replace(/}$/, ',"__proto__":{"amount":1}}')],
    ["card[__proto__]", whole.replace('"card":{', '"card":{"__proto__":{"cvc":"999"},')],
    ["customer[__proto__]", whole.replace('"customer":{', '"customer":{"__proto__":1')],
  ])("%s", async (param, body) => {
    const answer = await call({ method: "POST", body });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param });
    expect(({} as Record<string, unknown>)["amount"]).toBeUndefined();
  });
});

test("a field that arrives only through a prototype counts as absent", async () => {
  const answer = await call({ method: "POST", body: withText("card", '{"__proto__":{}}') });
  expect(answer.status).toBe(400);
});

test("an optional field may be null", async () => {
  const body = bodyWith({
    card: cardWith({ holder_name: null }),
    customer: { email: null, phone: null },
    description: null,
    metadata: null,
  });
  expect((await call({ method: "POST", body })).status).toBe(201);
});

test("lengths count characters, not UTF-16 units", async () => {
  const accepted = bodyWith({
    description: "😀".repeat(500),
    metadata: { ["😀".repeat(40)]: "x" },
  });
  expect((await call({ method: "POST", body: accepted })).status).toBe(201);
  const refused = bodyWith({ description: "😀".repeat(501) });
  expect(refusalOf(await call({ method: "POST", body: refused })).param).toBe("description");
});

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, "x"]));
}

test("metadata holds 50 keys and no more", async () => {
  const fifty = await call({ method: "POST", body: bodyWith({ metadata: pairs(50) }) });
  expect(fifty.status).toBe(201);
  const more = await call({ method: "POST", body: bodyWith({ metadata: pairs(51) }) });
  expect(refusalOf(more)).toMatchObject({ code: "parameter_invalid", param: "metadata" });
});
