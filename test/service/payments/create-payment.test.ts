import { describe, expect, test, vi } from "vitest";
import type { CreatePaymentBody, Payment } from "../../../src/contract/payment.ts";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import {
  bodyWith,
  cardWith,
  declined,
  openTestService,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";
import { parsePayment } from "../../testkit/database/records.ts";

describe("creating a payment", () => {
  test("answers 201 with the whole payment", async () => {
    const { service, test: scope } = await openTestService();
    const body = bodyWith({
      customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
      description: "Two books",
      metadata: { order: "7" },
    });
    const answer = await service.createPayment(scope, body);
    expect(answer).toMatchObject({ status: 201, replayed: false });
    expect(JSON.parse(answer.body)).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-f-]{36}$/),
      object: "payment",
      amount: 4999,
      currency: "eur",
      status: "succeeded",
      description: "Two books",
      card: { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" },
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order: "7" },
      decline_code: null,
      decline_message: null,
      redirect_url: null,
      refunded_at: null,
      succeeded_at: startSeconds,
      failed_at: null,
      created: startSeconds,
      livemode: false,
    });
  });

  test("answers a payment that will be declined as pending, without an outcome yet", async () => {
    const { pay, live } = await openTestService();
    expect(await pay(live, declined)).toMatchObject({
      status: "pending",
      livemode: true,
      decline_code: null,
      decline_message: null,
      succeeded_at: null,
      failed_at: null,
    });
  });

  test.each([null, undefined])("treats %s in an optional field as absent", async (absent) => {
    const { pay, test: scope } = await openTestService();
    const body = { ...bodyWith(), customer: absent, description: absent, metadata: absent };
    expect(await pay(scope, body as CreatePaymentBody)).toMatchObject({
      customer: { email: "", name: "" },
      description: null,
      metadata: {},
    });
  });

  test.each([
    ["first and last name", { first_name: "Ada", last_name: "Lovelace" }, "A. L.", "Ada Lovelace"],
    ["the first name alone", { first_name: "Ada" }, "A. L.", "Ada"],
    ["the last name alone", { last_name: "Lovelace" }, "A. L.", "Lovelace"],
    ["the card's holder", { email: "ada@example.com" }, "A. L.", "A. L."],
    ["the card's holder", { first_name: "", last_name: null }, "A. L.", "A. L."],
    ["the card's holder", null, "A. L.", "A. L."],
    ["none", {}, null, ""],
    ["none", undefined, undefined, ""],
  ])("names the customer by %s: %o", async (_, customer, holder_name, name) => {
    const { pay, test: scope } = await openTestService();
    const payment = await pay(scope, bodyWith({ customer, card: cardWith({ holder_name }) }));
    expect(payment.customer.name).toBe(name);
  });

  test("returns the largest amount and any text exactly", async () => {
    const { pay, service, test: scope } = await openTestService();
    const body = bodyWith({
      amount: Number.MAX_SAFE_INTEGER,
      description: `\u0001\r\n\ufeff\u2028 e\u0301${"😀".repeat(490)}`,
      metadata: { "'\";--": "$1 ?1 \\u0000", constructor: "c" },
    });
    const payment = await pay(scope, body);
    expect(payment).toMatchObject({ amount: body.amount, description: body.description });
    expect(payment.metadata).toEqual(body.metadata);
    expect(parsePayment(await service.getPayment(scope, payment.id))).toEqual(payment);
  });

  test("returns a metadata key called __proto__ in every response", async () => {
    const { service, test: scope } = await openTestService();
    const sent = '{"__proto__":"kept","order":"7"}';
    const body = bodyWith({ metadata: JSON.parse(sent) as Record<string, string> });
    const request = { key: "k", fingerprint: "f" };
    const created = await service.createPayment(scope, body, request);
    const { id } = JSON.parse(created.body) as Payment;
    const replayed = await service.createPayment(scope, body, request);
    const found = await service.getPayment(scope, id);
    const { items: payments } = await service.listPayments(scope, {});
    for (const text of [created.body, replayed.body, found, payments.join()])
      expect(text).toContain(`"metadata":${sent}`);
  });

  test("refuses a number whose check digit is wrong, and stores nothing", async () => {
    const { service, pay, test: scope } = await openTestService();
    const wrong = bodyWith({ card: cardWith({ number: "4242424242424241" }) });
    const request = { key: "k", fingerprint: "f" };
    const refusal = await service.createPayment(scope, wrong, request).catch((error) => error);
    expect(refusal).toMatchObject({ code: "parameter_invalid", param: "card[number]" });
    expect(refusal.message).not.toContain("4241");
    expect((await service.listPayments(scope, {})).items).toEqual([]);
    expect(await pay(scope, bodyWith(), { key: "k", fingerprint: "g" })).toBeDefined();
  });
});

describe("the card network", () => {
  test("of test mode gets the card, the amount and the time", async () => {
    const network = createTestNetwork({ processingTimeMs: 0 });
    const calls = vi.spyOn(network, "charge");
    const { pay, test: scope } = await openTestService({ networkOf: () => network });
    await pay(scope);
    const { card, amount, currency } = bodyWith();
    const charge = expect.objectContaining({ amount, currency, begunAtMs: startMs });
    expect(calls).toHaveBeenCalledExactlyOnceWith(charge, card);
  });

  test("gets the payment's id and details", async () => {
    const { calls, networkOf } = fakeNetwork();
    const { pay, live } = await openTestService({ networkOf });
    const customer = { email: "ada@example.com", first_name: "Ada" };
    const { card, ...body } = bodyWith({ customer, description: "Two books" });
    const { id } = await pay(live, { ...body, card });
    const charge = {
      id,
      accountId: live.accountId,
      amount: body.amount,
      currency: body.currency,
      description: "Two books",
      customer: { email: "ada@example.com", name: "Ada" },
      returnUrl: null,
      reference: null,
      last4: "4242",
      begunAtMs: startMs,
    };
    expect(calls).toEqual([["charge", charge, card]]);
  });
});
