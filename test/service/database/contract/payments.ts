import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import { paymentStatuses } from "../../../../src/contract/field-values.ts";
import { paymentIn, peekDue, readPayment } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import {
  allPages,
  atMs,
  liveScope,
  otherAccount,
  scope,
  simulatedCharge,
  writeOf,
} from "./writes.ts";

export function paymentsContract(stores: OpenStores): void {
  describe("a payment", () => {
    test.each(paymentStatuses)("that is %s is read as it was written", async (status) => {
      const store = await (await stores()).open();
      const payment = paymentIn(status, atMs);
      expect(await store.createPayment(() => writeOf(payment))).toEqual({ outcome: "written" });
      const found = await readPayment(store, scope, payment.id);
      expect(JSON.stringify(found)).toBe(JSON.stringify(payment));
    });

    test.each([
      { amount: 1 },
      { amount: Number.MAX_SAFE_INTEGER },
      { description: "" },
      { description: "\u0001\r\n\ufeff\u2028 '; DROP TABLE payments; -- ? $1 😀" },
      { customer: { email: "ada@example.com", name: 'Ada "Lovelace" \\u0000' } },
      { metadata: JSON.parse('{"__proto__":"p","b":"2","a":"1","10":"x"}') as { b: string } },
      { card: null, redirect_url: "https://pay.example/pay/token" },
      { currency: "gbp", livemode: true },
    ])("with %j is read with it", async (fields) => {
      const store = await (await stores()).open();
      const payment = paymentIn("pending", atMs, fields);
      const within = fields.livemode ? liveScope : scope;
      await store.createPayment(() => writeOf(payment, { scope: within }));
      const found = await readPayment(store, within, payment.id);
      expect(JSON.stringify(found)).toBe(JSON.stringify(payment));
    });

    test("is found only in its own account and mode", async ({ store }) => {
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      expect(await readPayment(store, liveScope, payment.id)).toBeUndefined();
      expect(await readPayment(store, otherAccount, payment.id)).toBeUndefined();
      expect(await readPayment(store, scope, payment.id.slice(0, -1))).toBeUndefined();
      const ids = [payment.id, payment.id.slice(0, -1)];
      expect(await store.findPayments(scope, ids)).toEqual([JSON.stringify(payment)]);
      for (const other of [liveScope, otherAccount])
        expect(await store.findPayments(other, ids)).toEqual([]);
    });

    test("has a history of its own rows alone, in its own account and mode", async ({ store }) => {
      const payment = paymentIn("succeeded", atMs);
      const others = paymentIn("succeeded", atMs);
      for (const each of [payment, others]) await store.createPayment(() => writeOf(each));
      const oldest = { request: "", event: "" };
      expect(await store.findHistory(scope, payment.id, oldest)).toMatchObject({
        payment,
        page: undefined,
        deliveries: [],
        requests: [],
        activity: [],
        isCut: false,
      });
      for (const other of [liveScope, otherAccount])
        expect(await store.findHistory(other, payment.id, oldest)).toBeUndefined();
    });
  });

  describe("a write that fails", () => {
    test("writes nothing: no charge and no stored response either", async ({ store }) => {
      const payment = paymentIn("pending", atMs);
      await store.createPayment(() => writeOf(payment));
      const retry = writeOf(payment, { key: "k", charge: simulatedCharge(atMs) });
      await expect(store.createPayment(() => retry)).rejects.toThrow(Error);
      expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
      expect(await peekDue(store, atMs, 10)).toEqual([]);
    });

    contended("fails none of the writes made at the same time", async ({ store }) => {
      const payments = Array.from({ length: 40 }, () => paymentIn("succeeded", atMs));
      const wrong = payments[0] ?? paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(wrong));
      const results = await Promise.allSettled(
        payments.map(async (payment) => store.createPayment(() => writeOf(payment))),
      );
      const failed = results.filter(({ status }) => status === "rejected");
      expect(failed).toHaveLength(1);
      expect(results[0]?.status).toBe("rejected");
      expect(await allPages(store)).toEqual(payments.toReversed());
    });
  });

  contended("concurrent writes of several processes are all stored", async () => {
    const database = await stores();
    const processes = [await database.open(), await database.open(), await database.open()];
    const payments = Array.from({ length: 90 }, () => paymentIn("succeeded", atMs));
    await Promise.all(
      payments.map(async (payment, i) => processes[i % 3]?.createPayment(() => writeOf(payment))),
    );
    for (const store of processes) expect(await allPages(store)).toEqual(payments.toReversed());
  });
}
