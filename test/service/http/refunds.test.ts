import { afterAll, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith, cardWith } from "../../testkit/create-payment-body.ts";
import { openApp, type Answer } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

const { call, service, close } = await openApp({ processingTimeMs: 0 });
afterAll(close);

async function created(fields: object = {}): Promise<Payment> {
  const answer = await call({ method: "POST", body: bodyWith(fields) });
  return JSON.parse(answer.text) as Payment;
}

async function refund(id: string, key: "test" | "live" = "test"): Promise<Answer> {
  return call({ method: "POST", path: `/v1/payments/${id}/refund`, key });
}

test("a succeeded payment is refunded, and keeps the time of its success", async () => {
  const payment = await created({ description: "Zwei Bücher" });
  const answer = await refund(payment.id);
  expect(answer.status).toBe(200);
  const refunded = JSON.parse(answer.text) as Payment;
  expect(refunded).toEqual({
    ...payment,
    status: "refunded",
    refunded_at: expect.any(Number),
  });
  expect(refunded.refunded_at).toBeGreaterThanOrEqual(payment.created);
  expect((await call({ path: `/v1/payments/${payment.id}` })).text).toBe(answer.text);
});

test("a refunded payment is not refunded again", async () => {
  const { id } = await created();
  const first = await refund(id);
  expect(refusalOf(await refund(id))).toEqual({
    status: 422,
    code: "payment_already_refunded",
    param: null,
  });
  expect((await call({ path: `/v1/payments/${id}` })).text).toBe(first.text);
});

test("of many refunds of one payment at once exactly one succeeds", async () => {
  const { id } = await created();
  const answers = await Promise.all(Array.from({ length: 20 }, async () => refund(id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
});

test("a payment that is pending or failed is not refunded, and stays as it is", async () => {
  const { id, status } = await created({ card: cardWith({ number: "4000000000000002" }) });
  expect(status).toBe("pending");
  const refusal = { status: 422, code: "payment_not_refundable", param: null };
  expect(refusalOf(await refund(id))).toEqual(refusal);
  await service.settlePayments();
  expect(refusalOf(await refund(id))).toEqual(refusal);
  const { text } = await call({ path: `/v1/payments/${id}` });
  expect(JSON.parse(text)).toMatchObject({ status: "failed", refunded_at: null });
});

test("a payment of test mode is not refunded with a live key", async () => {
  const payment = await created();
  expect(refusalOf(await refund(payment.id, "live"))).toMatchObject({ code: "resource_missing" });
  const { text } = await call({ path: `/v1/payments/${payment.id}` });
  expect(JSON.parse(text)).toEqual(payment);
});

test("a refund has no fields: partial ones are refused, and nothing is refunded", async () => {
  const { id } = await created();
  const path = `/v1/payments/${id}/refund`;
  const answer = await call({ method: "POST", path, body: { amount: 100 } });
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param: "amount" });
  const { text } = await call({ path: `/v1/payments/${id}` });
  expect(JSON.parse(text)).toMatchObject({ status: "succeeded" });
});
