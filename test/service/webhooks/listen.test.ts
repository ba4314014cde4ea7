import { describe, expect, test } from "vitest";
import type {
  Delivery,
  ListenerDelivery,
  StartListenerBody,
} from "../../../src/contract/delivery.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import type { Scope } from "../../../src/service/ports/idempotency-record.ts";
import type { Adapters, Store } from "../../../src/service/ports/ports.ts";
import {
  openStoreWith,
  openTestService,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1000;

/** A service on a clock that a test sets, with a listener; a test may replace methods of its store. */
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
    const taken = await service.takeDeliveries(scope, { id: from, body: {} });
    return taken.map((json) => JSON.parse(json) as ListenerDelivery);
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
      service.takeDeliveries(of, { id: from, body: { wait_seconds: 25 } }, gone),
    /** Makes a payment so much later; answers its id. */
    payIn: async (ms = 1_000) => {
      time.nowMs += ms;
      return (await pay(scope)).id;
    },
    /** The payments of what is taken, all of which is delivered. */
    receive: async () => {
      const taken = await take();
      for (const delivery of taken) await report(delivery, true);
      return taken.map(({ event }) => event.data.object.id);
    },
  };
}

describe("a listener that starts", () => {
  test("is given what happens from its creation on, in order, once", async () => {
    const { start, payIn, receive } = await openListener();
    await start();
    const ids = [await payIn(), await payIn(), await payIn()];
    expect(await receive()).toEqual(ids);
    expect(await receive()).toEqual([]);
    const next = await payIn(0);
    expect(await receive()).toEqual([next]);
  });

  test("again within a day is given what happened meanwhile", async () => {
    const { start, payIn, receive } = await openListener();
    await start();
    const ids = [await payIn(), await payIn(), await payIn(23 * hourMs)];
    await start();
    expect(await receive()).toEqual(ids);
  });

  test.each(["starts again", "wakes"])(
    "and %s after more than a day is given what happened in the last one, also what was not queued",
    async (how) => {
      const { start, payIn, receive, time } = await openListener();
      await start();
      await payIn(); // more than a day before
      const ids = [await payIn(30 * hourMs), await payIn(20 * hourMs)];
      if (how === "starts again") await start();
      expect(await receive()).toEqual(ids);
      time.nowMs += 1_000;
      const next = await payIn();
      await start();
      expect(await receive()).toEqual([next]);
    },
  );

  test("and fails while it catches up does so again", async () => {
    let isLost = false;
    const { start, payIn, receive } = await openListener((real) => ({
      requeueEvents: async (write) => {
        if (isLost) throw new Error("the connection is lost");
        return await real.requeueEvents(write);
      },
    }));
    const id = await payIn(30 * hourMs);
    isLost = true;
    await expect(start()).rejects.toThrow("the connection is lost");
    isLost = false;
    await start();
    expect(await receive()).toEqual([id]);
  });

  test("after more than a day is given what happens while it catches up", async () => {
    const ids: string[] = [];
    const t = await openListener((real) => ({
      extendQueueing: async (...write) => {
        ids.push((await t.pay(t.scope)).id);
        await real.extendQueueing(...write);
      },
    }));
    ids.push(await t.payIn(30 * hourMs));
    await t.start();
    expect(ids).toHaveLength(2);
    expect(await t.receive()).toEqual(ids);
  });

  test("since a time is given also what happened before its creation, but nothing twice", async () => {
    const { start, payIn, receive, take, addListener, service, scope } = await openListener();
    const [first, second] = [await payIn(), await payIn()];
    expect(await receive()).toEqual([first, second]);
    const id = await addListener();
    await service.startListener(scope, { id, body: { since: startSeconds + 2 } });
    expect(await take(id)).toMatchObject([{ event: { data: { object: { id: second } } } }]);
    await start({ since: startSeconds });
    expect(await receive()).toEqual([]);
  });

  test("since a time is given again what failed after its retries of 1 s, 5 s, 30 s and 2 min", async () => {
    const { start, payIn, take, report, receive, time } = await openListener();
    const id = await payIn();
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

  test("since a time catches up until now, and no further", async () => {
    let batches = 0;
    const t = await openListener((real) => ({
      requeueEvents: async (write) => {
        batches++;
        for (let i = 0; i < 2; i++) await t.payIn();
        return await real.requeueEvents(write);
      },
    }));
    await t.start({ since: startSeconds });
    expect(batches).toBe(1);
  });

  test("since a time is refused where too much has happened", async () => {
    const { start } = await openListener(() => ({ requeueEvents: async ({ above }) => above }));
    const refusal = { code: "parameter_invalid", param: "since" };
    await expect(start({ since: startSeconds })).rejects.toMatchObject(refusal);
  });

  test.each(["request", "service"])("stops catching up where the %s ends", async (what) => {
    const over = new AbortController();
    const endless: Store["requeueEvents"] = async ({ above }) => {
      over.abort();
      return above;
    };
    const shutdown = what === "service" ? over.signal : undefined;
    const { start } = await openListener(() => ({ requeueEvents: endless }), { shutdown });
    const gone = what === "request" ? over.signal : undefined;
    const started = start({ since: startSeconds }, gone);
    await expect(started).rejects.toMatchObject({ code: "service_unavailable" });
  });

  test("with only what is new is given nothing of before", async () => {
    const { start, payIn, receive } = await openListener();
    await payIn();
    await start({ only_new: true });
    const id = await payIn();
    expect(await receive()).toEqual([id]);
  });
});

describe("what a listener has taken", () => {
  test("and not reported within a minute is given again", async () => {
    const { payIn, take, time } = await openListener();
    await payIn();
    const [taken] = await take();
    time.nowMs += 59_999;
    expect(await take()).toEqual([]);
    time.nowMs += 1;
    expect((await take()).map(({ id }) => id)).toEqual([taken?.id]);
  });

  test("and is reported twice, or late, counts once", async () => {
    const { payIn, take, service, id, time, scope } = await openListener();
    await payIn();
    const reportFailure = async ({ id: delivery, attempts }: ListenerDelivery) =>
      service.reportDelivery(scope, { id, body: { delivery, attempts, delivered: false } });
    const [first] = await take();
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    time.nowMs += 2_000;
    const [again] = await take();
    expect(await reportFailure(first!)).toMatchObject({ attempts: 1 });
    expect(await reportFailure(again!)).toMatchObject({ attempts: 2 });
  });

  test("is not another listener's to report", async () => {
    const { payIn, take, report, addListener, service, scope } = await openListener();
    const id = await addListener();
    await payIn();
    const [taken] = await take();
    const body = { delivery: taken!.id, delivered: true };
    const refusal = { code: "resource_missing", param: "delivery" };
    await expect(service.reportDelivery(scope, { id, body })).rejects.toMatchObject(refusal);
    expect(await report(taken!, true)).toMatchObject({ status: "delivered" });
  });
});

describe("a listener that waits", () => {
  test("is given what happens meanwhile", async () => {
    const { wait, payIn } = await openListener();
    const waiting = wait();
    await payIn(0);
    expect(await waiting).toHaveLength(1);
  });

  test.each(["request", "service"])("is given nothing where the %s ends", async (what) => {
    const over = new AbortController();
    const t = await openListener(
      (real) => ({
        leaseDeliveries: async (...lease) => {
          const leased = await real.leaseDeliveries(...lease);
          if (!over.signal.aborted) await t.payIn(0);
          process.nextTick(() => over.abort()); // when it has begun to wait
          return leased;
        },
      }),
      { shutdown: what === "service" ? over.signal : undefined },
    );
    expect(await t.wait(what === "request" ? over.signal : undefined)).toEqual([]);
    const due = { nowMs: t.time.nowMs, untilMs: t.time.nowMs + 1, limit: 1 };
    expect(await t.store.leaseDeliveries(t.scope, t.id, due)).toHaveLength(1);
  });

  test("takes nothing where its request ends before anything is leased", async () => {
    const gone = new AbortController();
    let isWatched = false;
    const { wait, payIn, take } = await openListener((real) => ({
      findEndpoint: async (...asked) => {
        if (isWatched) gone.abort();
        return await real.findEndpoint(...asked);
      },
    }));
    await payIn();
    isWatched = true;
    expect(await wait(gone.signal)).toEqual([]);
    expect(await take()).toHaveLength(1);
  });

  test("twice waits once: one of both is given nothing at once", async () => {
    const { wait, payIn } = await openListener();
    const both = [wait(), wait()];
    expect(await Promise.race(both)).toEqual([]);
    await payIn(0);
    expect((await Promise.all(both)).flat()).toHaveLength(1);
  });

  test("is given nothing at once where 75 others of its account wait; one of another account waits", async () => {
    const looks = new Map<string, number>();
    const t = await openListener((real) => ({
      findEndpoint: async (of, asked) =>
        (await real.findEndpoint(of, asked)) ?? (await real.findEndpoint(t.scope, t.id)),
      leaseDeliveries: async (of, asked, due) => {
        looks.set(asked, (looks.get(asked) ?? 0) + 1);
        return await real.leaseDeliveries(of, asked, due);
      },
    }));
    const leaving = new AbortController();
    const waiting = Array.from({ length: 100 }, async (_, at) =>
      t.wait(leaving.signal, `${t.id}${at}`),
    );
    // A request that waits looks again.
    const looked = (times: number) => [...looks.values()].filter((count) => count >= times).length;
    await expect.poll(() => [looked(1), looked(2) >= 75]).toEqual([100, true]);
    const { id: accountId } = await t.service.createAccount({ name: "Books" });
    const other = { ...t.scope, accountId };
    const itsId = await t.addListener(other);
    const ofOther = t.wait(undefined, itsId, other);
    await expect.poll(() => looks.get(itsId)).toBeGreaterThan(0);
    await t.pay(other);
    expect(await ofOther).toHaveLength(1);
    expect(await Promise.race(waiting)).toEqual([]);
    leaving.abort();
    await Promise.all(waiting);
    const next = t.wait();
    await t.payIn(0);
    expect(await next).toHaveLength(1);
  });

  test("is refused when it is disabled meanwhile", async () => {
    const { wait, service, id, scope } = await openListener();
    const waiting = wait();
    await service.updateEndpoint(scope, { id, body: { status: "disabled" } });
    await expect(waiting).rejects.toMatchObject({ code: "parameter_invalid", param: "id" });
  });

  test("is queued for a day longer", async () => {
    const { payIn, receive, take, time } = await openListener();
    for (let hours = 0; hours < 72; hours += 20) {
      await take();
      time.nowMs += 20 * hourMs;
    }
    const id = await payIn();
    expect(await receive()).toEqual([id]);
  });
});
