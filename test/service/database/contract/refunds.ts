import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import { refund, type Payment } from "../../../../src/service/payments/payment-state.ts";
import {
  type IdempotencyRecord,
  noResponseYet,
} from "../../../../src/service/idempotency/idempotency-store.ts";
import type { Store } from "../../../../src/service/service.ts";
import { paymentIn, readPayment } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { eventOf, atMs, scope, storedCharge, writeOf } from "./writes.ts";

const laterSeconds = atMs / 1000 + 60;
const lockedUntilMs = atMs + 15;
const request = { key: "k", fingerprint: "f" };
const response = { status: 200, body: "the response" };

/** Adds a succeeded payment without a pending action. */
async function addPaid(store: Store, reference = "ch_1"): Promise<Payment> {
  const payment = paymentIn("succeeded", atMs);
  const charge = storedCharge({ pendingAction: "none", dueAtMs: null, reference, attempts: 3 });
  await store.createPayment(() => writeOf(payment, { charge }));
  return payment;
}

const refundOf = ({ id }: Payment, fields: Partial<IdempotencyRecord> = {}) => {
  const record = { ...request, response: noResponseYet, lockedUntilMs, nowMs: atMs, ...fields };
  const idempotency = { ...record, expiresAtMs: atMs + 1_000 };
  return { scope, paymentId: id, nowMs: atMs, dueAtMs: atMs + 15, idempotency };
};
const refundWithoutKey = (payment: Payment) => ({ ...refundOf(payment), idempotency: undefined });

export function refundsContract(stores: OpenStores): void {
  describe("a refund at a network", () => {
    test("is requested once, where no other action is pending", async ({ store }) => {
      const payment = await addPaid(store);
      expect(await store.requestRefund(refundWithoutKey(payment))).toEqual({ outcome: "written" });
      const charge = storedCharge({
        pendingAction: "refund",
        reference: "ch_1",
        dueAtMs: atMs + 15,
      });
      expect(await store.findCharge(scope, payment.id)).toEqual(charge);
      for (const second of [refundWithoutKey(payment), refundOf(payment)])
        expect(await store.requestRefund(second)).toEqual({ outcome: "conflict" });
    });

    test("conflicts where the outcome of the charge is not known, and stores no response", async ({
      store,
    }) => {
      const payment = paymentIn("pending", atMs);
      await store.createPayment(() => writeOf(payment, { charge: storedCharge() }));
      for (const write of [refundWithoutKey(payment), refundOf(payment)])
        expect(await store.requestRefund(write)).toEqual({ outcome: "conflict" });
      expect(await store.findCharge(scope, payment.id)).toEqual(storedCharge());
      expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
    });

    test("holds its key without an response, for the same request and another", async ({
      store,
    }) => {
      const payment = await addPaid(store);
      expect(await store.requestRefund(refundOf(payment))).toEqual({ outcome: "written" });
      const record = { fingerprint: "f", response: noResponseYet, lockedUntilMs };
      expect(await store.findStoredResponse(scope, "k", atMs)).toEqual(record);
      expect(await store.requestRefund(refundOf(payment))).toEqual({ outcome: "in_progress" });
      const another = refundOf(payment, { fingerprint: "g" });
      expect(await store.requestRefund(another)).toEqual({
        outcome: "mismatch",
        response: noResponseYet,
      });
    });

    test("can claim its key again after the lock has expired, and is requested once", async ({
      store,
    }) => {
      const payment = await addPaid(store);
      await store.requestRefund(refundOf(payment));
      const later = { nowMs: lockedUntilMs, lockedUntilMs: lockedUntilMs + 15 };
      const another = refundOf(payment, { ...later, fingerprint: "g" });
      expect(await store.requestRefund(another)).toEqual({
        outcome: "mismatch",
        response: noResponseYet,
      });
      expect(await store.requestRefund(refundOf(payment, later))).toEqual({ outcome: "conflict" });
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({
        lockedUntilMs: lockedUntilMs + 15,
      });
    });

    test("does not change a charge where another request has its key", async ({ store }) => {
      const [first, second] = [await addPaid(store), await addPaid(store)];
      await store.requestRefund(refundOf(first));
      const other = refundOf(second, { fingerprint: "g" });
      expect(await store.requestRefund(other)).toEqual({
        outcome: "mismatch",
        response: noResponseYet,
      });
      expect(await store.findCharge(scope, second.id)).toMatchObject({ pendingAction: "none" });
    });

    test("that is made updates its payment, and answers its request", async ({ store }) => {
      const payment = await addPaid(store);
      await store.requestRefund(refundOf(payment));
      const next = refund(payment, laterSeconds) as Payment;
      const moved = await store.updateCharge({
        scope,
        paymentId: payment.id,
        from: "refund",
        charge: { pendingAction: "none" },
        payment: { next, from: "succeeded", event: eventOf() },
        request: { ...request, response },
      });
      expect(moved).toBe("written");
      expect(await readPayment(store, scope, payment.id)).toEqual(next);
      const replayed = { outcome: "replayed", response };
      expect(await store.requestRefund(refundOf(payment))).toEqual(replayed);
    });

    contended("of concurrent processes is requested once", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const payment = await addPaid(processes[0] as Store);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, i) =>
          processes[i % 2]?.requestRefund(refundOf(payment, { key: `k${i}` })),
        ),
      );
      expect(outcomes.filter((each) => each?.outcome === "written")).toHaveLength(1);
      expect(outcomes.filter((each) => each?.outcome === "conflict")).toHaveLength(19);
    });
  });
}
