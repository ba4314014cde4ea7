import { describe, expect, test } from "vitest";
import { fail, type PendingPayment } from "../../../src/domain/payment.ts";
import type { Scope, Store } from "../../../src/service/ports.ts";
import { paymentIn } from "../../domain/payment-in.ts";
import type { OpenStores } from "../contract.ts";
import { atMs, liveScope, moveOf, otherAccount, scope, writeOf } from "./writes.ts";

async function addPending(store: Store, dueAtMs: number, of: Scope = scope) {
  const fields = { livemode: of.livemode };
  const payment = paymentIn("pending", atMs, fields) as PendingPayment;
  const settlement = { reference: `due at ${dueAtMs}`, dueAtMs };
  await store.createPayment(writeOf(payment, { scope: of, settlement }));
  return payment;
}

export function settlementsContract(stores: OpenStores): void {
  describe("a pending payment", () => {
    test("is due from its time on, with its scope and reference", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs + 10);
      expect(await store.duePayments(atMs + 9, 10)).toEqual([]);
      const due = [{ scope, payment, reference: `due at ${atMs + 10}` }];
      expect(await store.duePayments(atMs + 10, 10)).toEqual(due);
    });

    test("of any account and mode is due, the longest waiting first, up to a limit", async () => {
      const store = await (await stores()).open();
      await addPending(store, atMs + 3, otherAccount);
      await addPending(store, atMs + 1, liveScope);
      await addPending(store, atMs + 2, scope);
      const scopesOf = async (limit: number) =>
        (await store.duePayments(atMs + 3, limit)).map((due) => due.scope);
      expect(await scopesOf(10)).toEqual([liveScope, scope, otherAccount]);
      expect(await scopesOf(2)).toEqual([liveScope, scope]);
    });

    test("that is put off is due later, and no other one is", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs);
      const other = await addPending(store, atMs);
      await store.postpone(scope, payment.id, atMs + 50);
      await store.postpone(liveScope, other.id, atMs + 50);
      const dueAt = async (ms: number) =>
        (await store.duePayments(ms, 10)).map((due) => due.payment.id);
      expect(await dueAt(atMs + 49)).toEqual([other.id]);
      expect(await dueAt(atMs + 50)).toEqual([other.id, payment.id]);
    });

    test("that has moved on is due no more, takes no place in a batch, and cannot be put off", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs);
      const neighbour = await addPending(store, atMs + 1);
      const failed = fail(payment, "generic_decline", atMs / 1000 + 1);
      await store.transition(moveOf(failed, "pending"));
      await store.postpone(scope, payment.id, atMs);
      const due = await store.duePayments(atMs + 1, 1);
      expect(due.map((each) => each.payment)).toEqual([neighbour]);
    });

    test("is behind from its time on, until it is settled or put off", async () => {
      const store = await (await stores()).open();
      expect(await store.backlog(atMs)).toEqual({ due: 0, oldestDueAtMs: undefined });
      const first = await addPending(store, atMs + 1);
      const second = await addPending(store, atMs + 2, liveScope);
      expect(await store.backlog(atMs)).toEqual({ due: 0, oldestDueAtMs: undefined });
      expect(await store.backlog(atMs + 1)).toEqual({ due: 1, oldestDueAtMs: atMs + 1 });
      expect(await store.backlog(atMs + 9)).toEqual({ due: 2, oldestDueAtMs: atMs + 1 });
      await store.transition(moveOf(fail(first, "generic_decline", atMs / 1000), "pending"));
      expect(await store.backlog(atMs + 9)).toEqual({ due: 1, oldestDueAtMs: atMs + 2 });
      await store.postpone(liveScope, second.id, atMs + 10);
      expect(await store.backlog(atMs + 9)).toEqual({ due: 0, oldestDueAtMs: undefined });
    });

    test("without a settlement is never due", async () => {
      const store = await (await stores()).open();
      await store.createPayment(writeOf(paymentIn("pending", atMs)));
      expect(await store.duePayments(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    });
  });
}
