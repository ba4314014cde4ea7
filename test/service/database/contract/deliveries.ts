import { expect } from "vitest";
import type { DeliveryTry } from "../../../../src/contract/delivery.ts";
import { contended, describe, test } from "./contended.ts";
import type { NextAccounts } from "../../../../src/service/database/due-work.ts";
import type {
  StoredDelivery,
  DueEndpoint,
} from "../../../../src/service/webhooks/deliveries-sql.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { Store } from "../../../../src/service/service.ts";
import type { Endpoint } from "../../../../src/service/webhooks/delivery-state.ts";
import { addAccounts, paymentIn, queuedDelivery } from "../../../testkit/database/records.ts";
import {
  addEndpoint,
  deliveriesOf,
  everything,
  endDelivery,
  failedAttempt,
  lease,
} from "./endpoints.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";
import { atMs, liveScope, otherAccount, scope, writeOf } from "./writes.ts";

/** Makes the events of new payments, one each millisecond; returns their ids. */
async function makeEvents(store: Store, count: number, of: Scope = scope, fromMs = atMs) {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const nowMs = fromMs + i;
    const made = writeOf(paymentIn("succeeded", nowMs), { nowMs, scope: of });
    await store.createPayment(() => made);
    ids.push(made.event.id);
  }
  return ids;
}

const triedWith = (answer: string): DeliveryTry => ({
  created: atMs / 1000,
  status: 500,
  duration_ms: 12,
  error: "It answered 500.",
  answer,
});

const eventsIn = (deliveries: StoredDelivery[]) => deliveries.map(({ eventId }) => eventId);
const delivered = {
  status: "delivered",
  dueAtMs: null,
  lastStatus: 204,
  lastError: null,
} as const;

export function deliveriesContract(stores: OpenStores): void {
  describe("deliveries", () => {
    test("are leased with their events, up to a limit, the oldest first", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const events = await makeEvents(store, 5);
      expect(await lease(store, endpoint, atMs - 1)).toEqual([]);
      const leased = await lease(store, endpoint, atMs + 3, 2);
      expect(eventsIn(leased)).toEqual(events.slice(0, 2));
      for (const { event, eventId, dueAtMs } of leased) {
        expect(event).toBe(await store.findEvent(scope, eventId));
        expect(dueAtMs).toBe(atMs + 1_003);
      }
      // The fifth is not due yet.
      expect(eventsIn(await lease(store, endpoint, atMs + 3))).toEqual(events.slice(2, 4));
      expect(await lease(store, endpoint, atMs + 3)).toEqual([]);
    });

    test("that are due in the same millisecond are leased in the order of their events", async () => {
      const store = await (await stores()).open();
      const { id } = await addEndpoint(store);
      const early = queuedDelivery(id, "evt_1", atMs);
      const late = queuedDelivery(id, "evt_2", atMs);
      await store.queueDeliveries({ scope, deliveries: [late, early], idempotency: undefined });
      for (const { eventId } of [early, late]) {
        expect(eventsIn(await lease(store, { id }, atMs, 1))).toEqual([eventId]);
      }
    });

    test("are leased again when their lease has expired", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const events = await makeEvents(store, 3);
      await lease(store, endpoint, atMs + 2);
      expect(await lease(store, endpoint, atMs + 1_001)).toEqual([]);
      expect(eventsIn(await lease(store, endpoint, atMs + 1_002))).toEqual(events);
    });

    test("are leased again at once, in order, when their worker has ended", async () => {
      const store = await (await stores()).open();
      const [endpoint, other] = [await addEndpoint(store), await addEndpoint(store)];
      const events = await makeEvents(store, 4);
      for (const each of [endpoint, other]) await lease(store, each, atMs + 2);
      for (const of of [liveScope, otherAccount]) await store.makeDueNow(of, endpoint.id, atMs + 3);
      expect(await lease(store, endpoint, atMs + 2)).toEqual([]);
      await store.makeDueNow(scope, endpoint.id, atMs + 4);
      // Before the one that has not been leased, whose event happened later.
      for (const event of events) {
        expect(eventsIn(await lease(store, endpoint, atMs + 4, 1))).toEqual([event]);
      }
      expect(eventsIn(await lease(store, other, atMs + 3))).toEqual(events.slice(3));
    });

    contended("are each leased by one of two processes", async () => {
      const database = await stores();
      const both = [await database.open(), await database.open()];
      const endpoint = await addEndpoint(both[0]!);
      const events = await makeEvents(both[0]!, 40);
      const leased: string[] = [];
      const leaseAll = async (store: Store) => {
        for (;;) {
          const some = await lease(store, endpoint, atMs + 40, 3);
          if (some.length === 0 && leased.length >= events.length) return;
          leased.push(...eventsIn(some));
        }
      };
      await Promise.all([...both, ...both].map(leaseAll));
      expect(leased.toSorted()).toEqual(events);
    });

    test("of a purged event have no event", async () => {
      const store = await (await stores()).open();
      const { id } = await addEndpoint(store);
      const delivery = queuedDelivery(id, "evt_forgotten", atMs);
      await store.queueDeliveries({ scope, deliveries: [delivery], idempotency: undefined });
      expect(await lease(store, { id })).toEqual([
        { ...delivery, dueAtMs: atMs + 1_000, tries: [], event: undefined },
      ]);
    });

    test("end once: a late attempt, or one of an abandoned delivery, changes nothing", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, 1);
      const [leased] = await lease(store, endpoint);
      const tries = [triedWith("Sorry\u0000\ufffd")];
      const failed = failedAttempt(leased!, { tries });
      expect(await endDelivery(store, failed)).toBe(true);
      const after = {
        tries,
        status: "pending",
        attempts: 1,
        dueAtMs: atMs + 60_000,
        lastStatus: 500,
        lastError: "It answered 500.",
      };
      const found = async () => store.findDelivery(scope, leased!.id);
      expect(await found()).toMatchObject(after);
      const late = { ...failed, ...delivered, tries: [triedWith("late")] };
      expect(await endDelivery(store, late)).toBe(false);
      expect(await found()).toMatchObject(after);
      expect((await lease(store, endpoint, atMs + 60_000))[0]?.tries).toEqual(tries);
      const both = [...tries, triedWith("ok")];
      const ended = { ...failed, ...delivered, tries: both, delivery: (await found())! };
      expect(await endDelivery(store, ended)).toBe(true);
      const last = {
        tries: both,
        status: "delivered",
        attempts: 2,
        dueAtMs: null,
        lastStatus: 204,
        lastError: null,
      };
      expect(await found()).toMatchObject(last);
      expect(await endDelivery(store, failedAttempt((await found())!))).toBe(false);
      expect(await found()).toMatchObject(last);
    });

    test("of an endpoint end together, each unless it has ended already", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, 100);
      const leased = await lease(store, endpoint, atMs + 100);
      const [first, second] = leased;
      await endDelivery(store, failedAttempt(first!, { status: "failed", dueAtMs: null }));
      const resultAt = (at: number) => {
        const tries = [triedWith(`Answer ${at}`)];
        return at % 2 === 0 ? { ...delivered, tries } : { tries };
      };
      const results = leased.map((delivery, at) => failedAttempt(delivery, resultAt(at)));
      const write = { scope, endpointId: endpoint.id, results };
      for (const of of [liveScope, otherAccount])
        expect(await store.writeAttempts({ ...write, scope: of })).toEqual(new Set());
      const ids = leased.map(({ id }) => id);
      expect(await store.writeAttempts(write)).toEqual(new Set(ids.slice(1)));
      expect(await store.writeAttempts(write)).toEqual(new Set());
      const statuses = (await deliveriesOf(store, endpoint)).map(({ status }) => status);
      expect(statuses.filter((status) => status === "delivered")).toHaveLength(49);
      expect(statuses.filter((status) => status === "pending")).toHaveLength(50);
      expect(await store.findDelivery(scope, second!.id)).toMatchObject({
        attempts: 1,
        dueAtMs: atMs + 60_000,
        lastStatus: 500,
        tries: [triedWith("Answer 1")],
      });
    });

    test.each<[string, (number | "ok" | undefined)[], failing: number | null, last: number | null]>(
      [
        ["the first failure", [1, 2], 1, null],
        ["a success, and no failure before it", [1, "ok"], null, atMs / 1000],
        ["the first failure after the last success", [1, "ok", 2, "ok", 3, 4], 3, atMs / 1000],
        ["nothing that leaves it as it is", [undefined, undefined], null, null],
        ["a failure beside what leaves it as it is", [undefined, 2, undefined], 2, null],
      ],
    )("that end together record %s", async (_, times, since, last) => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, times.length);
      const leased = await lease(store, endpoint, atMs + 9);
      const results = leased.map((delivery, at) => {
        const endedMs = times[at];
        if (endedMs !== "ok") return failedAttempt(delivery, { endedMs });
        return failedAttempt(delivery, { ...delivered, endedMs: atMs });
      });
      await store.writeAttempts({ scope, endpointId: endpoint.id, results });
      const found = await store.findEndpoint(scope, endpoint.id);
      expect(found).toMatchObject({ failingSinceMs: since, lastSuccessAt: last });
    });

    test("record since when their endpoint fails: since the first failure after a success", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, 5);
      const failingSince = async () =>
        (await store.findEndpoint(scope, endpoint.id))?.failingSinceMs;
      const said = [];
      for (const endedMs of [atMs + 1, atMs + 2, undefined, "ok", atMs + 3] as const) {
        const [next] = await lease(store, endpoint, atMs + 9, 1);
        const end = endedMs === "ok" ? { ...delivered, endedMs: atMs + 2 } : { endedMs };
        await endDelivery(store, failedAttempt(next!, end));
        said.push(await failingSince());
      }
      expect(said).toEqual([atMs + 1, atMs + 1, atMs + 1, null, atMs + 3]);
    });

    test("record a failure only where they end the attempt, and a success always", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, 2);
      const [late, other] = await lease(store, endpoint, atMs + 1);
      const failingSince = async () =>
        (await store.findEndpoint(scope, endpoint.id))?.failingSinceMs;
      const success = { ...delivered, endedMs: atMs };
      await endDelivery(store, failedAttempt(late!, success));
      expect(await endDelivery(store, failedAttempt(late!, { endedMs: atMs }))).toBe(false);
      expect(await failingSince()).toBeNull();
      await endDelivery(store, failedAttempt(other!, { endedMs: atMs }));
      expect(await failingSince()).toBe(atMs);
      expect(await endDelivery(store, failedAttempt(other!, success))).toBe(false);
      expect(await failingSince()).toBeNull();
    });

    test("of some events are listed across endpoints, with those of their resends", async () => {
      const store = await (await stores()).open();
      const [one, two] = [await addEndpoint(store), await addEndpoint(store)];
      await addEndpoint(store, {}, liveScope);
      await addEndpoint(store, {}, otherAccount);
      const [first = "", second = "", third = ""] = await makeEvents(store, 3);
      for (const of of [liveScope, otherAccount]) await makeEvents(store, 1, of);
      const resent = [first, third].flatMap((event, at) =>
        [one, two].map(({ id }) => queuedDelivery(id, event, atMs + 60_000 + at)),
      );
      await store.queueDeliveries({ scope, deliveries: resent, idempotency: undefined });
      const [failed] = await lease(store, one, atMs, 1);
      await endDelivery(store, failedAttempt(failed!, { status: "failed", dueAtMs: null }));
      const all = [...(await deliveriesOf(store, one)), ...(await deliveriesOf(store, two))]
        .filter(({ eventId }) => eventId !== second)
        .toSorted((a, b) => (a.id < b.id ? 1 : -1));
      expect(all).toHaveLength(8);
      const list = async (range: object, events = [first, third]) =>
        store.listDeliveriesOfEvents(scope, events, { ...everything, below: "del_g", ...range });
      expect(await list({})).toEqual({ items: all, hasMore: false });
      expect(await list({}, [third])).toEqual({
        items: all.filter(({ eventId }) => eventId === third),
        hasMore: false,
      });
      for (const [at, { id }] of all.entries()) {
        const older = { items: all.slice(at + 1, at + 4), hasMore: all.length > at + 4 };
        expect(await list({ below: id, limit: 3 })).toEqual(older);
        const newer = { items: all.slice(Math.max(0, at - 3), at), hasMore: at > 3 };
        expect(await list({ above: id, limit: 3, direction: "backward" })).toEqual(newer);
      }
      const ofStatus = async (...statuses: StoredDelivery["status"][]) =>
        (await list({ statuses })).items.length;
      expect([await ofStatus("failed"), await ofStatus("pending")]).toEqual([1, 7]);
      expect(await ofStatus("failed", "delivered")).toBe(1);
      const some = { ...everything, below: "del_g", statuses: ["failed", "delivered"] } as const;
      expect((await store.listDeliveries(scope, one.id, some)).items).toHaveLength(1);
    });

    test("record when one last succeeded, and never an earlier time", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      await makeEvents(store, 3);
      const leased = await lease(store, endpoint, atMs + 9);
      const said = [(await store.findEndpoint(scope, endpoint.id))?.lastSuccessAt];
      for (const [at, endedMs] of [atMs + 1_000, atMs + 60_999, atMs].entries()) {
        await endDelivery(store, failedAttempt(leased[at]!, { ...delivered, endedMs }));
        said.push((await store.findEndpoint(scope, endpoint.id))?.lastSuccessAt);
      }
      expect(said).toEqual([null, atMs / 1000 + 1, atMs / 1000 + 60, atMs / 1000 + 60]);
      const moved = { ...endpoint, revision: 2, status: "disabled" } as const;
      await store.changeEndpoint({ scope, endpoint: moved, idempotency: undefined });
      expect(await store.findEndpoint(scope, endpoint.id)).toMatchObject({
        lastSuccessAt: atMs / 1000 + 60,
      });
      const elsewhere = { ...moved, revision: 3, url: "https://new.example/hooks" };
      await store.changeEndpoint({ scope, endpoint: elsewhere, idempotency: undefined });
      expect(await store.findEndpoint(scope, endpoint.id)).toMatchObject({ lastSuccessAt: null });
    });

    test("that are due are found by enabled endpoints with an address", async () => {
      const store = await (await stores()).open();
      await addAccounts(store, [scope.accountId, otherAccount.accountId]);
      const endpoint = await addEndpoint(store);
      const live = await addEndpoint(store, {}, liveScope);
      const others = await addEndpoint(store, {}, otherAccount);
      await addEndpoint(store, { url: null });
      const off = await addEndpoint(store);
      await addEndpoint(store, { events: ["payment.failed"] });
      for (const of of [scope, liveScope, otherAccount]) await makeEvents(store, 2, of);
      const disabled = { ...off, status: "disabled", revision: 2 } as const;
      await store.changeEndpoint({ scope, endpoint: disabled, idempotency: undefined });
      const [leased] = await lease(store, endpoint, atMs, 1);
      await endDelivery(store, failedAttempt(leased!, { endedMs: atMs }));
      expect(await store.findDueEndpoints(atMs - 1, "")).toEqual({ found: [], next: undefined });
      const { found, next } = await store.findDueEndpoints(atMs + 1, "");
      expect(next).toBeUndefined();
      expect(found.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1))).toEqual([
        { scope, endpointId: endpoint.id, isFailing: true },
        { scope: liveScope, endpointId: live.id, isFailing: false },
        { scope: otherAccount, endpointId: others.id, isFailing: false },
      ]);
    });

    test("that are due are searched in batches of a hundred accounts", async () => {
      const store = await (await stores()).open();
      const accounts = Array.from({ length: 201 }, (_, i) => `acct_due_${1_000 + i}`);
      await addAccounts(store, accounts);
      const deliverOne = async (accountId: string) => {
        const of = { accountId, livemode: false };
        await addEndpoint(store, {}, of);
        await makeEvents(store, 1, of);
      };
      await Promise.all(accounts.map(deliverOne));
      const found: string[][] = [];
      let after: string | undefined = "";
      while (after !== undefined) {
        const due: NextAccounts<DueEndpoint> = await store.findDueEndpoints(atMs, after);
        found.push(due.found.map(({ scope: { accountId } }) => accountId));
        after = due.next;
      }
      for (const batch of found) expect(batch.length).toBeLessThanOrEqual(100);
      expect(found.flat().toSorted()).toEqual(accounts);
    });

    test("are in the backlog until they end, except those of listeners and disabled endpoints", async () => {
      const store = await (await stores()).open();
      expect(await store.measureWebhookBacklog(atMs)).toEqual({ count: 0, oldestAgeMs: 0 });
      const endpoint = await addEndpoint(store);
      await addEndpoint(store, { url: null });
      await addEndpoint(store, {}, otherAccount);
      await makeEvents(store, 3);
      await makeEvents(store, 1, otherAccount, atMs + 9);
      expect(await store.measureWebhookBacklog(atMs + 10)).toEqual({ count: 4, oldestAgeMs: 10 });
      const [leased] = await lease(store, endpoint, atMs, 1);
      await endDelivery(store, { ...failedAttempt(leased!), ...delivered });
      expect(await store.measureWebhookBacklog(atMs + 10)).toEqual({ count: 3, oldestAgeMs: 9 });
      const disabled = { ...endpoint, status: "disabled", revision: 2 } as const;
      await store.changeEndpoint({ scope, endpoint: disabled, idempotency: undefined });
      expect(await store.measureWebhookBacklog(atMs + 10)).toEqual({ count: 1, oldestAgeMs: 1 });
    });

    test("are listed by endpoint, later events first, in both directions", async () => {
      const store = await (await stores()).open();
      const { id } = await addEndpoint(store);
      await addEndpoint(store);
      const events = (await makeEvents(store, 5)).toReversed();
      const whole = { ...everything, below: "del_g" };
      const all = await store.listDeliveries(scope, id, whole);
      expect([eventsIn(all.items), all.hasMore]).toEqual([events, false]);
      const [first, , , , last] = all.items;
      const next = await store.listDeliveries(scope, id, { ...whole, below: first!.id, limit: 2 });
      expect([eventsIn(next.items), next.hasMore]).toEqual([events.slice(1, 3), true]);
      const before = { ...whole, above: last!.id, limit: 2, direction: "backward" } as const;
      const previous = await store.listDeliveries(scope, id, before);
      expect([eventsIn(previous.items), previous.hasMore]).toEqual([events.slice(2, 4), true]);
      for (const others of [liveScope, otherAccount]) {
        expect((await store.listDeliveries(others, id, whole)).items).toEqual([]);
        expect(await store.findDelivery(others, first!.id)).toBeUndefined();
        expect(
          await store.leaseDeliveries(others, id, { nowMs: atMs, untilMs: atMs, limit: 9 }),
        ).toEqual([]);
      }
    });
  });

  test("of an event are only those that it made itself", async () => {
    const store = await (await stores()).open();
    const endpoints = [await addEndpoint(store), await addEndpoint(store)];
    const [, event = ""] = await makeEvents(store, 3);
    const retry = queuedDelivery(endpoints[0]!.id, event, atMs);
    await store.queueDeliveries({ scope, deliveries: [retry], idempotency: undefined });
    const made = await store.listEventDeliveries(scope, event);
    expect(eventsIn(made)).toEqual([event, event]);
    expect(new Set(made.map(({ endpointId }) => endpointId))).toEqual(
      new Set(endpoints.map(({ id }) => id)),
    );
    for (const others of [liveScope, otherAccount]) {
      expect(await store.listEventDeliveries(others, event)).toEqual([]);
    }
  });

  describe("an event that is sent again", () => {
    test("makes one more delivery, once for a key", async () => {
      const store = await (await stores()).open();
      const endpoints = [await addEndpoint(store), await addEndpoint(store)];
      const [eventId = ""] = await makeEvents(store, 1);
      const queue = async () => {
        const deliveries = endpoints.map(({ id }) => queuedDelivery(id, eventId, atMs));
        const idempotency = { ...records, response: { status: 200, body: deliveries[0]!.id } };
        return store.queueDeliveries({ scope, deliveries, idempotency });
      };
      const records = {
        key: "k",
        fingerprint: "f",
        lockedUntilMs: 0,
        nowMs: atMs,
        expiresAtMs: atMs + 1,
      };
      expect(await queue()).toEqual({ outcome: "written" });
      expect(await queue()).toMatchObject({ outcome: "replayed" });
      for (const endpoint of endpoints)
        expect(eventsIn(await lease(store, endpoint))).toEqual([eventId, eventId]);
    });
  });

  describe("queuing past events", () => {
    test("for one endpoint, of its types, where they were never queued, up to a limit", async () => {
      const store = await (await stores()).open();
      const events = await makeEvents(store, 5);
      const listener = await addEndpoint(store, { url: null });
      const picky = await addEndpoint(store, { url: null, events: ["payment.failed"] });
      const retry = {
        scope,
        endpointId: listener.id,
        limit: 2,
        nowMs: atMs + 9,
        includesFailed: true,
      };
      let above: string | undefined = events[0];
      const lastIds = [];
      while (above !== undefined) {
        ({ last: above } = await store.requeueEvents({ ...retry, above }));
        lastIds.push(above);
      }
      expect(lastIds).toEqual([events[2], events[4], undefined]);
      const queued = await lease(store, listener, atMs + 9);
      expect(eventsIn(queued)).toEqual(events.slice(1));
      expect(queued[0]?.createdMs).toBe(atMs + 9);
      await store.requeueEvents({ ...retry, endpointId: picky.id, above: "" });
      expect(await deliveriesOf(store, picky)).toEqual([]);
    });

    test("where they failed if requested, and never where they are pending or delivered", async () => {
      const store = await (await stores()).open();
      const listener = await addEndpoint(store, { url: null });
      const events = await makeEvents(store, 3);
      const [failed, arrived] = await lease(store, listener, atMs + 3, 2);
      await endDelivery(store, failedAttempt(failed!, { status: "failed", dueAtMs: null }));
      await endDelivery(store, { ...failedAttempt(arrived!), ...delivered });
      const retry = { scope, endpointId: listener.id, above: "", limit: 9, nowMs: atMs + 5 };
      await store.requeueEvents({ ...retry, includesFailed: false });
      expect(eventsIn(await lease(store, listener, atMs + 5))).toEqual(events.slice(2));
      await store.requeueEvents({ ...retry, includesFailed: true });
      const [revived, ...more] = await lease(store, listener, atMs + 5);
      expect(more).toEqual([]);
      expect(revived).toMatchObject({ id: failed!.id, attempts: 0, createdMs: atMs + 5 });
    });

    test("up to a number, without those that are left alone, due in the order of creation", async () => {
      const store = await (await stores()).open();
      const events = await makeEvents(store, 5);
      const listener = await addEndpoint(store, { url: null });
      const retry = {
        scope,
        endpointId: listener.id,
        above: "",
        limit: 9,
        nowMs: atMs + 9,
        includesFailed: true,
        except: new Set([events[1]!]),
      };
      const queued = { last: events[4], queued: 2, isFull: true };
      expect(await store.requeueEvents({ ...retry, max: 2 })).toEqual(queued);
      const rest = { last: events[4], queued: 2, isFull: false };
      expect(await store.requeueEvents({ ...retry, max: 2 })).toEqual(rest);
      const nothing = { last: events[4], queued: 0, isFull: false };
      expect(await store.requeueEvents({ ...retry, max: 0 })).toEqual(nothing);
      const order = [];
      for (let count = 0; count < 4; count++) {
        order.push(...eventsIn(await lease(store, listener, atMs + 9, 1)));
      }
      expect(order).toEqual(events.filter((id) => id !== events[1]));
    });

    contended("of which two at once queue each event once", async () => {
      const store = await (await stores()).open();
      const listener = await addEndpoint(store, { url: null });
      await makeEvents(store, 3);
      for (const each of await lease(store, listener, atMs + 3)) {
        await endDelivery(store, failedAttempt(each, { status: "failed", dueAtMs: null }));
      }
      const retry = { scope, endpointId: listener.id, above: "", limit: 9, nowMs: atMs + 5 };
      const both = await Promise.all(
        [1, 2].map(async () => store.requeueEvents({ ...retry, includesFailed: true })),
      );
      expect(both.reduce((sum, { queued }) => sum + queued, 0)).toBe(3);
      expect(await lease(store, listener, atMs + 5)).toHaveLength(3);
    });

    test("not for an endpoint that was disabled", async () => {
      const store = await (await stores()).open();
      await makeEvents(store, 1);
      const { id } = await addEndpoint(store, { status: "disabled" });
      const retry = { scope, endpointId: id, above: "", limit: 9, nowMs: atMs + 9 };
      expect(await store.requeueEvents({ ...retry, includesFailed: true })).toMatchObject({
        queued: 0,
      });
      expect(await deliveriesOf(store, { id })).toEqual([]);
    });

    test("finds the events of a resend, unless that failed", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const [first, second, third] = await makeEvents(store, 3);
      const deliveries = [first, second, third].map((id) => queuedDelivery(endpoint.id, id!, atMs));
      await store.queueDeliveries({ scope, deliveries, idempotency: undefined });
      const last = deliveries[2]!;
      const failed = failedAttempt({ ...last, tries: [] }, { status: "failed", dueAtMs: null });
      await endDelivery(store, failed);
      const find = async (above: string, limit: number, of = scope) =>
        store.findResentEvents(of, endpoint.id, { above, limit });
      expect((await find("", 9)).events).toEqual([first, second]);
      expect(await find("", 9, liveScope)).toEqual({ last: undefined, events: [] });
      const found: string[] = [];
      for (let above: string | undefined = "", rounds = 0; above !== undefined; rounds++) {
        const batch = await find(above, 2);
        found.push(...batch.events);
        above = batch.last;
        expect(rounds).toBeLessThan(6);
      }
      expect(found).toEqual([first, second]);
    });

    test("in its own account and mode", async () => {
      const store = await (await stores()).open();
      await makeEvents(store, 2);
      const listener = await addEndpoint(store, { url: null });
      for (const others of [liveScope, otherAccount]) {
        const retry = {
          endpointId: listener.id,
          above: "",
          limit: 9,
          nowMs: atMs,
          includesFailed: true,
        };
        const nothing = { last: undefined, queued: 0, isFull: false };
        expect(await store.requeueEvents({ ...retry, scope: others })).toEqual(nothing);
      }
      expect(await deliveriesOf(store, listener)).toEqual([]);
    });
  });

  describe("abandoning pending deliveries", () => {
    test("that were queued before a time, up to a limit, which are due no more", async () => {
      const store = await (await stores()).open();
      const endpoint = await addEndpoint(store);
      const neighbour = await addEndpoint(store);
      await makeEvents(store, 5);
      const [arrived] = await lease(store, endpoint, atMs, 1);
      await endDelivery(store, { ...failedAttempt(arrived!), ...delivered });
      const [leased] = await lease(store, endpoint, atMs + 1, 1);
      const which = {
        scope,
        endpointId: endpoint.id,
        beforeMs: atMs + 4,
        reason: "Nobody.",
        isDisabled: false,
        limit: 2,
      };
      const counts = [];
      for (let i = 0; i < 3; i++) counts.push(await store.abandonDeliveries(which));
      expect(counts).toEqual([2, 1, 0]);
      const states = (await deliveriesOf(store, endpoint)).map((each) => [
        each.status,
        each.dueAtMs,
        each.lastError,
      ]);
      expect(states).toEqual([
        ["pending", atMs + 4, null],
        ["failed", null, "Nobody."],
        ["failed", null, "Nobody."],
        ["failed", null, "Nobody."],
        ["delivered", null, null],
      ]);
      expect(await endDelivery(store, { ...failedAttempt(leased!), ...delivered })).toBe(false);
      expect(await lease(store, neighbour, atMs + 9)).toHaveLength(5);
      for (const others of [liveScope, otherAccount])
        expect(await store.abandonDeliveries({ ...which, scope: others, beforeMs: atMs + 9 })).toBe(
          0,
        );
    });
  });

  test("an endpoint that is re-enabled keeps its pending deliveries", async () => {
    const store = await (await stores()).open();
    const endpoint = await addEndpoint(store);
    await makeEvents(store, 1);
    const reason = "It was disabled.";
    const which = { scope, endpointId: endpoint.id, beforeMs: atMs + 3, reason, limit: 1 };
    expect(await store.abandonDeliveries({ ...which, isDisabled: true })).toBe(0);
    const disabled: Endpoint = { ...endpoint, status: "disabled", revision: endpoint.revision + 1 };
    await store.changeEndpoint({ scope, endpoint: disabled, idempotency: undefined });
    expect(await store.abandonDeliveries({ ...which, isDisabled: true })).toBe(1);
  });

  test("a deleted endpoint gets nothing more", async () => {
    const store = await (await stores()).open();
    const endpoint = await addEndpoint(store);
    await makeEvents(store, 1);
    await store.deleteEndpoint(scope, endpoint.id);
    expect((await store.findDueEndpoints(atMs, "")).found).toEqual([]);
    expect(await store.measureWebhookBacklog(atMs)).toEqual({ count: 0, oldestAgeMs: 0 });
    await makeEvents(store, 1);
    expect(await deliveriesOf(store, endpoint)).toHaveLength(1);
  });
}
