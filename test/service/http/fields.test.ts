import { afterAll, describe, expect, test } from "vitest";
import { errorIn, openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";

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

describe("a refusal names all mistakes at once:", () => {
  test("in the order of the schema, unknown fields last; code and param are the first one's", async () => {
    const card = cardWith({ cvc: "x", cvv: "123" });
    const body = bodyWith({ card, colour: "red", amount: 0, currency: undefined });
    const answer = await call({ method: "POST", body: JSON.stringify(body) });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param: "amount" });
    expect(errorIn(answer).message).toMatch(
      /^amount must be .+ currency is required; it must be .+ card\[cvc\] must be .+ card\[cvv\] is not known here\. You may mean card\[cvc\]\. colour is not known here\. Check the spelling, or leave it out\.$/,
    );
  });

  test.each([
    [10, ""],
    [11, " And 1 more mistake."],
    [5_000, " And 4990 more mistakes."],
  ])("at most ten of %d, and how many more", async (count, end) => {
    const names = Array.from({ length: count }, (_, at) => `x${at}`);
    const unknown = Object.fromEntries(names.map((name) => [name, 1]));
    const answer = await call({ method: "POST", body: JSON.stringify(bodyWith(unknown)) });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param: "x0" });
    const told = names
      .slice(0, 10)
      .map((name) => `${name} is not known here. Check the spelling, or leave it out.`);
    expect(errorIn(answer).message).toBe(told.join(" ") + end);
  });

  test("those of a query, too", async () => {
    const answer = await call({ path: "/v1/payments?limit=0&status=lost&amout=1" });
    expect(refusalOf(answer)).toMatchObject({ status: 400, code: "parameter_invalid" });
    expect(errorIn(answer).message).toMatch(
      /limit must .+ status must .+ amout is not known here\. You may mean amount\.$/,
    );
  });
});

test.each([
  [
    { customer: { name: "Ada Lovelace" } },
    "You may mean customer[first_name] or customer[last_name].",
  ],
  [{ amout: 1 }, "You may mean amount."],
  [{ card: cardWith({ exp: "12/30" }) }, "You may mean card[exp_month] or card[exp_year]."],
  [{ customer: { constructor: 1 } }, "Check the spelling, or leave it out."],
])("an unknown field is told with the nearest: %j", async (fields, advice) => {
  const answer = await call({ method: "POST", body: JSON.stringify(bodyWith(fields)) });
  expect(errorIn(answer).message).toContain(`is not known here. ${advice}`);
});

test("the body of a refund that names an amount is told that refunds are in full", async () => {
  const created = await call({ method: "POST", body: whole });
  const { id } = JSON.parse(created.text) as { id: string };
  const path = `/v1/payments/${id}/refund`;
  const answer = await call({ method: "POST", path, body: '{"amount":100}' });
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param: "amount" });
  expect(errorIn(answer).message).toBe(
    "amount is not taken: a refund is of the whole amount. Send no body.",
  );
  expect((await call({ method: "POST", path, body: "{}" })).status).toBe(200);
});
