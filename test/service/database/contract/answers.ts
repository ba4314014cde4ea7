import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import type { Payment } from "../../../../src/service/payments/payment-state.ts";
import type { Store } from "../../../../src/service/service.ts";
import { paymentIn, peekDue } from "../../../testkit/database/records.ts";
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

const pending = () => paymentIn("pending", atMs);
const charge = simulatedCharge(atMs);

const request = { key: "k", fingerprint: "f" };
const outcome = { status: 201, body: "the outcome" };
const lockedUntilMs = atMs + 15;

/** A payment whose idempotency record is locked: its response may still change. */
async function addLocked(store: Store): Promise<Payment> {
  const payment = pending();
  await store.createPayment(() => writeOf(payment, { key: "k", lockedUntilMs }));
  return payment;
}

/** The retry of its request. */
const retry = (nowMs: number) => writeOf(pending(), { key: "k", nowMs });

export function answersContract(stores: OpenStores): void {
  describe("a response stored under an idempotency key", () => {
    test("is found only by its account, mode and key, until it expires", async ({ store }) => {
      const payment = pending();
      await store.createPayment(() => writeOf(payment, { key: "k" }));
      const response = { status: 201, body: payment.id };
      const stored = { fingerprint: "f", response, lockedUntilMs: 0 };
      expect(await store.findStoredResponse(scope, "k", atMs)).toEqual(stored);
      expect(await store.findStoredResponse(scope, "k", atMs + 999)).toEqual(stored);
      expect(await store.findStoredResponse(scope, "k", atMs + 1_000)).toBeUndefined();
      expect(await store.findStoredResponse(scope, "K", atMs)).toBeUndefined();
      expect(await store.findStoredResponse(liveScope, "k", atMs)).toBeUndefined();
      expect(await store.findStoredResponse(otherAccount, "k", atMs)).toBeUndefined();
    });

    test("can be stored without another write: once, until it expires", async ({ store }) => {
      const storeAlone = async (changes: object = {}) => {
        const { idempotency } = writeOf(pending(), { key: "k", ...changes });
        return await store.storeResponse(
          scope,
          idempotency && { ...idempotency, response: outcome },
        );
      };
      expect(await storeAlone()).toEqual({ outcome: "written" });
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({ response: outcome });
      expect(await storeAlone()).toEqual({ outcome: "replayed", response: outcome });
      expect(await storeAlone({ fingerprint: "g" })).toEqual({
        outcome: "mismatch",
        response: outcome,
      });
      expect(await storeAlone({ nowMs: atMs + 1_000 })).toEqual({ outcome: "written" });
      expect(await allPages(store)).toEqual([]);
    });

    test("is returned byte for byte", async ({ store }) => {
      const write = writeOf(pending(), { key: "k" });
      const body = '{"b":"\\u0000 😀\u2028","a":[ 1.0 ]}';
      const response = { status: 299, body };
      if (write.idempotency) write.idempotency.response = response;
      await store.createPayment(() => write);
      expect(await store.findStoredResponse(scope, "k", atMs)).toMatchObject({ response });
    });

    contended("is stored once by concurrent processes, and replayed to the others", async () => {
      const database = await stores();
      const processes = [await database.open(), await database.open()];
      const results = await Promise.all(
        Array.from({ length: 20 }, async (_, i) =>
          processes[i % 2]?.createPayment(() => writeOf(pending(), { key: "k", charge })),
        ),
      );
      const replayed = results.filter((result) => result?.outcome === "replayed");
      expect(replayed).toHaveLength(19);
      for (const store of processes) {
        const [payment, ...more] = await allPages(store);
        expect(more).toEqual([]);
        expect(await peekDue(store, atMs, 10)).toHaveLength(1);
        const response = { status: 201, body: payment?.id };
        for (const result of replayed) expect(result).toEqual({ outcome: "replayed", response });
      }
    });
  });

  describe("a locked idempotency record", () => {
    test("is not replayed until its lock is released, even after the lock has expired", async ({
      store,
    }) => {
      const { id } = await addLocked(store);
      for (const nowMs of [atMs, lockedUntilMs])
        expect(await store.createPayment(() => retry(nowMs))).toEqual({ outcome: "in_progress" });
      await store.releaseLock(scope, { ...request, fingerprint: "g", response: outcome });
      await store.releaseLock(liveScope, { ...request, response: outcome });
      expect(await store.createPayment(() => retry(atMs))).toEqual({ outcome: "in_progress" });
      await store.releaseLock(scope, request);
      const stored = { outcome: "replayed", response: { status: 201, body: id } };
      expect(await store.createPayment(() => retry(atMs))).toEqual(stored);
    });

    test("is replayed with the first response that it was released with", async ({ store }) => {
      await addLocked(store);
      for (const answer of [outcome, { status: 201, body: "too late" }])
        await store.releaseLock(scope, { ...request, response: answer });
      const replayed = { outcome: "replayed", response: outcome };
      expect(await store.createPayment(() => retry(atMs))).toEqual(replayed);
    });
  });

  describe("purging idempotency records", () => {
    test("deletes only expired ones", async ({ store }) => {
      for (const [i, each] of [scope, liveScope, otherAccount].entries())
        await store.createPayment(() =>
          writeOf(pending(), { scope: each, key: "k", nowMs: atMs + i }),
        );
      expect(await store.purgeIdempotencyRecords(atMs + 999, 10)).toBe(0);
      expect(await store.purgeIdempotencyRecords(atMs + 1_001, 10)).toBe(2);
      expect(await store.findStoredResponse(scope, "k", atMs)).toBeUndefined();
      expect(await store.findStoredResponse(liveScope, "k", atMs)).toBeUndefined();
      expect(await store.findStoredResponse(otherAccount, "k", atMs)).toBeDefined();
    });

    test("deletes up to its limit, the oldest first", async ({ store }) => {
      for (const i of [3, 1, 4, 2, 5])
        await store.createPayment(() => writeOf(pending(), { key: `k${i}`, nowMs: atMs + i }));
      const stored = async () => {
        const keys = ["k1", "k2", "k3", "k4", "k5"];
        const found = await Promise.all(
          keys.map(async (key) => store.findStoredResponse(scope, key, atMs)),
        );
        return keys.filter((_, i) => found[i]);
      };
      expect(await store.purgeIdempotencyRecords(atMs + 9_000, 2)).toBe(2);
      expect(await stored()).toEqual(["k3", "k4", "k5"]);
      expect(await store.purgeIdempotencyRecords(atMs + 9_000, 2)).toBe(2);
      expect(await store.purgeIdempotencyRecords(atMs + 9_000, 2)).toBe(1);
      expect(await stored()).toEqual([]);
      expect(await allPages(store)).toHaveLength(5);
    });
  });
}
