import { describe, expect, test } from "vitest";
import { failPayment, type PendingPayment } from "../../../../src/service/domain/payment-state.ts";
import type { Scope } from "../../../../src/service/ports/idempotency-record.ts";
import type { Store } from "../../../../src/service/ports/ports.ts";
import { paymentIn } from "../../../testkit/payment-in.ts";
import type { OpenStores } from "../../../testkit/database/open-stores.ts";
import { atMs, liveScope, moveOf, otherAccount, scope, writeOf } from "./writes.ts";
import { peekDue } from "../../../testkit/database/read.ts";

async function addPending(store: Store, dueAtMs: number, of: Scope = scope) {
  const fields = { livemode: of.livemode };
  const payment = paymentIn("pending", atMs, fields) as PendingPayment;
  const settlement = { reference: `due at ${dueAtMs}`, dueAtMs };
  await store.createPayment(() => writeOf(payment, { scope: of, settlement }));
  return payment;
}

async function take(store: Store, nowMs: number): Promise<string[]> {
  const due = await store.leaseDuePayments({ nowMs, untilMs: nowMs + 10, limit: 15 });
  return due.map(({ payment }) => payment.id);
}

export function settlementsContract(stores: OpenStores): void {
  describe("a pending payment", () => {
    test("is due from its time on, with its scope and reference", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs + 10);
      expect(await peekDue(store, atMs + 9, 10)).toEqual([]);
      const due = [{ scope, payment, reference: `due at ${atMs + 10}` }];
      expect(await peekDue(store, atMs + 10, 10)).toEqual(due);
    });

    test("of any account and mode is due, and of many those that have waited longest", async () => {
      const store = await (await stores()).open();
      await addPending(store, atMs + 3, otherAccount);
      await addPending(store, atMs + 1, liveScope);
      await addPending(store, atMs + 2, scope);
      const scopesOf = async (limit: number) =>
        new Set((await peekDue(store, atMs + 3, limit)).map((due) => due.scope));
      expect(await scopesOf(2)).toEqual(new Set([liveScope, scope]));
      expect(await scopesOf(10)).toEqual(new Set([liveScope, scope, otherAccount]));
    });

    test("that is put off is due later, and no other one is", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs);
      const other = await addPending(store, atMs);
      await store.postpone(scope, payment.id, atMs + 50);
      await store.postpone(liveScope, other.id, atMs + 50);
      const dueAt = async (ms: number) =>
        new Set((await peekDue(store, ms, 10)).map((due) => due.payment.id));
      expect(await dueAt(atMs + 49)).toEqual(new Set([other.id]));
      expect(await dueAt(atMs + 50)).toEqual(new Set([other.id, payment.id]));
    });

    test("that has moved on is due no more, takes no place in a batch, and cannot be put off", async () => {
      const store = await (await stores()).open();
      const payment = await addPending(store, atMs);
      const neighbour = await addPending(store, atMs + 1);
      const failed = failPayment(payment, "generic_decline", atMs / 1000 + 1);
      await store.transition(moveOf(failed, "pending"));
      await store.postpone(scope, payment.id, atMs);
      const due = await peekDue(store, atMs + 1, 1);
      expect(due.map((each) => each.payment)).toEqual([neighbour]);
    });

    test("that somebody has taken is nobody else's until that time is over", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      const all = await Promise.all(Array.from({ length: 20 }, async () => addPending(one, atMs)));
      const atOnce = await Promise.all([one, other, one, other].map(async (s) => take(s, atMs)));
      const later = [...(await take(one, atMs)), ...(await take(other, atMs))];
      const taken = [...atOnce.flat(), ...later];
      expect(taken.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      expect(await take(one, atMs + 9)).toEqual([]);
      expect(await take(other, atMs + 10)).toHaveLength(15);
    });

    test("is behind from its time on, until it is settled or put off", async () => {
      const store = await (await stores()).open();
      expect(await store.measureBacklog(atMs)).toMatchObject({ due: 0, oldestAgeMs: 0 });
      const first = await addPending(store, atMs + 1);
      const second = await addPending(store, atMs + 2, liveScope);
      expect(await store.measureBacklog(atMs)).toMatchObject({ due: 0, oldestAgeMs: 0 });
      expect(await store.measureBacklog(atMs + 1)).toMatchObject({ due: 1, oldestAgeMs: 0 });
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ due: 2, oldestAgeMs: 8 });
      await store.transition(moveOf(failPayment(first, "generic_decline", atMs / 1000), "pending"));
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ due: 1, oldestAgeMs: 7 });
      await store.leaseDuePayments({ nowMs: atMs + 9, untilMs: atMs + 5_000, limit: 10 });
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ due: 1, oldestAgeMs: 7 });
      await store.postpone(liveScope, second.id, atMs + 10);
      expect(await store.measureBacklog(atMs + 9)).toMatchObject({ due: 0, oldestAgeMs: 0 });
    });

    test("without a settlement is never due", async () => {
      const store = await (await stores()).open();
      await store.createPayment(() => writeOf(paymentIn("pending", atMs)));
      expect(await peekDue(store, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    });
  });
}
