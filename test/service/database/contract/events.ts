import * as fc from "fast-check";
import { expect } from "vitest";
import { contended, describe, test } from "./contended.ts";
import { eventTypes, paymentStatuses } from "../../../../src/contract/field-values.ts";
import type { Event } from "../../../../src/contract/event.ts";
import { toIdBound } from "../../../../src/service/database/ids.ts";
import {
  failPayment,
  refund,
  succeedPayment,
  takeCard,
  type Payment,
  type PendingPayment,
  type ProcessingPayment,
} from "../../../../src/service/payments/payment-state.ts";
import type { NewEvent } from "../../../../src/service/webhooks/events-sql.ts";
import type { EventFilters } from "../../../../src/service/webhooks/webhooks-store.ts";
import type { Range } from "../../../../src/service/database/listing.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { Store } from "../../../../src/service/service.ts";
import { card, paymentIn, readPayment } from "../../../testkit/database/records.ts";
import { addEndpoint, deliveriesOf, everything } from "./endpoints.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import {
  afterClaims,
  atMs,
  eventOf,
  liveScope,
  moveOf,
  otherAccount,
  scope,
  storedCharge,
  writeOf,
} from "./writes.ts";

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const later = atMs / 1000 + 60;
const all = { ...everything, below: "evt_g" };
const unfiltered: EventFilters = { type: undefined, paymentId: undefined };
const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 1_000 };

function buildPending(fields: object = {}): PendingPayment {
  return paymentIn("pending", atMs, fields) as PendingPayment;
}

/** Adds a payment with an open page and no card. */
async function openPage(store: Store): Promise<PendingPayment> {
  const payment = buildPending({ card: null });
  await store.createPayment(() => writeOf(payment, { page }));
  return payment;
}

/** The events of a payment, first to last. */
async function eventsOf(store: Store, { id }: Pick<Payment, "id">, of: Scope = scope) {
  const { items } = await store.listEvents(of, { ...all, ...unfiltered, paymentId: id });
  return items.map((json) => JSON.parse(json) as Event).toReversed();
}

/** The JSON of an event. */
function jsonOf({ id }: NewEvent, sequence: number, payment: Payment, livemode = false): string {
  const type = `payment.${payment.status}`;
  const created = atMs / 1000;
  const data = { object: payment };
  return JSON.stringify({ id, object: "event", type, created, livemode, sequence, data });
}

/** Each change of an existing payment; it returns the payment afterwards. */
const changes: [name: string, change: (store: Store) => Promise<[Payment, NewEvent]>][] = [
  [
    "that succeeds late",
    async (store) => {
      const payment = buildPending();
      await store.createPayment(() => writeOf(payment));
      const move = moveOf(succeedPayment(payment, card, later), "pending");
      await store.transition(move);
      return [move.payment, move.event];
    },
  ],
  [
    "that is refunded, under a key",
    async (store) => {
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      const move = moveOf(refund(payment, later) as Payment, "succeeded", { key: "k" });
      await store.transition(move);
      return [move.payment, move.event];
    },
  ],
  [
    "whose page is closed",
    async (store) => {
      const payment = failPayment(await openPage(store), "expired_card", later);
      const event = eventOf();
      await store.closePage({ scope, payment, event, ...afterClaims });
      return [payment, event];
    },
  ],
  [
    "whose charge is decided",
    async (store) => {
      const payment = buildPending();
      await store.createPayment(() => writeOf(payment, { charge: storedCharge() }));
      const next = succeedPayment(payment, card, later);
      const event = eventOf();
      await store.updateCharge({
        scope,
        paymentId: payment.id,
        from: "charge",
        charge: { pendingAction: "none" },
        payment: { next, from: "pending", event },
      });
      return [next, event];
    },
  ],
];

export function eventsContract(stores: OpenStores): void {
  describe("an event", () => {
    test.each(paymentStatuses)("is written with a new payment that is %s", async (status) => {
      const store = await (await stores()).open();
      for (const options of [{}, { key: "k" }, { scope: liveScope }]) {
        const of = options.scope ?? scope;
        const made = writeOf(paymentIn(status, atMs, { livemode: of.livemode }), options);
        await store.createPayment(() => made);
        const json = jsonOf(made.event, 1, made.payment, of.livemode);
        expect(await store.findEvent(of, made.event.id)).toBe(json);
      }
    });

    test.each(changes)("is written with a payment %s", async (_, change) => {
      const store = await (await stores()).open();
      const [payment, event] = await change(store);
      expect(await store.findEvent(scope, event.id)).toBe(jsonOf(event, 2, payment));
      const { items } = await store.listEvents(scope, { ...all, ...unfiltered });
      expect(items).toHaveLength(2);
    });

    test("stays as it was when the payment changes", async () => {
      const store = await (await stores()).open();
      const payment = paymentIn("succeeded", atMs);
      const made = writeOf(payment);
      await store.createPayment(() => made);
      await store.transition(moveOf(refund(payment, later) as Payment, "succeeded"));
      expect(await store.findEvent(scope, made.event.id)).toBe(jsonOf(made.event, 1, payment));
      const found = (await eventsOf(store, payment)).map(({ type, sequence }) => [sequence, type]);
      expect(found).toEqual([
        [1, "payment.succeeded"],
        [2, "payment.refunded"],
      ]);
    });

    test("is not made by a write that is replayed, refused or in progress", async () => {
      const store = await (await stores()).open();
      await store.createPayment(() => writeOf(paymentIn("succeeded", atMs), { key: "k" }));
      const locked = { key: "in_progress", lockedUntilMs: atMs + 1 };
      await store.createPayment(() => writeOf(paymentIn("succeeded", atMs), locked));
      const outcomes = [];
      for (const options of [{ key: "k" }, { key: "k", fingerprint: "g" }, locked]) {
        const retry = writeOf(paymentIn("succeeded", atMs), options);
        outcomes.push((await store.createPayment(() => retry)).outcome);
        expect(await store.findEvent(scope, retry.event.id)).toBeUndefined();
      }
      expect(outcomes).toEqual(["replayed", "mismatch", "in_progress"]);
    });

    contended("is not made by a change that conflicts", async () => {
      const store = await (await stores()).open();
      const payment = await openPage(store);
      const failed = failPayment(payment, "expired_card", later);
      const event = eventOf();
      expect(
        await store.closePage({ scope, payment: failed, event: eventOf(), ...afterClaims }),
      ).toEqual({ outcome: "written" });
      const conflicting = [
        store.transition({ ...moveOf(failed, "pending"), event }),
        store.transition({ ...moveOf(failed, "pending", { key: "k" }), event }),
        store.closePage({ scope, payment: failed, event, ...afterClaims }),
        store.updateCharge({
          scope,
          paymentId: payment.id,
          from: "charge",
          charge: {},
          payment: { next: failed, from: "pending", event },
        }),
      ];
      await Promise.all(conflicting);
      expect(await store.findEvent(scope, event.id)).toBeUndefined();
      expect(await eventsOf(store, payment)).toHaveLength(2);
    });

    test("is not made by a card that is entered on a page", async () => {
      const store = await (await stores()).open();
      const payment = await openPage(store);
      const processing = takeCard(payment, card, "A. Lovelace") as ProcessingPayment;
      const claim = { nowMs: atMs, untilMs: atMs + 1 };
      const write = { scope, payment: processing, claim, charge: storedCharge() };
      expect(await store.chargePage(write)).toBe(true);
      expect(await eventsOf(store, payment)).toHaveLength(1);
    });

    test("belongs to its account and mode", async () => {
      const store = await (await stores()).open();
      const made = writeOf(paymentIn("succeeded", atMs));
      await store.createPayment(() => made);
      for (const others of [liveScope, otherAccount]) {
        expect(await store.findEvent(others, made.event.id)).toBeUndefined();
        expect(await eventsOf(store, made.payment, others)).toEqual([]);
      }
    });

    contended("of two conflicting changes is that of the one that was written", async () => {
      const database = await stores();
      const [one, other] = [await database.open(), await database.open()];
      for (let round = 0; round < 10; round++) {
        const payment = buildPending();
        await one.createPayment(() => writeOf(payment));
        await Promise.all([
          one.transition(moveOf(succeedPayment(payment, card, later), "pending")),
          other.transition(moveOf(failPayment(payment, "expired_card", later), "pending")),
        ]);
        const { status } = (await readPayment(one, scope, payment.id)) as Payment;
        const found = (await eventsOf(one, payment)).map(({ type, sequence }) => [sequence, type]);
        expect(found).toEqual([
          [1, "payment.pending"],
          [2, `payment.${status}`],
        ]);
      }
    });
  });

  describe("a page of events", () => {
    test("is the part of a sorted and filtered array between two bounds", async () => {
      const store = await (await stores()).open();
      const written: Event[] = [];
      const payments: Payment[] = [];
      for (let i = 0; i < 12; i++) {
        const nowMs = atMs + i * 700;
        const payment = paymentIn(i % 3 ? "succeeded" : "pending", nowMs);
        payments.push(payment);
        await store.createPayment(() => writeOf(payment, { nowMs }));
        if (i % 3 === 1)
          await store.transition(moveOf(refund(payment, later) as Payment, "succeeded", { nowMs }));
        written.push(...(await eventsOf(store, payment)));
      }
      written.sort((a, b) => (a.id < b.id ? 1 : -1));
      const bound = fc.oneof(
        fc.constantFrom(...written.map(({ id }) => id)),
        fc.integer({ min: -1, max: 10 }).map((s) => toIdBound("evt_", atMs / 1000 + s)),
      );
      const anyRange: fc.Arbitrary<Range & EventFilters> = fc.record({
        below: fc.oneof(bound, fc.constant("evt_g")),
        above: fc.oneof(bound, fc.constant("")),
        direction: fc.constantFrom("forward", "backward"),
        limit: fc.integer({ min: 1, max: 16 }),
        type: optional(fc.constantFrom(...eventTypes)),
        paymentId: optional(fc.constantFrom(...payments.map(({ id }) => id))),
      });
      await fc.assert(
        fc.asyncProperty(anyRange, async (range) => {
          const matching = written.filter(
            ({ id, type, data }) =>
              id < range.below &&
              id > range.above &&
              (!range.type || type === range.type) &&
              (!range.paymentId || data.object.id === range.paymentId),
          );
          const { items, hasMore } = await store.listEvents(scope, range);
          expect(items.map((json) => JSON.parse(json) as Event)).toEqual(
            range.direction === "forward"
              ? matching.slice(0, range.limit)
              : matching.slice(-range.limit),
          );
          expect(hasMore).toBe(matching.length > range.limit);
        }),
        { numRuns: 200 },
      );
    });

    test("holds at most 1 MiB of payments", async () => {
      const store = await (await stores()).open();
      const entries = Array.from({ length: 50 }, (_, i) => [`key_${i}`, "é".repeat(500)] as const);
      const metadata = Object.fromEntries(entries);
      const payment = paymentIn("succeeded", atMs, { metadata });
      const fitting = Math.floor((1024 * 1024) / Buffer.byteLength(JSON.stringify(payment)));
      const made = Array.from({ length: fitting + 1 }, () =>
        paymentIn("succeeded", atMs, { metadata }),
      );
      for (const each of made) await store.createPayment(() => writeOf(each));
      const { items, hasMore } = await store.listEvents(scope, { ...all, ...unfiltered });
      expect([items.length, hasMore]).toEqual([fitting, true]);
    });
  });

  describe("an event is queued", () => {
    test("for the enabled endpoints of its type, in its account and mode", async () => {
      const store = await (await stores()).open();
      const subscribed = [
        await addEndpoint(store),
        await addEndpoint(store, { events: ["payment.succeeded"] }),
        await addEndpoint(store, { events: ["payment.pending", "payment.succeeded"] }),
      ];
      const others = [
        await addEndpoint(store, { events: ["payment.pending", "payment.refunded"] }),
        await addEndpoint(store, { status: "disabled" }),
      ];
      const strangers = [
        [liveScope, await addEndpoint(store, {}, liveScope)],
        [otherAccount, await addEndpoint(store, {}, otherAccount)],
      ] as const;
      const made = writeOf(paymentIn("succeeded", atMs));
      await store.createPayment(() => made);
      for (const endpoint of subscribed)
        expect(await deliveriesOf(store, endpoint)).toEqual([
          {
            id: expect.stringMatching(
              /^del_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}-[0-9a-f]{10}$/,
            ) as unknown,
            endpointId: endpoint.id,
            eventId: made.event.id,
            type: "payment.succeeded",
            status: "pending",
            attempts: 0,
            dueAtMs: atMs,
            lastStatus: null,
            lastError: null,
            createdMs: atMs,
          },
        ]);
      for (const endpoint of others) expect(await deliveriesOf(store, endpoint)).toEqual([]);
      for (const [of, endpoint] of strangers)
        expect(await deliveriesOf(store, endpoint, of)).toEqual([]);
    });

    test("when its schedule begins, and at once for a connected listener", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const listener = await addEndpoint(store, { url: null, queuesUntilMs: atMs + 1 });
      const away = await addEndpoint(store, { url: null, queuesUntilMs: atMs });
      const write = writeOf(paymentIn("succeeded", atMs));
      const event = { ...write.event, dueAtMs: atMs + 500 };
      await store.createPayment(() => ({ ...write, event }));
      const dueOf = async (of: { id: string }) =>
        (await deliveriesOf(store, of)).map(({ dueAtMs }) => dueAtMs);
      expect(await dueOf(endpoint)).toEqual([atMs + 500]);
      expect(await dueOf(listener)).toEqual([atMs]);
      expect(await dueOf(away)).toEqual([]);
    });
  });

  describe("events that are older than their retention", () => {
    test("are purged with their deliveries, in one scope and up to a limit", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const payments = [];
      for (const nowMs of [atMs, atMs + 1, atMs + 2, atMs + 1_000]) {
        const payment = paymentIn("succeeded", nowMs);
        payments.push(payment);
        await store.createPayment(() => writeOf(payment, { nowMs }));
        await store.transition(moveOf(refund(payment, later) as Payment, "succeeded", { nowMs }));
      }
      const live = writeOf(paymentIn("succeeded", atMs), { scope: liveScope });
      await store.createPayment(() => live);
      const before = atMs / 1000 + 1;
      while (await store.countTotals(scope, later, 10)) continue;
      expect(await store.purgeEvents(scope, before, 4)).toBe(8);
      expect(await store.purgeEvents(scope, before, 4)).toBe(4);
      expect(await store.purgeEvents(scope, before, 4)).toBe(0);
      const left = await store.listEvents(scope, { ...all, ...unfiltered });
      expect(left.items.map((json) => (JSON.parse(json) as Event).data.object.id)).toEqual([
        payments[3]?.id,
        payments[3]?.id,
      ]);
      expect(await deliveriesOf(store, endpoint)).toHaveLength(2);
      expect(await store.findEvent(liveScope, live.event.id)).toBeDefined();
    });

    test("stay until they are in the totals, though their deliveries do not", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      for (const nowMs of [atMs, atMs + 1_000]) {
        const payment = paymentIn("succeeded", nowMs);
        await store.createPayment(() => writeOf(payment, { nowMs }));
        await store.transition(moveOf(refund(payment, later) as Payment, "succeeded", { nowMs }));
      }
      expect(await store.purgeEvents(scope, later, 10)).toBe(4);
      expect(await deliveriesOf(store, endpoint)).toEqual([]);
      expect(await store.purgeEvents(scope, later, 10)).toBe(0);
      while (await store.countTotals(scope, atMs / 1000 + 1, 10)) continue;
      expect(await store.purgeEvents(scope, later, 10)).toBe(2);
      while (await store.countTotals(scope, later, 10)) continue;
      expect(await store.purgeEvents(scope, later, 10)).toBe(2);
    });

    test("leave the count of a payment's events as it is", async () => {
      const store = await (await stores()).open();
      const payment = paymentIn("succeeded", atMs);
      await store.createPayment(() => writeOf(payment));
      const nowMs = atMs + 60_000;
      await store.transition(moveOf(refund(payment, later) as Payment, "succeeded", { nowMs }));
      while (await store.countTotals(scope, later + 1, 10)) continue;
      await store.purgeEvents(scope, later, 10);
      expect((await eventsOf(store, payment)).map(({ sequence }) => sequence)).toEqual([2]);
      await store.purgeEvents(scope, later + 1, 10);
      await store.transition(moveOf(payment, "pending")); // a conflict: it brings none of them back
      expect(await eventsOf(store, payment)).toEqual([]);
    });
  });
}
