import { describe, expect, test } from "vitest";
import type { CreatePaymentBody, Payment } from "../../../src/contract/payment.ts";
import { testNetwork } from "../../../src/service/network/simulator.ts";
import { Unavailable } from "../../../src/contract/failures.ts";
import type { Authorization } from "../../../src/service/use-cases/ports.ts";
import { cardFates } from "../network/card-fates.ts";
import {
  bodyWith,
  cardWith,
  declined,
  openTestService,
  startMs,
  startSeconds,
} from "./open-test-service.ts";
import { parsedPayment } from "../store/contract/read.ts";

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

  test.each([null, undefined])("takes %s for an optional field as absent", async (absent) => {
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
    ["nothing", {}, null, ""],
    ["nothing", undefined, undefined, ""],
  ])("names the customer by %s: %o", async (_, customer, holder_name, name) => {
    const { pay, test: scope } = await openTestService();
    const payment = await pay(scope, bodyWith({ customer, card: cardWith({ holder_name }) }));
    expect(payment.customer.name).toBe(name);
  });

  test("gives back the largest amount and any text exactly", async () => {
    const { pay, service, test: scope } = await openTestService();
    const body = bodyWith({
      amount: Number.MAX_SAFE_INTEGER,
      description: `\u0001\r\n\ufeff\u2028 e\u0301${"😀".repeat(490)}`,
      metadata: { "'\";--": "$1 ?1 \\u0000", constructor: "c" },
    });
    const payment = await pay(scope, body);
    expect(payment).toMatchObject({ amount: body.amount, description: body.description });
    expect(payment.metadata).toEqual(body.metadata);
    expect(parsedPayment(await service.getPayment(scope, payment.id))).toEqual(payment);
  });

  test("keeps a metadata key called __proto__ in every answer", async () => {
    const { service, test: scope } = await openTestService();
    const sent = '{"__proto__":"kept","order":"7"}';
    const body = bodyWith({ metadata: JSON.parse(sent) as Record<string, string> });
    const request = { key: "k", fingerprint: "f" };
    const created = await service.createPayment(scope, body, request);
    const { id } = JSON.parse(created.body) as Payment;
    const replayed = await service.createPayment(scope, body, request);
    const got = await service.getPayment(scope, id);
    const { payments } = await service.listPayments(scope, {});
    for (const text of [created.body, replayed.body, got, payments.join()])
      expect(text).toContain(`"metadata":${sent}`);
  });

  test("refuses a number whose check digit is wrong, and keeps nothing", async () => {
    const { service, pay, test: scope } = await openTestService();
    const wrong = bodyWith({ card: cardWith({ number: "4242424242424241" }) });
    const request = { key: "k", fingerprint: "f" };
    const refusal = await service.createPayment(scope, wrong, request).catch((error) => error);
    expect(refusal).toMatchObject({ code: "parameter_invalid", param: "card[number]" });
    expect(refusal.message).not.toContain("4241");
    expect((await service.listPayments(scope, {})).payments).toEqual([]);
    expect(await pay(scope, bodyWith(), { key: "k", fingerprint: "g" })).toBeDefined();
  });
});

describe("what becomes of the card", () => {
  const modes = ["test", "live"] as const;
  const rows = modes.flatMap((mode) =>
    cardFates.map(({ card, number, exp_month, exp_year, [mode]: fate }) => {
      return { mode, card, fate, details: cardWith({ number, exp_month, exp_year }) };
    }),
  );

  test.each(rows)("in $mode mode, $card: $fate", async ({ mode, fate, details }) => {
    const { pay, settle, service, ...scopes } = await openTestService();
    const created = await pay(scopes[mode], bodyWith({ card: details }));
    await settle();
    const settled = parsedPayment(await service.getPayment(scopes[mode], created.id));
    const outcome = [created.status, settled.status, settled.decline_code];
    expect(outcome).toEqual(
      fate === "approved" ? ["succeeded", "succeeded", null] : ["pending", "failed", fate],
    );
  });
});

describe("the card network", () => {
  test("is asked with the card, the amount and the time", async () => {
    const { asked, networkOf } = recordingNetwork();
    const { pay, test: scope } = await openTestService({ networkOf });
    await pay(scope);
    const { card, amount, currency } = bodyWith();
    expect(asked).toMatchObject([{ card, amount, currency, atMs: startMs }]);
  });

  test("is asked under one name for one idempotency key, else under a new one each time", async () => {
    const { asked, networkOf } = recordingNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    networkOf.failures = 1;
    const request = { key: "k", fingerprint: "f" };
    await service.createPayment(scope, bodyWith(), request).catch(() => {});
    await service.createPayment(scope, bodyWith(), request);
    await service.createPayment(scope, bodyWith());
    await service.createPayment(scope, bodyWith());
    const [first, second, ...rest] = asked.map(({ idempotencyKey }) => idempotencyKey);
    expect(first).toBe(second);
    expect(new Set([first, ...rest]).size).toBe(3);
  });

  test("does not take another request under the same idempotency key for the same", async () => {
    const { asked, networkOf } = recordingNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    networkOf.failures = 2; // so that no answer is kept, as with two replicas that are asked at once
    for (const fingerprint of ["f", "g"])
      await service.createPayment(scope, bodyWith(), { key: "k", fingerprint }).catch(() => {});
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  test("that cannot be reached leaves no payment behind", async () => {
    const { networkOf } = recordingNetwork();
    networkOf.failures = 1;
    const { service, test: scope } = await openTestService({ networkOf });
    await expect(service.createPayment(scope, bodyWith())).rejects.toThrow(Unavailable);
    expect((await service.listPayments(scope, {})).payments).toEqual([]);
  });
});

/** The test network, remembering what it is asked; it cannot be reached the first `failures` times. */
function recordingNetwork() {
  const asked: Authorization[] = [];
  const network = testNetwork({ processingTimeMs: 0 });
  const networkOf = () => ({
    ...network,
    authorize: async (request: Authorization) => {
      asked.push(request);
      networkOf.failures -= 1;
      if (networkOf.failures >= 0) throw new Unavailable("The network cannot be reached.");
      return await network.authorize(request);
    },
  });
  networkOf.failures = 0;
  return { asked, networkOf };
}
