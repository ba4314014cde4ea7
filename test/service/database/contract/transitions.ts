import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { PaymentStatus } from "../../../../src/contract/payment.ts";
import {
  failPayment,
  refund,
  succeedPayment,
  type PendingPayment,
  type RefundedPayment,
} from "../../../../src/service/payments/payment-state.ts";
import { card, paymentIn, peekDue, readPayment } from "../../../testkit/database/records.ts";
import type { Store } from "../../../../src/service/service.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import {
  atMs,
  liveScope,
  moveOf,
  otherAccount,
  scope,
  simulatedCharge,
  writeOf,
} from "./writes.ts";

const laterSeconds = atMs / 1000 + 60;

export function transitionsContract(stores: OpenStores): void {
  describe("a transition", () => {
    test("from the payment's status is written, and changes no other payment", async ({
      store,
    }) => {
      const payment = paymentIn("succeeded", atMs);
      const neighbour = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      await store.createPayment(() => writeOf(neighbour));
      const refunded = refund(payment, laterSeconds) as RefundedPayment;
      expect(await store.transition(moveOf(refunded, "succeeded"))).toEqual({ outcome: "written" });
      expect(await readPayment(store, scope, payment.id)).toEqual(refunded);
      expect(await readPayment(store, scope, neighbour.id)).toEqual(neighbour);
    });

    test.each([
      ["succeeded", (pending: PendingPayment) => succeedPayment(pending, card, laterSeconds)],
      ["failed", (pending: PendingPayment) => failPayment(pending, "expired_card", laterSeconds)],
    ] as const)(
      "from pending to %s is written whole, also a card that came later",
      async (_, move) => {
        const store = await (await stores()).open();
        const redirect_url = "https://pay.example/pay/token";
        const pending = paymentIn("pending", atMs, { card: null, redirect_url }) as PendingPayment;
        await store.createPayment(() => writeOf(pending));
        const moved = move(pending);
        await store.transition(moveOf(moved, "pending"));
        expect(await readPayment(store, scope, pending.id)).toEqual(moved);
      },
    );

    test.each(["pending", "failed", "refunded"] as PaymentStatus[])(
      "from succeeded conflicts on a %s payment, and writes nothing",
      async (status) => {
        const store = await (await stores()).open();
        const payment = paymentIn(status, atMs);
        await store.createPayment(() => writeOf(payment, { charge: simulatedCharge(atMs) }));
        const due = await peekDue(store, atMs, 10);
        const moved = { ...paymentIn("refunded", atMs), id: payment.id };
        const conflicts = await store.transition(moveOf(moved, "succeeded", { key: "k" }));
        expect(conflicts).toEqual({ outcome: "conflict" });
        expect(await readPayment(store, scope, payment.id)).toEqual(payment);
        expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
        expect(await peekDue(store, atMs, 10)).toEqual(due);
      },
    );

    test("of another mode's, another account's or an unknown payment conflicts", async ({
      store,
    }) => {
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      const refunded = refund(payment, laterSeconds) as RefundedPayment;
      const unknown = paymentIn("refunded", atMs);
      for (const move of [
        moveOf(refunded, "succeeded", { scope: liveScope }),
        moveOf(refunded, "succeeded", { scope: otherAccount }),
        moveOf(unknown, "succeeded"),
      ])
        expect(await store.transition(move)).toEqual({ outcome: "conflict" });
      expect(await readPayment(store, scope, payment.id)).toEqual(payment);
    });

    test("under a key of another request writes nothing", async ({ store }) => {
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment, { key: "k", fingerprint: "of the create" }));
      const refunded = refund(payment, laterSeconds) as RefundedPayment;
      const move = moveOf(refunded, "succeeded", { key: "k", fingerprint: "of the refund" });
      expect(await store.transition(move)).toEqual({
        outcome: "mismatch",
        response: { status: 201, body: payment.id },
      });
      expect(await readPayment(store, scope, payment.id)).toEqual(payment);
    });

    contended("of concurrent processes is made once", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const payment = paymentIn("succeeded", atMs);
      await processes[0]?.createPayment(() => writeOf(payment));
      const attempts = Array.from({ length: 20 }, async (_, i) => {
        const refunded = refund(payment, laterSeconds + i) as RefundedPayment;
        const result = await processes[i % 2]?.transition(moveOf(refunded, "succeeded"));
        return { refunded, outcome: result?.outcome };
      });
      const results = await Promise.all(attempts);
      const written = results.filter(({ outcome }) => outcome === "written");
      const conflicts = results.filter(({ outcome }) => outcome === "conflict");
      expect([written.length, conflicts.length]).toEqual([1, 19]);
      expect(await readPayment(processes[1] as Store, scope, payment.id)).toEqual(
        written[0]?.refunded,
      );
    });
  });
}
