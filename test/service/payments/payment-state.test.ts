import { describe, expect, expectTypeOf, test } from "vitest";
import type { Card } from "../../../src/contract/payment.ts";
import { declineCodes } from "../../../src/contract/field-values.ts";
import {
  beginPayment,
  cancel,
  draftPayment,
  expirePayment,
  failPayment,
  refund,
  succeedPayment,
  takeCard,
  type Draft,
  type FailedPayment,
  type Payment,
  type PendingPayment,
  type RefundedPayment,
  type SucceededPayment,
} from "../../../src/service/payments/payment-state.ts";

const card: Card = { brand: "visa", last4: "4242", exp_month: 12, exp_year: 2030, country: "US" };
const draft: Draft = {
  id: "pay_01999999-0000-7000-8000-000000000001",
  amount: 4999,
  currency: "eur",
  description: "Two books",
  card,
  customer: { email: "ada@example.com", name: "Ada Lovelace" },
  metadata: { order: "7" },
  redirect_url: null,
  created: 1000,
  livemode: false,
};
const pending = beginPayment(draft);
const succeeded = succeedPayment(pending, card, 1010);
const failed = failPayment(pending, "generic_decline", 1010);
const refunded = {
  ...succeeded,
  status: "refunded",
  refunded_at: 1020,
} as const satisfies RefundedPayment;

describe("given a draft, a payment begins", () => {
  test("pending, with all that the draft says and no outcome", () => {
    expect(pending).toEqual({
      ...draft,
      object: "payment",
      status: "pending",
      decline_code: null,
      decline_message: null,
      succeeded_at: null,
      failed_at: null,
      refunded_at: null,
    });
  });

  test("with its fields in the order in which the specification lists them", () => {
    expect(Object.keys(pending)).toEqual([
      "id",
      "object",
      "amount",
      "currency",
      "status",
      "description",
      "card",
      "customer",
      "metadata",
      "decline_code",
      "decline_message",
      "redirect_url",
      "refunded_at",
      "succeeded_at",
      "failed_at",
      "created",
      "livemode",
    ]);
  });
});

describe("given a pending payment", () => {
  test("when it is approved, then it succeeded and nothing else changes", () => {
    expect(succeedPayment(pending, card, 1010)).toEqual({
      ...pending,
      status: "succeeded",
      succeeded_at: 1010,
    });
  });

  test("when it is approved with a card, then it shows that card", () => {
    const hosted = beginPayment({
      ...draft,
      card: null,
      redirect_url: "https://pay.example/pay/t",
    });
    expect(succeedPayment(hosted, card, 1010).card).toEqual(card);
  });

  test.each(declineCodes)("when it is declined with %s, then it failed and says why", (code) => {
    expect(failPayment(pending, code, 1010)).toEqual({
      ...pending,
      status: "failed",
      decline_code: code,
      decline_message: expect.stringMatching(/^[A-Z].+\.$/),
      failed_at: 1010,
    });
  });

  test("when the clock was set back, then it ends no sooner than it was created", () => {
    expect(succeedPayment(pending, card, 999).succeeded_at).toBe(1000);
    expect(failPayment(pending, "expired_card", 999).failed_at).toBe(1000);
  });
});

describe("given a payment on a page that waits for its customer", () => {
  const unpaid = beginPayment({
    ...draft,
    card: null,
    customer: { email: "ada@example.com", name: "" },
  });

  test("when a card is given, then it stays pending and shows the card", () => {
    expect(takeCard(unpaid, card, "A. Lovelace")).toEqual({
      ...unpaid,
      card,
      customer: { email: "ada@example.com", name: "A. Lovelace" },
    });
  });

  test("when a card is given, then a name that was known already stays", () => {
    const named = beginPayment({ ...draft, card: null });
    expect(takeCard(named, card, "A. L.")).toEqual({ ...named, card });
  });

  test("when its customer cancels, then it failed as canceled", () => {
    expect(cancel(unpaid, "customer_canceled", 1010)).toEqual(
      failPayment(unpaid, "customer_canceled", 1010),
    );
  });

  test("when it expires, then it failed as expired", () => {
    expect(expirePayment(unpaid, 1010)).toEqual(failPayment(unpaid, "hpp_expired", 1010));
  });
});

describe("given a payment on a page whose card is being processed for too long", () => {
  test("when another card is given, then it is refused", () => {
    expect(takeCard(pending, card, "")).toBe("payment_being_processed");
  });

  test("when its customer cancels, then it failed as canceled and shows the card", () => {
    expect(cancel(pending, "customer_canceled", 1010)).toEqual(
      failPayment(pending, "customer_canceled", 1010),
    );
  });

  test("when it expires, then it failed as expired and shows the card", () => {
    expect(expirePayment(pending, 1010)).toEqual(failPayment(pending, "hpp_expired", 1010));
  });
});

describe("a card, a cancellation or an expiry", () => {
  const moves = [
    ["a card", (payment: Payment) => takeCard(payment, card, "")],
    ["a cancellation", (payment: Payment) => cancel(payment, "canceled", 1030)],
    ["an expiry", (payment: Payment) => expirePayment(payment, 1030)],
  ] as const;

  test.each(moves)("(%s) is refused on a payment that has ended", (_, move) => {
    for (const payment of [succeeded, failed, refunded])
      expect(move(payment)).toBe("payment_has_ended");
  });
});

describe("given a succeeded payment", () => {
  test("when it is refunded, then it is refunded and still says when it succeeded", () => {
    expect(refund(succeeded, 1020)).toEqual({
      ...succeeded,
      status: "refunded",
      succeeded_at: 1010,
      refunded_at: 1020,
    });
  });

  test("when the clock was set back, then it is refunded no sooner than it succeeded", () => {
    expect(refund(succeeded, 1005)).toMatchObject({ succeeded_at: 1010, refunded_at: 1010 });
  });
});

test.each([
  { given: pending, refusal: "payment_not_refundable" },
  { given: failed, refusal: "payment_not_refundable" },
  { given: refunded, refusal: "payment_already_refunded" },
])("a refund of a $given.status payment is refused as $refusal", ({ given, refusal }) => {
  expect(refund(given, 1030)).toBe(refusal);
});

test("no transition changes the payment it is given", () => {
  const before = structuredClone([pending, succeeded]);
  succeedPayment(pending, card, 1010);
  failPayment(pending, "generic_decline", 1010);
  refund(succeeded, 1020);
  expect([pending, succeeded]).toEqual(before);
});

test("the compiler lets only a pending payment succeed or fail", () => {
  expectTypeOf<Parameters<typeof succeedPayment>[0]>().toEqualTypeOf<PendingPayment>();
  expectTypeOf<Parameters<typeof failPayment>[0]>().toEqualTypeOf<PendingPayment>();
  expectTypeOf<SucceededPayment>().not.toExtend<PendingPayment>();
  expectTypeOf<FailedPayment>().not.toExtend<PendingPayment>();
  expectTypeOf<RefundedPayment>().not.toExtend<PendingPayment>();
});

const withoutCard = { card: null, redirect_url: null, livemode: false };

test.each([
  [{ email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" }, "Ada Lovelace"],
  [{ email: "ada@example.com", first_name: "", last_name: null }, "A. L."],
  [{ email: "ada@example.com" }, "A. L."],
])("a customer given as %j is named %s", (customer, name) => {
  const details = draftPayment({ amount: 1, currency: "eur", customer }, withoutCard, "A. L.");
  expect(details.customer).toEqual({ email: "ada@example.com", name });
});

test.each([null, undefined])("without a customer (%s) both strings are there", (absent) => {
  const request = { amount: 1, currency: "eur", customer: absent } as const;
  const details = draftPayment(request, withoutCard, absent);
  expect(details.customer).toEqual({ email: "", name: "" });
});
