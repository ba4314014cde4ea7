import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { type Answer, type Call, openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";

const { call, close } = await openApp();
afterAll(close);

const reused = { status: 409, code: "idempotency_key_reused", param: null };

async function create(key: string, fields: object = {}, rest: Call = {}): Promise<Answer> {
  const headers = { "idempotency-key": key };
  return call({ method: "POST", headers, body: bodyWith(fields), ...rest });
}

async function count(): Promise<number> {
  const { text } = await call({ path: "/v1/payments?limit=100" });
  return (JSON.parse(text) as PaymentList).data.length;
}

function idOf(answer: Answer): string {
  return (JSON.parse(answer.text) as Payment).id;
}

describe("a retry with the same idempotency key", () => {
  test("gets the stored response byte for byte, and the payment is created once", async () => {
    const before = await count();
    const key = randomUUID();
    const fields = { metadata: { b: "1", a: "ü" } };
    const [first, second] = [await create(key, fields), await create(key, fields)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(second.headers["service-request-id"]).not.toBe(first.headers["service-request-id"]);
    expect(await count()).toBe(before + 1);
  });

  test("may differ in order, spacing, encoding and security code", async () => {
    const key = randomUUID();
    const body = bodyWith({ description: "ü" }) as Record<string, unknown>;
    const first = await create(key, body);
    const reversed = Object.fromEntries(Object.entries(body).toReversed());
    const text = JSON.stringify(reversed, null, 2).replace("ü", "\\u00fc");
    expect((await create(key, {}, { body: text })).text).toBe(first.text);
    const other = { ...body, card: cardWith({ cvc: "987" }) };
    expect((await create(key, other)).text).toBe(first.text);
  });
});

describe("a key that was used for another request is refused", () => {
  test.each([
    ["another amount", { amount: 5000 }],
    ["another currency", { currency: "usd" }],
    ["another card", { card: cardWith({ number: "5555555555554444" }) }],
    ["another expiry", { card: cardWith({ exp_month: 11 }) }],
    ["a description", { description: "" }],
    ["other metadata", { metadata: { cvc: "987" } }],
  ])("with %s", async (_, fields) => {
    const key = randomUUID();
    expect((await create(key, { metadata: { cvc: "123" } })).status).toBe(201);
    const before = await count();
    expect(refusalOf(await create(key, { metadata: { cvc: "123" }, ...fields }))).toEqual(reused);
    expect(await count()).toBe(before);
  });

  test("with another path, though the body is the same", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const refund = async () => {
      const path = `/v1/payments/${idOf(await create(randomUUID()))}/refund`;
      return call({ method: "POST", path, headers });
    };
    expect((await refund()).status).toBe(200);
    expect(refusalOf(await refund())).toEqual(reused);
    expect(refusalOf(await create(headers["idempotency-key"]))).toEqual(reused);
    const hosted = { path: "/v1/payments/hpp", body: { amount: 1, currency: "eur" } };
    expect(refusalOf(await create(headers["idempotency-key"], {}, hosted))).toEqual(reused);
  });
});

test("an error is not stored: a refused body may be corrected under the same key", async () => {
  const key = randomUUID();
  expect(refusalOf(await create(key, { amount: 0 })).status).toBe(400);
  expect((await create(key)).status).toBe(201);
});

test.each(["k", "!", "~", "a,b", '"', "k".repeat(255)])("a key may be %s", async (key) => {
  expect((await create(key)).status).toBe(201);
});

test.each(["a\tb", "ü", "\u00a0", "\u007f"])("a key may not be %j", async (key) => {
  expect(refusalOf(await create(key))).toMatchObject({ status: 400, param: "Idempotency-Key" });
});
