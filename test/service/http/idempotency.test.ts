import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import type { PaymentList } from "../../../src/contract/list-object.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp, openAppForTest, type Answer, type Call } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, service, close } = await openApp();
afterAll(close);

const reused = { status: 409, code: "idempotency_key_reused", param: null };

async function create(key: string, fields: object = {}, rest: Call = {}): Promise<Answer> {
  const headers = { "idempotency-key": key };
  return call({ method: "POST", headers, body: bodyWith(fields), ...rest });
}

async function count(key: "test" | "live" = "test"): Promise<number> {
  const { text } = await call({ path: "/v1/payments?limit=100", key });
  return (JSON.parse(text) as PaymentList).data.length;
}

function idOf(answer: Answer): string {
  return (JSON.parse(answer.text) as Payment).id;
}

describe("a request that is sent again with its key", () => {
  test("is answered byte for byte as it was first, and done once", async () => {
    const before = await count();
    const key = randomUUID();
    const first = await create(key, { metadata: { b: "1", a: "ü" } });
    const second = await create(key, { metadata: { b: "1", a: "ü" } });
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(first.headers["idempotent-replayed"]).toBeUndefined();
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(second.headers["service-request-id"]).not.toBe(first.headers["service-request-id"]);
    expect(await count()).toBe(before + 1);
  });

  test("is answered as it was first even if the payment has changed since", async () => {
    const key = randomUUID();
    const first = await create(key, { card: cardWith({ number: "4000000000000002" }) });
    await service.settlePayments();
    const second = await create(key, { card: cardWith({ number: "4000000000000002" }) });
    expect(second.text).toBe(first.text);
    expect(JSON.parse(second.text)).toMatchObject({ status: "pending" });
  });

  test("is the same request with its fields in another order, spaced or encoded otherwise", async () => {
    const key = randomUUID();
    const headers = { "idempotency-key": key };
    const body = bodyWith({ description: "ü" }) as Record<string, unknown>;
    const first = await call({ method: "POST", headers, body });
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    const text = JSON.stringify(turned, null, 2).replace("ü", "\\u00fc");
    const second = await call({ method: "POST", headers, body: text });
    expect(second.text).toBe(first.text);
  });

  test("is the same request with another security code, which is not compared", async () => {
    const key = randomUUID();
    const first = await create(key, { card: cardWith({ cvc: "123" }) });
    const second = await create(key, { card: cardWith({ cvc: "987" }) });
    expect(second.text).toBe(first.text);
  });

  test("is done once when sent many times at once", async () => {
    const before = await count();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => create(key)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const replays = answers.filter(({ headers }) => headers["idempotent-replayed"] === "true");
    expect(replays).toHaveLength(19);
    expect(await count()).toBe(before + 1);
  });

  test("is a refund answered 200 again, and not 422", async () => {
    const path = `/v1/payments/${idOf(await create(randomUUID()))}/refund`;
    const headers = { "idempotency-key": randomUUID() };
    const first = await call({ method: "POST", path, headers });
    const second = await call({ method: "POST", path, headers, body: {} });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    const other = { "idempotency-key": randomUUID() };
    expect(refusalOf(await call({ method: "POST", path, headers: other })).status).toBe(422);
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
  });
});

describe("an answer that is no success is not kept:", () => {
  test("a refused body may be mended under the same key", async () => {
    const key = randomUUID();
    expect(refusalOf(await create(key, { amount: 0 })).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });

  test("a refund that came too early may be sent again", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const refund = { method: "POST", path: "/v1/payments/pay_none/refund", headers };
    expect(refusalOf(await call(refund)).status).toBe(404);
    expect((await create(headers["idempotency-key"])).status).toBe(201);
  });

  test("a fault of the network is not repeated", async () => {
    let isBroken = true;
    const broken = await openAppForTest({
      network: (real) => ({
        ...real,
        charge: async (...asked) => {
          if (isBroken) throw new Error("the network broke");
          return real.charge(...asked);
        },
      }),
    });
    const request = { method: "POST", headers: { "idempotency-key": "k" }, body: bodyWith({}) };
    expect((await broken.call(request)).status).toBe(500);
    isBroken = false;
    const second = await broken.call(request);
    expect(second.status).toBe(201);
    expect(second.headers["idempotent-replayed"]).toBeUndefined();
  });
});

test("the same key in test and live mode is two keys", async () => {
  const key = randomUUID();
  const inTest = await create(key);
  const inLive = await create(key, {}, { key: "live" });
  expect([inTest.status, inLive.status]).toEqual([201, 201]);
  expect(inLive.headers["idempotent-replayed"]).toBeUndefined();
  expect(idOf(inLive)).not.toBe(idOf(inTest));
});

test("a key outlives the API key it was used with", async () => {
  const key = randomUUID();
  const first = await create(key);
  const other = await service.createKey({ mode: "test", name: "another" });
  const headers = { "idempotency-key": key, authorization: `Bearer ${other.key}` };
  const second = await call({ method: "POST", key: null, headers, body: bodyWith({}) });
  expect(second.text).toBe(first.text);
});

describe("an idempotency key", () => {
  test.each(["k", "!", "~", "a,b", '"', "k".repeat(255)])("may be %s", async (key) => {
    expect((await create(key)).status).toBe(201);
  });

  test.each(["", "a b", "a\tb", "k".repeat(256), "ü", "\u00a0", "\u007f"])(
    "may not be %j",
    async (key) => {
      const before = await count();
      expect(refusalOf(await create(key))).toEqual({
        status: 400,
        code: "parameter_invalid",
        param: "Idempotency-Key",
      });
      expect(await count()).toBe(before);
    },
  );

  test("has no effect on a GET, whatever it is", async () => {
    const key = randomUUID();
    const first = await create(key);
    for (const value of [key, "", "a b", "k".repeat(256)]) {
      const headers = { "idempotency-key": value };
      const answer = await call({ path: `/v1/payments/${idOf(first)}`, headers });
      expect(answer.status).toBe(200);
      expect(answer.headers["idempotent-replayed"]).toBeUndefined();
    }
  });
});
