import { afterAll, describe, expect, test } from "vitest";
import { payment, type Payment } from "../../../src/contract/payment.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, service, close } = await openApp();
afterAll(close);

async function create(fields: object = {}, key: "test" | "live" = "test"): Promise<Payment> {
  const answer = await call({ method: "POST", key, body: bodyWith(fields) });
  expect(answer.status).toBe(201);
  return payment.strict().parse(JSON.parse(answer.text));
}

async function retrieve(id: string, key: "test" | "live" = "test"): Promise<Payment> {
  const answer = await call({ path: `/v1/payments/${id}`, key });
  expect(answer.status).toBe(200);
  return payment.strict().parse(JSON.parse(answer.text));
}

describe("a created payment", () => {
  test("contains the fields of the request, the masked card, and its success", async () => {
    const created = await create({
      description: "Zwei Bücher 📚",
      customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
      metadata: { order_id: "7", "": undefined, ünicode: "💳" },
    });
    expect(created).toEqual({
      id: expect.stringMatching(/^pay_[a-zA-Z0-9-]+$/),
      object: "payment",
      amount: 4999,
      currency: "eur",
      status: "succeeded",
      description: "Zwei Bücher 📚",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order_id: "7", ünicode: "💳" },
      decline_code: null,
      decline_message: null,
      redirect_url: null,
      refunded_at: null,
      succeeded_at: created.created,
      failed_at: null,
      created: expect.any(Number),
      livemode: false,
    });
    expect(Math.abs(created.created - Date.now() / 1000)).toBeLessThan(60);
  });

  test("has the card holder's name if the customer has no name", async () => {
    const created = await create({ card: cardWith({ holder_name: "A. Lovelace" }) });
    expect(created.customer).toEqual({ email: "", name: "A. Lovelace" });
  });

  test("preserves a metadata key called __proto__", async () => {
    const body = JSON.stringify(bodyWith({})).replace(/}$/, ',"metadata":{"__proto__":"x"}}');
    const answer = await call({ method: "POST", body });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"metadata":{"__proto__":"x"}');
    const { id } = JSON.parse(answer.text) as Payment;
    const retrieved = await call({ path: `/v1/payments/${id}` });
    expect(retrieved.text).toContain('"metadata":{"__proto__":"x"}');
  });
});

test.each([
  ["4000000000000002", "generic_decline"],
  ["4000000000009995", "insufficient_funds"],
  ["4000000000000069", "expired_card"],
  ["4012888888881881", "test_mode_live_card"],
])("a payment with the card %s is pending at first, and then fails with %s", async (...row) => {
  const [number, code] = row;
  const created = await create({ card: cardWith({ number }) });
  expect(created).toMatchObject({ status: "pending", decline_code: null, failed_at: null });
  await service.settlePayments();
  const settled = await retrieve(created.id);
  expect(settled).toMatchObject({ status: "failed", decline_code: code, succeeded_at: null });
  expect(settled.decline_message).toMatch(/\.$/);
  expect(settled.failed_at).toBeGreaterThanOrEqual(settled.created);
});

describe("an id that is no payment of this mode", () => {
  test("gets the same error each time, except for the request id", async () => {
    const live = await create({}, "live");
    const ids = [
      live.id,
      "pay_01890000-0000-7000-8000-000000000000",
      "pay_",
      "pay_x_y",
      "payment",
      "",
      "%20",
      "a%2Fb",
      "4242424242424242",
      "__proto__",
      "..%2f..",
      `pay_${"9".repeat(15_000)}`,
    ];
    const texts = await Promise.all(
      ids.flatMap(async (id) => {
        const answer = await call({ path: `/v1/payments/${id}` });
        expect(refusalOf(answer)).toEqual({ status: 404, code: "resource_missing", param: "id" });
        const refund = await call({ method: "POST", path: `/v1/payments/${id}/refund` });
        expect(refusalOf(refund)).toEqual({ status: 404, code: "resource_missing", param: "id" });
        return [answer, refund].map(withoutRequestId);
      }),
    );
    expect(new Set(texts.flat()).size).toBe(1);
  });
});

function withoutRequestId(answer: { text: string; headers: Record<string, string> }): string {
  return answer.text.replace(answer.headers["service-request-id"] ?? "", "…");
}
