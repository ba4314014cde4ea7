import { describe, expect, test } from "vitest";
import { cardRequiringAction } from "../../testkit/network/stripe-account.ts";
import {
  failAfter,
  failBefore,
  secretKey,
  startStripeStandIn,
} from "../../testkit/network/stripe-stand-in.ts";

type Sent = { key?: string; secret?: string };

async function openStandIn() {
  const stripe = await startStripeStandIn();
  async function post(path: string, params: Record<string, string>, sent: Sent = {}) {
    const response = await fetch(`${stripe.url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${sent.secret ?? secretKey}`,
        ...(sent.key !== undefined && { "idempotency-key": sent.key }),
      },
      body: new URLSearchParams(params),
    });
    const body = (await response.json()) as { id?: string; status?: string; error?: object };
    const isOld = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, isOld, body };
  }
  const card = async (number: string) => {
    const { body } = await post("payment_methods", { type: "card", "card[number]": number });
    return body.id ?? "";
  };
  return { stripe, post, card };
}

const intent = { amount: "4999", currency: "eur" };

describe("the stand-in refuses what Stripe refuses:", () => {
  test.each([
    ["another key", intent, { secret: "sk_test_other" }, 401, {}],
    ["an unknown field", { ...intent, payment_method_types: "card" }, {}, 400, "parameter_unknown"],
    ["a field too few", { amount: "4999" }, {}, 400, "parameter_missing"],
    ["too little money", { ...intent, amount: "49" }, {}, 400, "amount_too_small"],
  ])("%s", async (_, params, sent, status, code) => {
    const { stripe, post } = await openStandIn();
    const refusal = await post("payment_intents", params, sent);
    expect(refusal.status).toBe(status);
    expect(refusal.body.error).toMatchObject(typeof code === "string" ? { code } : code);
    expect(stripe.account.intents.size).toBe(0);
  });

  test("what an intent's state does not allow", async () => {
    const { post, card } = await openStandIn();
    const { body } = await post("payment_intents", intent);
    const path = `payment_intents/${body.id}`;
    await post(`${path}/confirm`, { payment_method: await card("4242424242424242") });
    for (const step of ["confirm", "cancel"]) {
      const { status, body: refusal } = await post(`${path}/${step}`, {});
      expect(status).toBe(400);
      expect(refusal.error).toMatchObject({ code: "payment_intent_unexpected_state" });
    }
  });

  test("a second refund", async () => {
    const { post, card } = await openStandIn();
    const { body } = await post("payment_intents", intent);
    const refund = { payment_intent: body.id ?? "" };
    expect((await post("refunds", refund)).status).toBe(400);
    const method = { payment_method: await card("4242424242424242") };
    await post(`payment_intents/${body.id}/confirm`, method);
    expect((await post("refunds", refund)).body.status).toBe("succeeded");
    const second = await post("refunds", refund);
    expect(second.body.error).toMatchObject({ code: "charge_already_refunded" });
  });
});

describe("the stand-in remembers what Stripe remembers:", () => {
  test("an answer under its key, until the key is deleted", async () => {
    const { stripe, post } = await openStandIn();
    const first = await post("payment_intents", intent, { key: "k" });
    expect(first.isOld).toBe(false);
    expect(await post("payment_intents", intent, { key: "k" })).toEqual({ ...first, isOld: true });
    stripe.deleteKeys();
    expect((await post("payment_intents", intent, { key: "k" })).body.id).not.toBe(first.body.id);
  });

  test("the request of a key", async () => {
    const { post } = await openStandIn();
    await post("payment_intents", intent, { key: "k" });
    const other = await post("payment_intents", { ...intent, amount: "5000" }, { key: "k" });
    expect(other.status).toBe(400);
    expect(other.body.error).toMatchObject({ type: "idempotency_error" });
  });

  test("that a key is in use", async () => {
    const { stripe, post } = await openStandIn();
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    stripe.next("create", async (work) => {
      begun.resolve();
      await gate.promise;
      return work();
    });
    const first = post("payment_intents", intent, { key: "k" });
    await begun.promise;
    expect((await post("payment_intents", intent, { key: "k" })).status).toBe(409);
    gate.resolve();
    expect((await first).status).toBe(200);
  });

  test.each([failBefore, failAfter])("a failure (%#)", async (fault) => {
    const { stripe, post } = await openStandIn();
    stripe.next("create", fault);
    expect((await post("payment_intents", intent, { key: "k" })).status).toBe(500);
    const second = await post("payment_intents", intent, { key: "k" });
    expect([second.status, second.isOld]).toEqual([500, true]);
  });

  test("but no request that it refused at once", async () => {
    const { post } = await openStandIn();
    await post("payment_intents", { ...intent, amount: "1" }, { key: "k" });
    expect((await post("payment_intents", intent, { key: "k" })).status).toBe(200);
  });
});

test.each([
  ["4242424242424242", 200, "succeeded"],
  ["4000000000000002", 402, "requires_payment_method"],
  [cardRequiringAction, 200, "requires_action"],
])("the stand-in has Stripe's test cards: %s", async (number, status, becomes) => {
  const { stripe, post, card } = await openStandIn();
  const { body } = await post("payment_intents", intent);
  const method = { payment_method: await card(number) };
  expect((await post(`payment_intents/${body.id}/confirm`, method)).status).toBe(status);
  expect(stripe.account.intents.get(body.id ?? "")?.status).toBe(becomes);
});
