import { afterAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { openApp, publicUrl, type Call } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, close } = await openApp();
afterAll(close);

const path = "/v1/payments/hpp";
const bodyWith = (fields: object = {}) => ({ amount: 4999, currency: "eur", ...fields });
const create = (fields: object = {}, rest: Call = {}): Call => ({
  method: "POST",
  path,
  body: bodyWith(fields),
  ...rest,
});

describe("POST /v1/payments/hpp", () => {
  test("answers 201 with a pending payment and its page's address", async () => {
    const answer = await call(create({ return_url: "https://shop.example" }));
    expect(answer.status).toBe(201);
    const payment = JSON.parse(answer.text) as Payment;
    expect(payment).toMatchObject({ object: "payment", status: "pending", card: null });
    expect(payment.redirect_url).toMatch(/^https:\/\/payments\.test\/pay\/[0-9A-Za-z]{32}$/);
    expect((await call({ path: `/v1/payments/${payment.id}` })).text).toBe(answer.text);
  });

  test("does not use the request's Host header in the page's address", async () => {
    const answer = await call(create({}, { headers: { host: "evil.example" } }));
    const { redirect_url } = JSON.parse(answer.text) as Payment;
    expect(redirect_url?.startsWith(`${publicUrl}/pay/`)).toBe(true);
  });

  test.each([
    [{ amount: undefined }, "parameter_missing", "amount"],
    [{ card: { number: "4242424242424242" } }, "parameter_unknown", "card"],
    [{ return_url: "javascript:alert(1)" }, "parameter_invalid", "return_url"],
    [{ customer: { email: "ada" } }, "parameter_invalid", "customer[email]"],
  ])("with %j is refused", async (fields, code, param) => {
    expect(refusalOf(await call(create(fields)))).toEqual({ status: 400, code, param });
  });
});
