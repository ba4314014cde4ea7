import { afterAll, describe, expect, test } from "vitest";
import { openApp } from "../../testkit/app/open-app.ts";
import { errorIn, refusalOf } from "../../testkit/app/refusal-of.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";

// These tests cover the names of fields in errors; the contract's own tests cover the allowed values.

const { call, close } = await openApp();
afterAll(close);

const whole = JSON.stringify(bodyWith({ customer: {}, metadata: {} }));

/** A body as text, with a value that JSON.stringify would not write. */
function replaceField(field: string, json: string): string {
  const { [field]: _, ...rest } = JSON.parse(whole) as Record<string, unknown>;
  return JSON.stringify(rest).replace(/}$/, `,"${field}":${json}}`);
}

test.each([
  ["amount", {}],
  ["card", bodyWith({ card: undefined })],
  ["card[exp_month]", bodyWith({ card: cardWith({ exp_month: undefined }) })],
])("the absent field %s is named", async (param, body) => {
  const answer = await call({ method: "POST", body });
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_missing", param });
  expect(errorIn(answer).message).toContain(`${param} is required`);
});

test.each([
  ["amount", bodyWith({ amount: null })],
  ["card", bodyWith({ card: null })],
  ["card[number]", bodyWith({ card: cardWith({ number: 4242424242424242 }) })],
  ["card[number]", bodyWith({ card: cardWith({ number: "4242424242424241" }) })],
  ["customer", bodyWith({ customer: [] })],
  ["customer[country]", bodyWith({ customer: { country: "DEU" } })],
  ["description", bodyWith({ description: "😀".repeat(501) })],
  ["metadata", bodyWith({ metadata: { "": "x" } })],
  ["metadata[order_id]", bodyWith({ metadata: { order_id: 7 } })],
  ["metadata[constructor]", bodyWith({ metadata: { constructor: null } })],
])("the wrong field %s is named: %#", async (param, body) => {
  const before = (await call({})).text;
  const answer = await call({ method: "POST", body });
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
  expect(errorIn(answer).message).toContain(`${param} `);
  expect((await call({})).text).toBe(before);
});

describe("a number in JSON that a double cannot represent", () => {
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
  ])("%s is refused as an amount, and not rounded", async (literal) => {
    const answer = await call({ method: "POST", body: replaceField("amount", literal) });
    const refusal = { status: 400, code: "parameter_invalid", param: "amount" };
    expect(refusalOf(answer)).toEqual(refusal);
  });

  test.each([
    ["9007199254740991.000", 9007199254740991],
    ["9.007199254740991e15", 9007199254740991],
    ["1E+2", 100],
    ["10.0e1", 100],
    ["1000e-1", 100],
  ])("%s is accepted as an amount", async (literal, amount) => {
    const answer = await call({ method: "POST", body: replaceField("amount", literal) });
    expect(JSON.parse(answer.text)).toMatchObject({ amount });
  });
});

test.each([
  ["card[brand]", JSON.stringify(bodyWith({ card: cardWith({ brand: "visa" }) }))],
  ["card[constructor]", JSON.stringify(bodyWith({ card: cardWith({ constructor: 1 }) }))],
  ["x".repeat(100), JSON.stringify(bodyWith({ ["x".repeat(5_000)]: 1 }))],
  ["__proto__", whole.replace(/}$/, ',"__proto__":{"amount":1}}')],
  ["card[__proto__]", whole.replace('"card":{', '"card":{"__proto__":{"cvc":"999"},')],
  ["customer[__proto__]", whole.replace('"customer":{', '"customer":{"__proto__":1')],
])("the field %s, which does not exist, is named", async (param, body) => {
  const answer = await call({ method: "POST", body });
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param });
  expect(({} as Record<string, unknown>)["amount"]).toBeUndefined();
});

test("a field that arrives only through a prototype counts as absent", async () => {
  const answer = await call({ method: "POST", body: replaceField("card", '{"__proto__":{}}') });
  expect(answer.status).toBe(400);
});

test("an optional field may be null", async () => {
  const card = cardWith({ holder_name: null });
  const body = bodyWith({ card, customer: { email: null }, description: null, metadata: null });
  expect((await call({ method: "POST", body })).status).toBe(201);
});
