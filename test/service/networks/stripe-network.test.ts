import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import type { CardNetwork, Charge } from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "../../testkit/network/fake-network.ts";
import {
  type Fault,
  answerWith,
  answers,
  dropRequest,
  failBefore,
  openStripe,
  prepareCharge,
  secretKey,
  startStripeStandIn,
} from "../../testkit/network/stripe-stand-in.ts";
import { endRefund, failure, refuseRequest } from "../../testkit/network/stripe-account.ts";
import { cardWithSlowRefunds } from "../../testkit/network/stripe-objects.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";

const hourMs = 60 * 60 * 1000;
const approved = { outcome: "approved", reference: expect.any(String) as unknown };
const canceled = { outcome: "canceled" };
const refunded = { outcome: "refunded", reference: expect.any(String) as unknown };
const processing = { outcome: "processing", retryAfterMs: expect.any(Number) as unknown };
const notFound = { outcome: "not_found" };
const unknown = { outcome: "unknown" };

const denied: Fault = () => failure(403, { type: "invalid_request_error" });
const disputed: Fault = () => refuseRequest("charge_disputed", "payment_intent");

async function makeCharge(network: CardNetwork, number = "4242424242424242"): Promise<Charge> {
  const charge = await prepareCharge(network);
  expect(await network.charge(charge, cardWith({ number }))).toEqual(approved);
  return charge;
}

describe("a card", () => {
  test.each([
    ["4000000000000002", { code: "generic_decline" }],
    ["4000000000009995", { code: "insufficient_funds" }],
    ["4000000000000069", { code: "expired_card" }],
    ["4000000000001000", { code: "authentication_required" }],
    ["4000000000009987", { code: "generic_decline", networkCode: "lost_card" }],
    ["4000000000000127", { code: "generic_decline", networkCode: "incorrect_cvc" }],
  ])("%s is declined, %j, also when it is looked up", async (number, decline) => {
    const { network } = await openStripe();
    const charge = await prepareCharge(network);
    const declined = { outcome: "declined", ...decline };
    expect(await network.charge(charge, cardWith({ number }))).toEqual(declined);
    expect(await network.lookUp(charge)).toEqual(declined);
  });

  test("with an invalid number is declined", async () => {
    const { network, intentOf } = await openStripe();
    const charge = await prepareCharge(network);
    expect(await network.charge(charge, cardWith({ number: "4242424242424241" }))).toEqual({
      outcome: "declined",
      code: "generic_decline",
      networkCode: "incorrect_number",
    });
    expect(await network.lookUp(charge)).toEqual(notFound);
    expect(intentOf(charge).status).toBe("requires_payment_method");
  });

  test("that could not be processed is not declined, but not charged either", async () => {
    const { network } = await openStripe();
    const charge = await prepareCharge(network);
    expect(await network.charge(charge, cardWith({ number: "4000000000000119" }))).toEqual({
      outcome: "unknown",
      reason: "HTTP 402, card_error, processing_error",
    });
    expect(await network.lookUp(charge)).toEqual(notFound);
    expect(await network.cancel(charge)).toEqual(canceled);
  });
});

test.each([400, 402])("where no card is accepted (%i), none is charged", async (status) => {
  const { network, stripe } = await openStripe();
  const charge = await prepareCharge(network);
  stripe.next("card", () => failure(status, { type: "invalid_request_error" }));
  const reason = `HTTP ${status}, invalid_request_error`;
  expect(await network.charge(charge, cardWith())).toMatchObject({ outcome: "unknown", reason });
  expect(await network.lookUp(charge)).toEqual(notFound);
});

test("where a request never arrives it is not repeated automatically", async () => {
  const { network, stripe, calls } = await openStripe();
  stripe.next("create", dropRequest);
  stripe.next("create", dropRequest);
  expect(await network.prepare?.(chargeWith())).toMatchObject(unknown);
  expect(calls()).toEqual(["create"]);
});

test("where an answer is late the charge and a concurrent one are unknown, and found later", async () => {
  const { network: hurried, stripe } = await openStripe({ timeoutMs: 1_000 });
  // Without the short timeout, since the machine may be busy.
  const network = createStripeNetwork({ secretKey, version: "1.2.3", baseUrl: stripe.url });
  onTestFinished(async () => network.close());
  const charge = await prepareCharge(network);
  const gate = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  stripe.next("confirm", async (work) => {
    await gate.promise;
    const reply = work();
    done.resolve();
    return reply;
  });
  const late = { outcome: "unknown", reason: "no answer within 1 s" };
  expect(await hurried.charge(charge, cardWith())).toEqual(late);
  expect(await hurried.charge(charge, cardWith())).toMatchObject(unknown);
  gate.resolve();
  await done.promise;
  await expect.poll(async () => network.lookUp(charge)).toEqual(approved);
  expect(stripe.requests.filter(({ operation }) => operation === "confirm")).toHaveLength(2);
});

describe("a charge without a reference", () => {
  const begunAtMs = Date.UTC(2026, 10, 15);

  test("is sent no card", async () => {
    const { network, calls } = await openStripe();
    expect(await network.charge(chargeWith(), cardWith())).toMatchObject({
      ...unknown,
      isUnsent: true,
    });
    expect(calls()).toEqual([]);
  });

  test("is created again with the same idempotency key for 20 hours", async () => {
    const { network, intentOf } = await openStripe({ nowMs: begunAtMs + 20 * hourMs });
    const charge = chargeWith({ begunAtMs });
    await network.prepare?.(charge);
    const { id } = intentOf(charge);
    expect(await network.lookUp(charge)).toEqual(notFound);
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(intentOf(charge)).toMatchObject({ id, status: "canceled" });
  });

  test.each([
    ["lookUp", notFound],
    ["cancel", canceled],
    ["refund", { outcome: "declined" }],
  ] as const)("is not created again after 20 hours (%s)", async (what, outcome) => {
    const { network, stripe, calls } = await openStripe({ nowMs: begunAtMs + 20 * hourMs + 1 });
    stripe.deleteKeys();
    expect(await network[what](chargeWith({ begunAtMs }))).toMatchObject(outcome);
    expect(calls()).toEqual([]);
  });

  test("that Stripe refuses to create is not found, and can be canceled", async () => {
    const { network } = await openStripe();
    const charge = chargeWith({ amount: 1 });
    expect(await network.prepare?.(charge)).toEqual({
      outcome: "unknown",
      reason: "HTTP 400, invalid_request_error, amount_too_small, amount",
      isInvalid: true,
    });
    expect(await network.lookUp(charge)).toEqual(notFound);
    expect(await network.cancel(charge)).toEqual(canceled);
  });

  test("is unknown while Stripe does not answer", async () => {
    const { network, stripe } = await openStripe();
    stripe.next("create", () => failure(429, { type: "invalid_request_error" }));
    expect(await network.lookUp(chargeWith())).toMatchObject(unknown);
    stripe.next("create", failBefore);
    expect(await network.cancel(chargeWith())).toMatchObject(unknown);
  });
});

describe("a refund", () => {
  test("that is pending stays so until it is made", async () => {
    const { network, intentOf, refundsOf } = await openStripe();
    const charge = await makeCharge(network, cardWithSlowRefunds);
    expect(await network.refund(charge)).toEqual(processing);
    expect(await network.refund(charge)).toEqual(processing);
    expect(await network.lookUp(charge)).toMatchObject(processing);
    endRefund(intentOf(charge), "succeeded");
    expect(await network.refund(charge)).toEqual(refunded);
    expect(refundsOf(charge)).toHaveLength(1);
  });

  test("that fails later is declined, and not made again", async () => {
    const { network, intentOf, refundsOf } = await openStripe();
    const charge = await makeCharge(network, cardWithSlowRefunds);
    await network.refund(charge);
    endRefund(intentOf(charge), "failed");
    const declined = { outcome: "declined", code: "generic_decline", networkCode: "refund_failed" };
    expect(await network.refund(charge)).toEqual(declined);
    expect(await network.lookUp(charge)).toEqual(approved);
    expect(refundsOf(charge)).toHaveLength(1);
  });

  test("of a canceled charge is made again where it fails later", async () => {
    const { network, intentOf, refundsOf } = await openStripe();
    const charge = await makeCharge(network, cardWithSlowRefunds);
    expect(await network.cancel(charge)).toEqual(processing);
    endRefund(intentOf(charge), "failed");
    expect(await network.cancel(charge)).toEqual(processing);
    endRefund(intentOf(charge), "succeeded");
    expect(await network.cancel(charge)).toEqual(canceled);
    expect(refundsOf(charge).map(({ status }) => status)).toEqual(["succeeded", "failed"]);
  });

  test("that Stripe refuses is declined, with Stripe's code", async () => {
    const { network, stripe } = await openStripe();
    const charge = await makeCharge(network);
    stripe.next("refund", disputed);
    expect(await network.refund(charge)).toEqual({
      outcome: "declined",
      code: "generic_decline",
      networkCode: "charge_disputed",
    });
    stripe.next("refund", disputed);
    expect(await network.cancel(charge)).toMatchObject(unknown);
  });

  test("is made once for concurrent requests", async () => {
    const { network, refundsOf } = await openStripe();
    const charge = await makeCharge(network);
    const all = [1, 2, 3].map(async () => network.refund(charge));
    const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
    expect(outcomes).toContain("refunded");
    expect(outcomes).not.toContain("declined");
    expect(await network.refund(charge)).toEqual(refunded);
    expect(refundsOf(charge)).toHaveLength(1);
  });
});

test("a refunded charge is not approved where it is sent again", async () => {
  const { network } = await openStripe();
  const charge = await makeCharge(network);
  await network.cancel(charge);
  expect(await network.charge(charge, cardWith())).toEqual({
    outcome: "unknown",
    reason: "the charge is canceled",
  });
});

test("a charge that is still being processed stays processing", async () => {
  const { network, intentOf } = await openStripe();
  const charge = await prepareCharge(network);
  intentOf(charge).status = "processing";
  const { reference } = charge;
  expect(await network.lookUp(charge)).toEqual({ ...processing, reference });
  expect(await network.cancel(charge)).toEqual(processing);
  expect(await network.refund(charge)).toEqual(processing);
});

const error = { error: { type: "api_error", message: "4242424242424242" } };
const noAnswers: [what: string, fault: Fault][] = [
  ["409", answers(409, error)],
  ["429", answers(429, error)],
  ["500", failBefore],
  ["500 with a decline", () => failure(500, { type: "card_error", code: "card_declined" })],
  ["503 without an error", answers(503, {})],
  ["502 with what was done", (work) => ({ ...work(), status: 502 })],
  ["502 with a page", answers(502, "<html>4242424242424242</html>")],
  ["a redirect", answers(307, {})],
  ["an error with 200", answers(200, error)],
  ["an error that is a word", answers(400, { error: "4242424242424242" })],
  ["a text", answers(200, '"4242424242424242"')],
  ["a number", answers(200, "4242424242424242")],
  ["null", answers(200, "null")],
  ["a list", answers(200, "[]")],
  ["no JSON", answers(200, '{"id":')],
  ["none", answers(200, "")],
  ["another object", answers(200, {})],
  ["an unknown status", answers(200, { object: "payment_intent", status: "new" })],
  ["more than an answer holds", answers(200, " ".repeat(1024 * 1024 + 1))],
];

describe.each(noAnswers)("where %s is answered", (_, fault) => {
  test("the outcome is unknown, and its reason repeats nothing of the answer", async () => {
    const { network, stripe } = await openStripe();
    const [open, full] = [await prepareCharge(network), await makeCharge(network)];
    const questions = [
      ["create", async () => network.prepare?.(chargeWith())],
      ["card", async () => network.charge(open, cardWith())],
      ["confirm", async () => network.charge(open, cardWith())],
      ["retrieve", async () => network.lookUp(open)],
      ["retrieve", async () => network.cancel(full)],
      ["retrieve", async () => network.refund(full)],
      ["cancel", async () => network.cancel(open)],
    ] as const;
    for (const [operation, question] of questions) {
      stripe.next(operation, fault);
      const outcome = await question();
      expect(outcome).toEqual({ outcome: "unknown", reason: expect.any(String) as unknown });
      expect(JSON.stringify(outcome)).not.toMatch(/4242|"987"/);
    }
  });
});

describe("an answer about another intent is unknown, and reported,", () => {
  const mismatched = { ...unknown, isMismatched: true };
  const others: [what: string, fields: object][] = [
    ["id", { id: "pi_another" }],
    ["amount", { amount: 4998 }],
    ["currency", { currency: "usd" }],
    ["payment", { metadata: { payment_id: `pay_${"0".repeat(36)}` } }],
    ["payment, which it does not name", { metadata: {} }],
  ];

  test.each(others)("with another %s", async (_, fields) => {
    const { network, stripe } = await openStripe();
    const [open, full] = [await prepareCharge(network), await makeCharge(network)];
    const questions = [
      ...("id" in fields ? [] : [["create", async () => network.prepare?.(chargeWith())] as const]),
      ["confirm", async () => network.charge(open, cardWith())],
      ["retrieve", async () => network.lookUp(full)],
      ["retrieve", async () => network.cancel(full)],
      ["retrieve", async () => network.refund(full)],
      ["cancel", async () => network.cancel(await prepareCharge(network))],
    ] as const;
    for (const [operation, question] of questions) {
      stripe.next(operation, answerWith(fields));
      expect(await question()).toMatchObject(mismatched);
    }
    expect(await network.lookUp(open)).toEqual(approved);
    expect(await network.lookUp(full)).toEqual(approved);
  });

  test.each(others.slice(0, 4))("with another %s, where a card is declined", async (_, fields) => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network);
    const payment_intent = { id: charge.reference, ...fields };
    const decline = { type: "card_error", code: "card_declined", payment_intent };
    stripe.next("confirm", answers(402, { error: decline }));
    expect(await network.charge(charge, cardWith())).toMatchObject(mismatched);
  });

  test.each([
    ["intent", { payment_intent: "pi_another" }],
    ["currency", { currency: "usd" }],
    ["amount, above the charge's", { amount: 5000 }],
  ])("of a refund with another %s", async (_, fields) => {
    const { network, stripe } = await openStripe();
    for (const question of ["refund", "cancel"] as const) {
      const charge = await makeCharge(network);
      stripe.next("refund", answerWith(fields));
      expect(await network[question](charge)).toMatchObject(mismatched);
      expect(await network.lookUp(charge)).toEqual(canceled); // it was made all the same
    }
  });

  test("of a refund that is refused", async () => {
    const { network, stripe } = await openStripe();
    const charge = await makeCharge(network);
    const refusal = { type: "invalid_request_error", payment_intent: { id: "pi_another" } };
    stripe.next("refund", answers(400, { error: refusal }));
    expect(await network.refund(charge)).toMatchObject(mismatched);
  });
});

describe("a card number that Stripe sends", () => {
  const hidden = "4242\u00a04242\u00a04242\u00a04242"; // not as such texts are masked elsewhere

  test.each(["pi_4242424242424242", hidden])("is no id of an intent: %s", async (id) => {
    const { network, stripe } = await openStripe();
    stripe.next("create", answerWith({ id }));
    const outcome = await network.prepare?.(chargeWith());
    expect(outcome).toMatchObject(unknown);
    expect(JSON.stringify(outcome)).not.toMatch(/4242/);
  });

  test("is masked in the id of a refund", async () => {
    const { network, stripe } = await openStripe();
    const charge = await makeCharge(network);
    stripe.next("refund", answerWith({ id: `re-${hidden}` }));
    expect(await network.refund(charge)).toEqual({
      outcome: "refunded",
      reference: "re-…",
      isMasked: true,
    });
  });

  test("is masked in the code of a decline", async () => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network);
    stripe.next("confirm", () => failure(402, { type: "card_error", decline_code: hidden }));
    expect(await network.charge(charge, cardWith())).toEqual({
      outcome: "declined",
      code: "generic_decline",
      networkCode: "…",
      isMasked: true,
    });
  });

  test("is masked in the words of a failure", async () => {
    const { network, stripe } = await openStripe();
    const charge = await prepareCharge(network);
    stripe.next("confirm", () => refuseRequest(hidden, hidden));
    const outcome = await network.charge(charge, cardWith());
    expect(outcome).toMatchObject(unknown);
    expect(JSON.stringify(outcome)).not.toMatch(/4242/);
  });
});

test.each([
  ["another key", 401],
  ["a key without the right", 403],
])("%s is reported as refused", async (_, status) => {
  const { network, stripe } = await openStripe(status === 401 ? { key: "sk_test_other" } : {});
  const charge = chargeWith({ reference: "pi_1" });
  for (const operation of ["create", "card", "retrieve"] as const) stripe.next(operation, denied);
  const reason = `HTTP ${status}, invalid_request_error`;
  const refusal = { outcome: "unknown", reason, isRefused: true };
  expect(await network.prepare?.(charge)).toEqual(refusal);
  expect(await network.charge(charge, cardWith())).toEqual(refusal);
  expect(await network.lookUp(charge)).toEqual(refusal);
});

test("an intent that Stripe does not find is unknown, since the key may be another account's", async () => {
  const { network } = await openStripe();
  expect(await network.lookUp(chargeWith({ reference: "pi_1" }))).toEqual({
    outcome: "unknown",
    reason: "HTTP 404, invalid_request_error, resource_missing, intent",
  });
});

describe("what is sent", () => {
  test("has an idempotency key that begins with the payment's id", async () => {
    const { network, stripe } = await openStripe();
    const [full, open] = [await makeCharge(network), await prepareCharge(network)];
    await network.refund(full);
    await network.cancel(open);
    const posts = stripe.requests.filter(({ operation }) => operation !== "retrieve");
    expect(new Set(posts.map(({ operation }) => operation)).size).toBe(5);
    const ids = [full.id, open.id];
    for (const { headers } of posts) {
      const key = String(headers["idempotency-key"]);
      expect(ids.some((id) => key.startsWith(`${id}/`))).toBe(true);
    }
  });

  test("names the payment and Stripe's version, and nothing of this machine", async () => {
    const { network, stripe } = await openStripe();
    const { id } = await makeCharge(network);
    const [create] = stripe.requests;
    expect(create?.params).toEqual({
      amount: "4999",
      currency: "eur",
      "allowed_payment_method_types[0]": "card",
      "metadata[payment_id]": id,
    });
    for (const { headers } of stripe.requests) {
      expect(headers["stripe-version"]).toMatch(/^\d{4}-\d\d-\d\d\.\w+$/);
      expect(headers["user-agent"]).toMatch(/ payments\/1\.2\.3$/);
      expect(headers["x-stripe-client-telemetry"]).toBeUndefined();
      expect(headers["x-stripe-client-user-agent"]).not.toMatch(/platform|telemetry/);
    }
  });

  test("holds the card only where a payment method is created", async () => {
    const { network, stripe } = await openStripe();
    const customer = { email: "ada@example.com", name: "Ada" };
    const charge = await prepareCharge(network, { customer, description: "Order 1" });
    await network.charge(charge, cardWith({ holder_name: "Ada Lovelace" }));
    await network.cancel(charge);
    const [create] = stripe.requests;
    expect(create?.params).toMatchObject({ description: "Order 1" });
    const withCard = stripe.requests.filter((request) =>
      /4242|"987"/.test(JSON.stringify(request.params)),
    );
    expect(withCard.map(({ params }) => params)).toEqual([
      {
        type: "card",
        "card[number]": "4242424242424242",
        "card[exp_month]": "12",
        "card[exp_year]": "2040",
        "card[cvc]": "987",
        "billing_details[name]": "Ada Lovelace",
      },
    ]);
  });
});

test("Stripe's notices are not written to the terminal", async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const { network } = await openStripe();
  await makeCharge(network);
  await setImmediate();
  expect(warnings).toEqual([]);
});

async function openForPromises() {
  const { url } = await startStripeStandIn();
  const network = createStripeNetwork({ secretKey, version: "1.2.3", baseUrl: url });
  openUntilFileEnds(async () => network.close());
  return network;
}

describe("at Stripe's stand-in", () => {
  testDecisions(openForPromises);
  testStoredCharges(openForPromises);
});
