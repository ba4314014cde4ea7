import { describe, expect, test } from "vitest";
import type { ActionOutcome } from "../../../src/service/networks/card-network.ts";
import {
  type ChargeState,
  type PendingAction,
  nextChargeStep,
} from "../../../src/service/payments/charge-state.ts";
import type { Payment } from "../../../src/service/payments/payment-state.ts";
import { paymentIn } from "../../testkit/database/records.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const at = nowMs / 1000;
const approved = { outcome: "approved", reference: "ch_2" } as const;
const declined = { outcome: "declined", code: "insufficient_funds" } as const;
const unknown = { outcome: "unknown", reason: "no answer" } as const;
const canceled = { outcome: "canceled" } as const;
const refunded = { outcome: "refunded", reference: "re_1" } as const;

const chargeIn = (pendingAction: PendingAction, attempts = 3): ChargeState => ({
  pendingAction,
  reference: "ch_1",
  attempts,
  dueAtMs: nowMs - 1,
  challengeUrl: null,
  challengedAtMs: null,
});
const step = (status: Payment["status"], charge: ChargeState, answer: ActionOutcome) =>
  nextChargeStep({ payment: paymentIn(status, nowMs - 1_000), charge }, answer, nowMs);

describe("by the pending action, the payment and the network's answer", () => {
  const failed = (code: string) => ({ status: "failed", decline_code: code, failed_at: at });
  const rows: [PendingAction, Payment["status"], ActionOutcome, PendingAction, object?][] = [
    ["charge", "pending", approved, "none", { status: "succeeded", succeeded_at: at }],
    ["charge", "pending", declined, "none", failed("insufficient_funds")],
    ["charge", "pending", canceled, "none", failed("processing_error")],
    ["charge", "pending", { outcome: "not_found" }, "cancel"],
    ["charge", "pending", unknown, "charge"],
    ["charge", "pending", { outcome: "processing", retryAfterMs: 1 }, "charge"],
    ["charge", "failed", approved, "cancel"],
    ["charge", "failed", declined, "cancel"],
    ["charge", "failed", unknown, "cancel"],
    ["cancel", "pending", canceled, "none", failed("processing_error")],
    ["cancel", "failed", canceled, "none"],
    ["cancel", "failed", unknown, "cancel"],
    ["cancel", "failed", { outcome: "processing", retryAfterMs: 1 }, "cancel"],
    ["refund", "succeeded", refunded, "none", { status: "refunded", refunded_at: at }],
    ["refund", "succeeded", declined, "none"],
    ["refund", "succeeded", unknown, "refund"],
    ["refund", "succeeded", { outcome: "processing", retryAfterMs: 1 }, "refund"],
  ];
  test.each(rows)(
    "%s of a %s payment, %j: then %s, %j",
    (pending, status, answer, next, becomes) => {
      const { charge, payment } = step(status, chargeIn(pending), answer);
      expect(charge.pendingAction).toBe(next);
      expect(charge.dueAtMs === null).toBe(next === "none");
      expect({ ...payment }).toMatchObject({ ...becomes });
      expect(payment === undefined).toBe(becomes === undefined);
    },
  );

  test("the reference stays, unless the network returns another one", () => {
    expect(step("pending", chargeIn("charge"), approved).charge.reference).toBe("ch_2");
    expect(step("pending", chargeIn("charge"), unknown).charge.reference).toBe("ch_1");
    const processing = { outcome: "processing", reference: "ch_3", retryAfterMs: 60_000 } as const;
    expect(step("pending", chargeIn("charge"), processing).charge).toEqual({
      pendingAction: "charge",
      reference: "ch_3",
      attempts: 0,
      dueAtMs: nowMs + 60_000,
      challengeUrl: null,
      challengedAtMs: null,
    });
  });

  test.each([
    ["charge", "succeeded", approved],
    ["charge", "succeeded", declined],
    ["refund", "failed", refunded],
  ] as const)("a %s of a %s payment throws on the answer %j", (pending, status, answer) => {
    expect(() => step(status, chargeIn(pending), answer)).toThrow(Error);
  });
});

test("a network that does not answer is called at growing intervals, up to an hour", () => {
  const pauses: number[] = [];
  let charge = chargeIn("charge", 0);
  for (let round = 0; round < 14; round++) {
    ({ charge } = step("pending", charge, unknown));
    pauses.push(((charge.dueAtMs ?? 0) - nowMs) / 1_000);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
});

test("a request that was not even sent is repeated after a second, and counts as no attempt", () => {
  const { charge } = step("pending", chargeIn("charge"), { ...unknown, isUnsent: true });
  expect(charge).toMatchObject({ attempts: 3, dueAtMs: nowMs + 1_000 });
});

describe("a bank that asks the customer", () => {
  const url = "https://bank.example/confirm";
  const hourMs = 60 * 60 * 1_000;
  const page = { redirect_url: "https://pay.example/pay/token" };
  const action = { outcome: "action", reference: "ch_2", url, retryAfterMs: 60_000 } as const;
  const atBank = (sinceMs: number): ChargeState => ({
    ...chargeIn("charge"),
    challengeUrl: url,
    challengedAtMs: sinceMs,
  });
  const stepOfPage = (charge: ChargeState, answer: ActionOutcome) =>
    nextChargeStep({ payment: paymentIn("pending", nowMs - 1_000, page), charge }, answer, nowMs);
  const unauthenticated = { status: "failed", decline_code: "authentication_required" };

  test("has the customer sent to its page, while the payment stays pending", () => {
    expect(stepOfPage(chargeIn("charge"), action)).toEqual({
      charge: {
        pendingAction: "charge",
        reference: "ch_2",
        attempts: 0,
        dueAtMs: nowMs + 60_000,
        challengeUrl: url,
        challengedAtMs: nowMs,
      },
    });
  });

  test("is asked again, and has asked since the first time", () => {
    const { charge } = stepOfPage(atBank(nowMs - 5), { ...action, url: `${url}/2` });
    expect(charge).toMatchObject({ challengeUrl: `${url}/2`, challengedAtMs: nowMs - 5 });
  });

  test.each([
    ["action", action],
    ["unknown", unknown],
  ])("is asked in time for the end of the hour: %s", (_, answer) => {
    const charge = { ...atBank(nowMs + 30_000 - hourMs), attempts: 20 };
    expect(stepOfPage(charge, answer).charge.dueAtMs).toBe(nowMs + 30_000);
  });

  test.each([
    ["action", action],
    ["unknown", unknown],
  ])("has an hour; then the payment fails and its charge is canceled: %s", (_, answer) => {
    const { charge, payment } = stepOfPage(atBank(nowMs - hourMs), answer);
    expect(payment).toMatchObject(unauthenticated);
    expect(charge).toMatchObject({ pendingAction: "cancel", challengeUrl: null, dueAtMs: nowMs });
  });

  test.each([
    ["approved", approved, { status: "succeeded" }],
    ["declined", declined, { status: "failed", decline_code: "insufficient_funds" }],
    ["canceled", canceled, { status: "failed", decline_code: "processing_error" }],
  ])("may have decided after that hour: %s", (_, answer, becomes) => {
    const { charge, payment } = stepOfPage(atBank(nowMs - 2 * hourMs), answer);
    expect(payment).toMatchObject(becomes);
    expect(charge).toMatchObject({ pendingAction: "none", challengeUrl: null });
    expect(charge.challengedAtMs).toBe(nowMs - 2 * hourMs);
  });

  test("no longer asks while the network is processing", () => {
    const { charge, payment } = stepOfPage(atBank(nowMs - 5), {
      outcome: "processing",
      retryAfterMs: 1,
    });
    expect(charge).toMatchObject({ challengeUrl: null, challengedAtMs: nowMs - 5 });
    expect(payment).toBeUndefined();
  });

  test("has no more to say: an unknown outcome is asked for again, also after that hour", () => {
    const answered = { ...atBank(nowMs - 2 * hourMs), challengeUrl: null, attempts: 0 };
    const { charge, payment } = stepOfPage(answered, unknown);
    expect(charge).toMatchObject({ pendingAction: "charge", attempts: 1, dueAtMs: nowMs + 1_000 });
    expect(payment).toBeUndefined();
  });

  test("does not know the charge any more: it is canceled first", () => {
    const { charge, payment } = stepOfPage(atBank(nowMs - 5), { outcome: "not_found" });
    expect(charge).toMatchObject({ pendingAction: "cancel", challengeUrl: null });
    expect(payment).toBeUndefined();
  });

  test.each([
    ["without a page", {}, action],
    ["at an address to which no browser is sent", page, { ...action, url: null }],
  ])("%s asks nobody: the payment fails and its charge is canceled", (_, fields, answer) => {
    const payment = paymentIn("pending", nowMs - 1_000, fields);
    const next = nextChargeStep({ payment, charge: chargeIn("charge") }, answer, nowMs);
    expect(next.payment).toMatchObject(unauthenticated);
    expect(next.charge).toMatchObject({ pendingAction: "cancel", challengeUrl: null });
  });

  test("of a payment that has failed meanwhile, its charge is canceled", () => {
    const payment = paymentIn("failed", nowMs - 1_000, page);
    const { charge } = nextChargeStep({ payment, charge: atBank(nowMs - 5) }, action, nowMs);
    expect(charge).toMatchObject({ pendingAction: "cancel", challengeUrl: null });
  });
});
