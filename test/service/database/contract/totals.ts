import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { PaymentStatus } from "../../../../src/contract/payment.ts";
import { declineCodes } from "../../../../src/contract/field-values.ts";
import type { Total } from "../../../../src/service/reports/sum-figures.ts";
import {
  failPayment,
  refund,
  succeedPayment,
  type Payment,
  type PendingPayment,
} from "../../../../src/service/payments/payment-state.ts";
import type { Store } from "../../../../src/service/service.ts";
import { card, paymentIn } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { atMs, liveScope, moveOf, otherAccount, scope, writeOf } from "./writes.ts";

const day = atMs / 86_400_000 - 0.5;
const later = atMs / 1000 + 60;
/** After what is created, and before it changes; after all of it. */
const [soon, atLast] = [atMs / 1000 + 1, later + 1];
const always = { firstDay: 0, endDay: 100_000 };
const changed = { nowMs: later * 1000 };
const total = (fields: Partial<Total> = {}): Total => ({
  day,
  currency: "eur",
  status: "succeeded",
  code: "",
  payments: 1,
  amount: 4999,
  ...fields,
});

async function create(store: Store, payment: Payment): Promise<Payment> {
  await store.createPayment(() => writeOf(payment));
  return payment;
}

/** The totals of a scope, sorted. */
async function totalsOf(store: Store, of = scope, limit = 1_000): Promise<Total[]> {
  const { totals } = await store.findTotals(of, always, limit);
  return addUp(totals);
}

/** Adds up totals of the same kind; sorted, without those of nothing. */
function addUp(totals: Total[]): Total[] {
  const sums = new Map<string, Total>();
  for (const { payments, amount, ...kind } of totals) {
    const key = JSON.stringify(kind);
    const sum = sums.get(key) ?? { ...kind, payments: 0, amount: 0 };
    sums.set(key, { ...sum, payments: sum.payments + payments, amount: sum.amount + amount });
  }
  const there = [...sums.values()].filter(({ payments, amount }) => payments !== 0 || amount !== 0);
  return there.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Counts all payments in batches, and looks at all for codes to fill; returns the number of batches that counted. */
async function countAll(store: Store, before = soon, limit = 1_000): Promise<number> {
  let rounds = 0;
  while (await store.countTotals(scope, before, limit)) rounds++;
  while (await store.fillDeclineCodes(scope, limit));
  return rounds;
}

/** The later states of a pending payment. */
const changes: Record<PaymentStatus, (store: Store, payment: Payment) => Promise<unknown>> = {
  pending: async () => {},
  succeeded: async (store, payment) =>
    store.transition(
      moveOf(succeedPayment(payment as PendingPayment, card, later), "pending", changed),
    ),
  failed: async (store, payment) =>
    store.transition(
      moveOf(failPayment(payment as PendingPayment, "expired_card", later), "pending", changed),
    ),
  refunded: async (store, payment) => {
    const succeeded = succeedPayment(payment as PendingPayment, card, later);
    await store.transition(moveOf(succeeded, "pending", changed));
    await store.transition(moveOf(refund(succeeded, later) as Payment, "succeeded", changed));
  },
};

export function totalsContract(stores: OpenStores): void {
  describe("totals", () => {
    test.each(declineCodes)(
      "tell that a payment failed for %s, whatever its merchant writes",
      async (code) => {
        const store = await (await stores()).open();
        const other = code === "expired_card" ? "hpp_expired" : "expired_card";
        const text = `{},"decline_code":"${other}","`;
        const metadata = { decline_code: other, [`},"decline_code":"${other}",`]: text };
        const payment = paymentIn("pending", atMs, {
          metadata,
          description: text,
        }) as PendingPayment;
        await create(store, failPayment(payment, code, later));
        expect(await totalsOf(store)).toEqual([total({ status: "failed", code })]);
      },
    );

    test("are of one day, in UTC, and one currency each", async ({ store }) => {
      const midnightMs = (day + 1) * 86_400_000;
      await create(store, paymentIn("succeeded", midnightMs - 1));
      await create(store, paymentIn("succeeded", midnightMs, { amount: 1 }));
      await create(store, paymentIn("succeeded", midnightMs + 1, { amount: 2 }));
      await create(store, paymentIn("succeeded", midnightMs + 1, { amount: 3, currency: "usd" }));
      const next = { day: day + 1 };
      const expected = [
        total(),
        total({ ...next, payments: 2, amount: 3 }),
        total({ ...next, currency: "usd", amount: 3 }),
      ];
      const before = { ...always, endDay: day + 1 };
      expect(await totalsOf(store)).toEqual(expected);
      expect(addUp(await store.findAllTotals(scope, before))).toEqual([total()]);
      await countAll(store, midnightMs / 1000 + 9, 1);
      expect(await totalsOf(store)).toEqual(expected);
      const { totals } = await store.findTotals(scope, { ...always, firstDay: day + 1 }, 10);
      expect(totals.map(({ day: each }) => each)).toEqual([day + 1, day + 1]);
      expect((await store.findTotals(scope, before, 10)).totals).toEqual([total()]);
      for (const currency of ["eur", "usd", "gbp"]) {
        const ofCurrency = await store.findTotals(scope, always, 10, currency);
        expect(addUp(ofCurrency.totals)).toEqual(
          expected.filter((each) => each.currency === currency),
        );
      }
      expect(addUp(await store.findAllTotals(scope, before))).toEqual([total()]);
    });

    test("belong to their account and mode", async ({ store }) => {
      for (const of of [liveScope, otherAccount])
        await store.createPayment(() => writeOf(paymentIn("succeeded", atMs), { scope: of }));
      expect(await countAll(store)).toBe(0);
      expect(await totalsOf(store)).toEqual([]);
      expect(await totalsOf(store, liveScope)).toEqual([total()]);
    });

    test("are counted before a time, and read beyond it", async ({ store }) => {
      await create(store, paymentIn("succeeded", atMs));
      expect(await countAll(store, atMs / 1000)).toBe(0);
      expect(await countAll(store)).toBe(1);
      await create(store, paymentIn("succeeded", atMs + 1_000));
      expect(await countAll(store)).toBe(0);
      expect(await totalsOf(store)).toEqual([total({ payments: 2, amount: 9998 })]);
    });

    test("have what comes after they were counted by a clock that is ahead", async ({ store }) => {
      const payment = await create(store, paymentIn("succeeded", atMs));
      const hourLater = later + 3_600;
      expect(await countAll(store, hourLater)).toBe(1);
      await create(store, paymentIn("succeeded", atMs + 1_000));
      await store.transition(moveOf(refund(payment, later) as Payment, "succeeded", changed));
      const expected = [total({ status: "refunded" }), total()];
      expect(await totalsOf(store)).toEqual(expected);
      expect(await countAll(store, hourLater)).toBe(1);
      expect(await totalsOf(store)).toEqual(expected);
    });

    test("are read up to a limit of payments and of events", async ({ store }) => {
      const made = [0, 1, 2, 3].map((second) => paymentIn("succeeded", atMs + second * 1_000));
      for (const payment of made) await create(store, payment);
      expect(await store.findTotals(scope, always, 5)).toEqual({
        totals: [total({ payments: 4, amount: 4 * 4999 })],
        countedTo: undefined,
      });
      expect(await store.findTotals(scope, always, 2)).toEqual({
        totals: [total({ payments: 2, amount: 9998 })],
        countedTo: made[1]?.id,
      });
      await store.countTotals(scope, later, 2);
      expect((await store.findTotals(scope, always, 1)).countedTo).toBe(made[2]?.id);

      await countAll(store, later);
      const events = [];
      for (const payment of made.slice(0, 2)) {
        const move = moveOf(refund(payment, later) as Payment, "succeeded", {
          nowMs: later * 1000 + 3_600_000,
        });
        await store.transition(move);
        events.push(move.event.id);
      }
      const refunded = await store.findTotals(scope, always, 1);
      expect(refunded.countedTo).toBe(events[0]?.replace("evt_", "pay_"));
      expect(await totalsOf(store, scope, 1)).toEqual([
        total({ status: "refunded" }),
        total({ payments: 3, amount: 3 * 4999 }),
      ]);
    });

    test("are complete without a limit, however many are not counted", async ({ store }) => {
      const made = Array.from({ length: 1_001 }, (_, at) => paymentIn("succeeded", atMs + at));
      await Promise.all(made.map(async (payment) => create(store, payment)));
      const all = total({ payments: 1_001, amount: 1_001 * 4999 });
      expect(addUp(await store.findAllTotals(scope, always))).toEqual([all]);
      await countAll(store, later, 500);
      expect(addUp(await store.findAllTotals(scope, always))).toEqual([all]);
    });

    contended("stay complete at any moment while others count", async () => {
      const { open } = await stores();
      const [one, other] = [await open(), await open()];
      const made = Array.from({ length: 60 }, (_, at) => paymentIn("succeeded", atMs + at));
      await Promise.all(made.map(async (payment) => create(one, payment)));
      const all = [total({ payments: 60, amount: 60 * 4999 })];
      const counting = { isOver: false };
      const rounds = countAll(other, later, 1).finally(() => (counting.isOver = true));
      while (!counting.isOver) expect(addUp(await one.findAllTotals(scope, always))).toEqual(all);
      expect(await rounds).toBe(60);
    });

    test("hold sums that are larger than a database's integers, rounded", async ({ store }) => {
      const amount = Number.MAX_SAFE_INTEGER;
      for (let i = 0; i < 3; i++) await create(store, paymentIn("succeeded", atMs, { amount }));
      await countAll(store, soon, 1);
      const more = Array.from({ length: 1_030 }, () => paymentIn("succeeded", atMs, { amount }));
      await Promise.all(more.map(async (payment) => create(store, payment)));
      await countAll(store);
      const [sum] = await totalsOf(store);
      expect(sum?.payments).toBe(1_033);
      expect(sum?.amount).toBeCloseTo(1_033 * amount, -6);
    });

    contended("count each payment and change once by concurrent replicas", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      for (let i = 0; i < 60; i++) {
        const payment = await create(one, paymentIn("pending", atMs + i));
        if (i % 3 > 0) await changes[i % 3 === 1 ? "refunded" : "failed"](one, payment);
      }
      await Promise.all([one, other, one, other].map(async (store) => countAll(store, atLast, 3)));
      expect(await totalsOf(one)).toEqual([
        total({ status: "failed", code: "expired_card", payments: 20, amount: 20 * 4999 }),
        total({ status: "pending", payments: 20, amount: 20 * 4999 }),
        total({ status: "refunded", payments: 20, amount: 20 * 4999 }),
      ]);
    });
  });
}
