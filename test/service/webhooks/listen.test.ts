import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../src/contract/delivery.ts";
import type { ListenerDelivery, StartListenerBody } from "../../../src/contract/listener.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Adapters, Store } from "../../../src/service/service.ts";
import { queuedDelivery } from "../../testkit/database/records.ts";
import {
  openStoreWith,
  openTestService,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1000;

/** A service with a clock that the test sets, and a listener; a test may replace methods of the store. */
async function openListener(
  replace: (real: Store) => Partial<Store> = () => ({}),
  adapters: Partial<Adapters> = {},
) {
  const store = await openStoreWith(replace);
  const opened = await openTestService({ ...adapters, store });
  const { service, pay, time, test: scope } = opened;
  const addListener = async (of: Scope = scope) => {
    const { body } = await service.createEndpoint(of, { url: null });
    return (JSON.parse(body) as WebhookEndpoint).id;
  };
  const id = await addListener();
  const take = async (from = id) => {
    const leased = await service.takeDeliveries(scope, { id: from, body: {} });
    return leased.map((json) => JSON.parse(json) as ListenerDelivery);
  };
  const report = async ({ id: delivery }: Pick<Delivery, "id">, delivered: boolean) =>
    service.reportDelivery(scope, { id, body: { delivery, delivered } });
  return {
    ...opened,
    scope,
    id,
    addListener,
    take,
    report,
    start: async (body: StartListenerBody = {}, gone?: AbortSignal) =>
      service.startListener(scope, { id, body }, gone),
    wait: async (gone?: AbortSignal, from = id, of = scope) =>
      service.takeDeliveries(
        of,
        { id: from, body: { wait_seconds: 25 } },
        gone === undefined ? {} : { gone },
      ),
    /** Creates a payment after a delay; returns its id. */
    payAfter: async (ms = 1_000) => {
      time.nowMs += ms;
      return (await pay(scope)).id;
    },
    /** Leases and reports all deliveries; returns their payments. */
    receive: async () => {
      const leased = await take();
      for (const delivery of leased) await report(delivery, true);
      return leased.map(({ event }) => event.data.object.id);
    },
  };
}

test("a request that waits for events ends once its key is refused", async () => {
  const { service, scope, id, start } = await openListener();
  await start();
  const request = { id, body: { wait_seconds: 25 } };
  const waiting = service.takeDeliveries(scope, request, {
    checkKey: async () => Promise.reject(new Error("It was revoked.")),
  });
  await expect(waiting).rejects.toThrow("It was revoked.");
});

test("a delivery whose event was purged ends, and is not leased again", async () => {
  const { service, store, scope, id, start, take } = await openListener();
  await start();
  const delivery = queuedDelivery(id, "evt_purged", startSeconds * 1000);
  await store.queueDeliveries({ scope, deliveries: [delivery], idempotency: undefined });
  expect(await take()).toEqual([]);
  const { items } = await service.listDeliveries(scope, id, {});
  expect(items).toMatchObject([
    { status: "failed", next_attempt_at: null, last_error: "The event has expired." },
  ]);
});

test("a listener's report is stored without the secrets in it", async () => {
  const { service, scope, id, start, payAfter, take } = await openListener();
  await start();
  await payAfter();
  const [{ id: delivery } = { id: "" }] = await take();
  const foreign = "4242-4242-4242-4242 svc_live_sk_abcdef /pay/0b1c2d1aZ1aZ1aZ1aZ";
  const body = { delivery, delivered: false, last_error: foreign, answer: foreign };
  await service.reportDelivery(scope, { id, body });
  const found = JSON.stringify(await service.getDelivery(scope, { id, delivery }));
  expect(found).toContain("svc_live_sk_…");
  expect(found).not.toMatch(/4242|abcdef|1aZ/);
});

describe("a listener that starts", () => {
  test("gets the events from its creation on, in order, once", async () => {
    const { start, payAfter, receive } = await openListener();
    await start();
    const ids = [await payAfter(), await payAfter(), await payAfter()];
    expect(await receive()).toEqual(ids);
    expect(await receive()).toEqual([]);
    const next = await payAfter(0);
    expect(await receive()).toEqual([next]);
  });

  test("again within a day gets the events in between", async () => {
    const { start, payAfter, receive } = await openListener();
    await start();
    const ids = [await payAfter(), await payAfter(), await payAfter(23 * hourMs)];
    await start();
    expect(await receive()).toEqual(ids);
  });

  test.each(["starts again", "wakes"])(
    "and %s after more than a day gets the events of the last day, also those that were not queued",
    async (how) => {
      const { start, payAfter, receive, time } = await openListener();
      await start();
      await payAfter(); // more than a day before
      const ids = [await payAfter(30 * hourMs), await payAfter(20 * hourMs)];
      if (how === "starts again") await start();
      expect(await receive()).toEqual(ids);
      time.nowMs += 1_000;
      const next = await payAfter();
      await start();
      expect(await receive()).toEqual([next]);
    },
  );

  test("and fails while it catches up does so at the next start", async () => {
    let isDisconnected = false;
    const { start, payAfter, receive } = await openListener((real) => ({
      requeueEvents: async (write) => {
        if (isDisconnected) throw new Error("the connection is lost");
        return await real.requeueEvents(write);
      },
    }));
    const id = await payAfter(30 * hourMs);
    isDisconnected = true;
    await expect(start()).rejects.toThrow("the connection is lost");
    isDisconnected = false;
    await start();
    expect(await receive()).toEqual([id]);
  });

  test("after more than a day also gets events that happen while it catches up", async () => {
    const ids: string[] = [];
    const t = await openListener((real) => ({
      extendQueueing: async (...write) => {
        ids.push((await t.pay(t.scope)).id);
        await real.extendQueueing(...write);
      },
    }));
    ids.push(await t.payAfter(30 * hourMs));
    await t.start();
    expect(ids).toHaveLength(2);
    expect(await t.receive()).toEqual(ids);
  });

  test("with since also gets events from before its creation, but none twice", async () => {
    const { start, payAfter, receive, take, addListener, service, scope } = await openListener();
    const [first, second] = [await payAfter(), await payAfter()];
    expect(await receive()).toEqual([first, second]);
    const id = await addListener();
    await service.startListener(scope, { id, body: { since: startSeconds + 2 } });
    expect(await take(id)).toMatchObject([{ event: { data: { object: { id: second } } } }]);
    await start({ since: startSeconds });
    expect(await receive()).toEqual([]);
  });

  test("with since gets deliveries that failed after the retries of 1 s, 5 s, 30 s and 2 min", async () => {
    const { start, payAfter, take, report, receive, time } = await openListener();
    const id = await payAfter();
    for (const stepMs of [1_000, 5_000, 30_000, 120_000]) {
      expect(await report((await take())[0]!, false)).toMatchObject({ status: "pending" });
      time.nowMs += stepMs * 0.9 - 1;
      expect(await take()).toEqual([]);
      time.nowMs += stepMs * 0.2 + 1;
    }
    const last = { status: "failed", attempts: 5, next_attempt_at: null };
    expect(await report((await take())[0]!, false)).toMatchObject(last);
    time.nowMs += hourMs;
    expect(await receive()).toEqual([]);
    await start({ since: startSeconds });
    expect(await receive()).toEqual([id]);
  });

  test("with since catches up until now", async () => {
    let batches = 0;
    const t = await openListener((real) => ({
      requeueEvents: async (write) => {
        batches++;
        for (let i = 0; i < 2; i++) await t.payAfter();
        return await real.requeueEvents(write);
      },
    }));
    await t.start({ since: startSeconds });
    expect(batches).toBe(1);
  });

  test("with since is refused if there are too many events", async () => {
    const { start } = await openListener(() => ({
      requeueEvents: async ({ above }) => ({ last: above, queued: 0, isFull: false }),
    }));
    const refusal = { code: "parameter_invalid", param: "since" };
    await expect(start({ since: startSeconds })).rejects.toMatchObject(refusal);
  });

  test.each(["request", "service"])("stops catching up when the %s ends", async (what) => {
    const over = new AbortController();
    const endless: Store["requeueEvents"] = async ({ above }) => {
      over.abort();
      return { last: above, queued: 0, isFull: false };
    };
    const shutdown = what === "service" ? over.signal : undefined;
    const { start } = await openListener(() => ({ requeueEvents: endless }), { shutdown });
    const gone = what === "request" ? over.signal : undefined;
    const started = start({ since: startSeconds }, gone);
    await expect(started).rejects.toMatchObject({ code: "service_unavailable" });
  });

  test("with only_new gets no earlier event", async () => {
    const { start, payAfter, receive } = await openListener();
    await payAfter();
    await start({ only_new: true });
    const id = await payAfter();
    expect(await receive()).toEqual([id]);
  });
});

describe("a delivery that a listener has leased", () => {
  test("and not reported within a minute is leased again", async () => {
    const { payAfter, take, time } = await openListener();
    await payAfter();
    const [delivery] = await take();
    time.nowMs += 59_999;
    expect(await take()).toEqual([]);
    time.nowMs += 1;
    expect((await take()).map(({ id }) => id)).toEqual([delivery?.id]);
  });

  test("for longer, at its request, is leased again only after that time", async () => {
    const { payAfter, take, time, service, scope, id } = await openListener();
    await payAfter();
    const body = { lease_seconds: 645 };
    expect(await service.takeDeliveries(scope, { id, body })).toHaveLength(1);
    time.nowMs += 644_999;
    expect(await take()).toEqual([]);
    time.nowMs += 1;
    expect(await take()).toHaveLength(1);
  });

  test("counts once if it is reported twice, or late", async () => {
    const { payAfter, take, service, id, time, scope } = await openListener();
    await payAfter();
    const reportFailure = async ({ id: delivery, attempts }: ListenerDelivery) =>
      service.reportDelivery(scope, { id, body: { delivery, attempts, delivered: false } });
    const [first] = await take();
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    time.nowMs += 2_000;
    const [second] = await take();
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    expect(await reportFailure(second!)).toMatchObject({ attempts: 2 });
  });

  test("cannot be reported by another listener", async () => {
    const { payAfter, take, report, addListener, service, scope } = await openListener();
    const id = await addListener();
    await payAfter();
    const [delivery] = await take();
    const body = { delivery: delivery!.id, delivered: true };
    const refusal = { code: "resource_missing", param: "delivery" };
    await expect(service.reportDelivery(scope, { id, body })).rejects.toMatchObject(refusal);
    expect(await report(delivery!, true)).toMatchObject({ status: "delivered" });
  });
});

describe("a listener that waits", () => {
  test("gets events that happen during the wait", async () => {
    const { wait, payAfter } = await openListener();
    const waiting = wait();
    await payAfter(0);
    expect(await waiting).toHaveLength(1);
  });

  test.each(["request", "service"])("gets no delivery when the %s ends", async (what) => {
    const over = new AbortController();
    const t = await openListener(
      (real) => ({
        leaseDeliveries: async (...lease) => {
          const leased = await real.leaseDeliveries(...lease);
          if (!over.signal.aborted) await t.payAfter(0);
          process.nextTick(() => over.abort()); // after the wait has begun
          return leased;
        },
      }),
      { shutdown: what === "service" ? over.signal : undefined },
    );
    expect(await t.wait(what === "request" ? over.signal : undefined)).toEqual([]);
    const due = { nowMs: t.time.nowMs, untilMs: t.time.nowMs + 1, limit: 1 };
    expect(await t.store.leaseDeliveries(t.scope, t.id, due)).toHaveLength(1);
  });

  test("leases no delivery if its request ends before the lease", async () => {
    const gone = new AbortController();
    let isWatched = false;
    const { wait, payAfter, take } = await openListener((real) => ({
      findEndpoint: async (...query) => {
        if (isWatched) gone.abort();
        return await real.findEndpoint(...query);
      },
    }));
    await payAfter();
    isWatched = true;
    expect(await wait(gone.signal)).toEqual([]);
    expect(await take()).toHaveLength(1);
  });

  test("with two requests gets no delivery for one of them at once", async () => {
    const { wait, payAfter } = await openListener();
    const both = [wait(), wait()];
    expect(await Promise.race(both)).toEqual([]);
    await payAfter(0);
    expect((await Promise.all(both)).flat()).toHaveLength(1);
  });

  test("gets an empty response at once if 75 others of its account wait, while another account's listener waits", async () => {
    const lookups = new Map<string, number>();
    const t = await openListener((real) => ({
      findEndpoint: async (of, endpointId) =>
        (await real.findEndpoint(of, endpointId)) ?? (await real.findEndpoint(t.scope, t.id)),
      leaseDeliveries: async (of, endpointId, due) => {
        lookups.set(endpointId, (lookups.get(endpointId) ?? 0) + 1);
        return await real.leaseDeliveries(of, endpointId, due);
      },
    }));
    const leaving = new AbortController();
    const waiting = Array.from({ length: 100 }, async (_, at) =>
      t.wait(leaving.signal, `${t.id}${at}`),
    );
    // A waiting request looks for deliveries several times.
    const countWithLookups = (times: number) =>
      [...lookups.values()].filter((count) => count >= times).length;
    await expect.poll(() => [countWithLookups(1), countWithLookups(2) >= 75]).toEqual([100, true]);
    const { id: accountId } = await t.service.createAccount({ name: "Books" });
    const other = { ...t.scope, accountId };
    const itsId = await t.addListener(other);
    const ofOther = t.wait(undefined, itsId, other);
    await expect.poll(() => lookups.get(itsId)).toBeGreaterThan(0);
    await t.pay(other);
    expect(await ofOther).toHaveLength(1);
    expect(await Promise.race(waiting)).toEqual([]);
    leaving.abort();
    await Promise.all(waiting);
    const next = t.wait();
    await t.payAfter(0);
    expect(await next).toHaveLength(1);
  });

  test("is refused when it is disabled during the wait", async () => {
    const { wait, service, id, scope } = await openListener();
    const waiting = wait();
    await service.updateEndpoint(scope, { id, body: { status: "disabled" } });
    await expect(waiting).rejects.toMatchObject({ code: "parameter_invalid", param: "id" });
  });

  test("extends its queueing by a day", async () => {
    const { payAfter, receive, take, time } = await openListener();
    for (let hours = 0; hours < 72; hours += 20) {
      await take();
      time.nowMs += 20 * hourMs;
    }
    const id = await payAfter();
    expect(await receive()).toEqual([id]);
  });
});
