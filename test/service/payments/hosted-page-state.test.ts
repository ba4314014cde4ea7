import { describe, expect, test } from "vitest";
import {
  getPageState,
  toReturnUrl,
  type HostedPage,
} from "../../../src/service/payments/hosted-page-state.ts";
import { failPayment, type PendingPayment } from "../../../src/service/payments/payment-state.ts";
import { card, paymentIn } from "../../testkit/database/records.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const unpaid = paymentIn("pending", nowMs, { card: null }) as PendingPayment;
const processing = paymentIn("pending", nowMs, { card });

function pageWith(fields: Partial<HostedPage> = {}): HostedPage {
  const expiresAtMs = nowMs + hourMs;
  const page = { token: "t", returnUrl: null, expiresAtMs, openUntilMs: expiresAtMs };
  const notChallenged = { challengeUrl: null, challengedAtMs: null, askedAtMs: null };
  return { ...page, claimedUntilMs: 0, ...notChallenged, ...fields };
}
const closed = pageWith({ openUntilMs: null });

test.each([
  ["is open until its expiry", nowMs + 1, 0, "open"],
  ["is expired from its expiry on", nowMs, 0, "expired"],
  ["is being processed while it is claimed", nowMs + 1, nowMs + 1, "processing"],
  ["is being processed while it is claimed, also after its expiry", nowMs, nowMs + 1, "processing"],
  ["is open again when the claim has run out", nowMs + 1, nowMs, "open"],
])("a page that is not paid yet %s", (_, openUntilMs, claimedUntilMs, state) => {
  expect(getPageState(unpaid, pageWith({ openUntilMs, claimedUntilMs }), nowMs)).toBe(state);
});

test.each([
  ["is being processed while it is claimed", nowMs + 1, nowMs + 1, "processing"],
  ["is overdue once the claim has run out", nowMs + 1, nowMs, "overdue"],
  ["is overdue also after its expiry, until its payment has ended", nowMs, nowMs, "overdue"],
])("an open page of a payment with a card %s", (_, openUntilMs, claimedUntilMs, state) => {
  expect(getPageState(processing, pageWith({ openUntilMs, claimedUntilMs }), nowMs)).toBe(state);
});

describe("a page whose customer is asked by the bank", () => {
  const challenge = { challengeUrl: "https://bank.example/1", challengedAtMs: nowMs };
  test.each([
    ["is at the bank until its expiry", nowMs + 1, 0, "at_bank"],
    ["is expired from its expiry on", nowMs, 0, "expired"],
    ["is being processed while it is claimed", nowMs + 1, nowMs + 1, "processing"],
  ])("%s", (_, openUntilMs, claimedUntilMs, state) => {
    const page = pageWith({ openUntilMs, claimedUntilMs, ...challenge });
    expect(getPageState(processing, page, nowMs)).toBe(state);
  });
});

describe("a page that was closed shows", () => {
  test.each([
    ["that a card is being processed", processing, "processing"],
    ["a succeeded payment as paid", paymentIn("succeeded", nowMs), "paid"],
    ["a refunded payment as paid", paymentIn("refunded", nowMs), "paid"],
    ["a declined card", paymentIn("failed", nowMs), "declined"],
    ["that its customer canceled", failPayment(unpaid, "customer_canceled", 1), "canceled"],
    ["that it has expired", failPayment(unpaid, "hpp_expired", 1), "expired"],
  ] as const)("%s", (_, payment, state) => {
    expect(getPageState(payment, closed, nowMs)).toBe(state);
  });

  test.each(["succeeded", "refunded", "failed"] as const)(
    "the outcome of a %s payment for a day after its expiry, then nothing",
    (status) => {
      const payment = paymentIn(status, nowMs);
      const goneAtMs = closed.expiresAtMs + dayMs;
      expect(getPageState(payment, closed, goneAtMs - 1)).not.toBe("gone");
      expect(getPageState(payment, closed, goneAtMs)).toBe("gone");
    },
  );
});

describe("the return address of a customer", () => {
  const payment = paymentIn("succeeded", nowMs);
  const query = `payment_id=${payment.id}&status=succeeded`;

  test.each([
    ["https://shop.example/", `https://shop.example/?${query}`],
    ["https://shop.example/thanks?", `https://shop.example/thanks?${query}`],
    [
      "https://shop.example/?a=b%20c&d+e&f=%2526",
      `https://shop.example/?a=b%20c&d+e&f=%2526&${query}`,
    ],
    ["https://shop.example/?a=1#top", `https://shop.example/?a=1&${query}#top`],
    ["https://shop.example/#?status=x", `https://shop.example/?${query}#?status=x`],
    ["https://shop.example/?status=paid&a=1&status=x", `https://shop.example/?a=1&${query}`],
    ["https://shop.example/?payment_id=pay_other", `https://shop.example/?${query}`],
    ["https://shop.example/?st%61tus=x&payment%5fid", `https://shop.example/?${query}`],
    [
      "https://shop.example/?my_status=x&status[]=y",
      `https://shop.example/?my_status=x&status[]=y&${query}`,
    ],
    ["https://shop.example/?&&a=1", `https://shop.example/?a=1&${query}`],
    ["https://shop.example/?a=%zz", `https://shop.example/?a=%zz&${query}`],
  ])(
    "for %s has the payment's id and status added, and the rest unchanged",
    (returnUrl, address) => {
      expect(toReturnUrl(returnUrl, payment)).toBe(address);
    },
  );

  test("has the payment's status", () => {
    const address = toReturnUrl("https://shop.example/", processing);
    expect(address).toBe(`https://shop.example/?payment_id=${processing.id}&status=pending`);
  });
});
