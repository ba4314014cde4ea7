import { describe, expect, test } from "vitest";
import type {
  Delivery,
  StartListenerBody,
  ListenerDelivery,
} from "../../../src/contract/delivery.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import {
  openNewStore,
  openTestService,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";
import type { Adapters, Store } from "../../../src/service/ports/ports.ts";

const hourMs = 60 * 60 * 1000;
const nothing = async () => {};
/** However much was queued, there is more. */
const findsMore: Store["requeueEvents"] = async ({ above }) => above;

/** A service on a clock that a test sets, with a listener. */
async function openListener(adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service, pay, time, test: scope } = opened;
  const { id } = JSON.parse(
    (await service.createEndpoint(scope, { url: null })).body,
  ) as WebhookEndpoint;
  const take = async (limit = 16) => {
    const taken = await service.takeDeliveries(scope, { id, body: { limit } });
    return taken.map((json) => JSON.parse(json) as ListenerDelivery);
  };
  const report = async ({ id: delivery }: Pick<Delivery, "id">, delivered: boolean) =>
    service.reportDelivery(scope, { id, body: { delivery, delivered } });
  return {
    ...opened,
    id,
    take,
    report,
    start: async (body: StartListenerBody = {}) => service.startListener(scope, { id, body }),
    /** Makes a payment a second later; answers its id. */
    happen: async () => {
      time.nowMs += 1_000;
      return (await pay(scope)).id;
    },
    /** The payments of what is taken, all of which arrives. */
    arriving: async () => {
      const taken = await take();
      for (const delivery of taken) await report(delivery, true);
      return taken.map(({ event }) => event.data.object.id);
    },
  };
}

describe("a listener that starts", () => {
  test("is given what happens from its creation on, in order, once", async () => {
    const { happen, start, arriving, pay, test: scope } = await openListener();
    await start();
    const ids = [await happen(), await happen(), await happen()];
    expect(await arriving()).toEqual(ids);
    expect(await arriving()).toEqual([]);
    await pay(scope);
    expect(await arriving()).toHaveLength(1);
  });

  test("again within a day is given what happened meanwhile", async () => {
    const { happen, start, arriving, time } = await openListener();
    await start();
    const ids = [await happen(), await happen()];
    time.nowMs += 23 * hourMs;
    ids.push(await happen());
    await start();
    expect(await arriving()).toEqual(ids);
  });

  test("after more than a day is given what happened in the last one, also what was not queued", async () => {
    const { happen, start, arriving, time } = await openListener();
    await start();
    await happen(); // more than a day before
    time.nowMs += 30 * hourMs;
    const ids = [await happen()];
    time.nowMs += 20 * hourMs;
    ids.push(await happen());
    await start();
    expect(await arriving()).toEqual(ids);
    await start();
    expect(await arriving()).toEqual([]);
  });

  test("and sleeps for more than a day is given what happened in the last one when it wakes", async () => {
    const { happen, start, arriving, time } = await openListener();
    await start();
    await happen(); // more than a day before
    time.nowMs += 20 * hourMs;
    const ids = [await happen()];
    time.nowMs += 10 * hourMs;
    ids.push(await happen());
    expect(await arriving()).toEqual(ids);
    ids.push(await happen());
    expect(await arriving()).toEqual(ids.slice(2));
  });

  test("and breaks off while it looks back does so again", async () => {
    const real = await openNewStore();
    let isLost = false;
    const requeueEvents: Store["requeueEvents"] = async (asked) => {
      if (isLost) throw new Error("the connection is lost");
      return await real.requeueEvents(asked);
    };
    const store: Store = { ...real, requeueEvents };
    const { happen, start, arriving, time } = await openListener({ store });
    time.nowMs += 30 * hourMs;
    const id = await happen();
    isLost = true;
    await expect(start()).rejects.toThrow("the connection is lost");
    isLost = false;
    await start();
    expect(await arriving()).toEqual([id]);
  });

  test("after more than a day is given what happens while it looks back", async () => {
    const real = await openNewStore();
    let meanwhile: () => Promise<unknown> = nothing;
    const store: Store = {
      ...real,
      extendQueueing: async (...asked) => {
        await meanwhile();
        await real.extendQueueing(...asked);
      },
    };
    const { happen, start, arriving, pay, time, test: scope } = await openListener({ store });
    time.nowMs += 30 * hourMs;
    const ids = [await happen()];
    meanwhile = async () => ids.push((await pay(scope)).id);
    await start();
    expect(await arriving()).toEqual(ids);
  });

  test("since a time is given also what happened before its creation, but nothing twice", async () => {
    const { happen, start, arriving, service, test: scope } = await openListener();
    const [first, second] = [await happen(), await happen()];
    expect(await arriving()).toEqual([first, second]);
    const other = JSON.parse(
      (await service.createEndpoint(scope, { url: null })).body,
    ) as WebhookEndpoint;
    await service.startListener(scope, { id: other.id, body: { since: startSeconds + 2 } });
    const taken = await service.takeDeliveries(scope, { id: other.id, body: {} });
    const payments = taken.map(
      (json) => (JSON.parse(json) as ListenerDelivery).event.data.object.id,
    );
    expect(payments).toEqual([second]);
    await start({ since: startSeconds });
    expect(await arriving()).toEqual([]);
  });

  test("since a time is given again what failed", async () => {
    const { happen, start, take, report, arriving, time } = await openListener();
    const id = await happen();
    for (const waitMs of [0, 1_200, 6_000, 40_000, 150_000]) {
      time.nowMs += waitMs;
      await report((await take())[0]!, false);
    }
    time.nowMs += hourMs;
    expect(await arriving()).toEqual([]);
    await start({ since: startSeconds });
    expect(await arriving()).toEqual([id]);
  });

  test("since a time looks back until now, and no further", async () => {
    const real = await openNewStore();
    let meanwhile: () => Promise<unknown> = nothing;
    let looks = 0;
    const requeueEvents: Store["requeueEvents"] = async (asked) => {
      looks++;
      await meanwhile();
      return await real.requeueEvents(asked);
    };
    const { happen, start } = await openListener({ store: { ...real, requeueEvents } });
    meanwhile = async () => (await happen(), happen());
    await start({ since: startSeconds });
    expect(looks).toBe(1);
  });

  test("since a time is refused where too much has happened", async () => {
    const real = await openNewStore();
    const { start } = await openListener({ store: { ...real, requeueEvents: findsMore } });
    const refusal = { code: "parameter_invalid", param: "since" };
    await expect(start({ since: startSeconds })).rejects.toMatchObject(refusal);
  });

  test.each(["goes away", "finds the service ending"])(
    "and %s is looked back for no further",
    async (what) => {
      const real = await openNewStore();
      const over = new AbortController();
      const requeueEvents: Store["requeueEvents"] = async ({ above }) => {
        over.abort();
        return above;
      };
      const store = { ...real, requeueEvents };
      const [gone, ending] = what === "goes away" ? [over.signal] : [undefined, over.signal];
      const { service, id, test: scope } = await openListener({ store, shutdown: ending });
      const started = service.startListener(scope, { id, body: { since: startSeconds } }, gone);
      await expect(started).rejects.toMatchObject({ code: "service_unavailable" });
    },
  );

  test("with what is new alone is given nothing of before", async () => {
    const { happen, start, arriving } = await openListener();
    await happen();
    await start({ only_new: true });
    const id = await happen();
    expect(await arriving()).toEqual([id]);
  });
});

describe("what a listener has taken", () => {
  test("and not reported within a minute is given again", async () => {
    const { happen, take, time } = await openListener();
    await happen();
    const [taken] = await take();
    time.nowMs += 59_999;
    expect(await take()).toEqual([]);
    time.nowMs += 1;
    expect((await take()).map(({ id }) => id)).toEqual([taken?.id]);
  });

  test("and could not deliver is tried again after 1 s, 5 s, 30 s and 2 min, and then no more", async () => {
    const { happen, take, report, time } = await openListener();
    await happen();
    for (const stepMs of [1_000, 5_000, 30_000, 120_000]) {
      expect(await report((await take())[0]!, false)).toMatchObject({ status: "pending" });
      time.nowMs += stepMs * 0.9 - 1;
      expect(await take()).toEqual([]);
      time.nowMs += stepMs * 0.2 + 1;
    }
    const last = { status: "failed", attempts: 5, next_attempt_at: null };
    expect(await report((await take())[0]!, false)).toMatchObject(last);
  });

  test("and is reported twice, or late, counts once", async () => {
    const { happen, take, service, id, time, test: scope } = await openListener();
    await happen();
    const failed = async ({ id: delivery, attempts }: ListenerDelivery) =>
      service.reportDelivery(scope, { id, body: { delivery, attempts, delivered: false } });
    const [first] = await take();
    expect(await failed(first!)).toMatchObject({ attempts: 1 });
    expect(await failed(first!)).toMatchObject({ attempts: 1 });
    time.nowMs += 2_000;
    const [again] = await take();
    expect(await failed(first!)).toMatchObject({ attempts: 1 });
    expect(await failed(again!)).toMatchObject({ attempts: 2 });
  });

  test("is its own to report", async () => {
    const { happen, take, service, id, test: scope } = await openListener();
    const other = JSON.parse(
      (await service.createEndpoint(scope, { url: null })).body,
    ) as WebhookEndpoint;
    await happen();
    const [taken] = await take();
    const body = { delivery: taken!.id, delivered: true };
    const refusal = { code: "resource_missing", param: "delivery" };
    const reported = service.reportDelivery(scope, { id: other.id, body });
    await expect(reported).rejects.toMatchObject(refusal);
    expect(await service.reportDelivery(scope, { id, body })).toMatchObject({
      status: "delivered",
    });
  });
});

describe("a listener that waits", () => {
  const body = { wait_seconds: 25 };

  test("is given what happens meanwhile", async () => {
    const { service, pay, id, test: scope } = await openListener();
    const waiting = service.takeDeliveries(scope, { id, body });
    await pay(scope);
    expect(await waiting).toHaveLength(1);
  });

  test.each(["goes away", "finds the service ending"])(
    "and %s is given nothing, which is left for whoever comes",
    async (what) => {
      const real = await openNewStore();
      const over = new AbortController();
      let afterLooking: () => Promise<unknown> = nothing;
      const store: Store = {
        ...real,
        leaseDeliveries: async (...asked) => {
          const taken = await real.leaseDeliveries(...asked);
          await afterLooking();
          return taken;
        },
      };
      const [gone, ending] = what === "goes away" ? [over.signal] : [undefined, over.signal];
      const {
        service,
        pay,
        id,
        time,
        test: scope,
      } = await openListener({ store, shutdown: ending });
      afterLooking = async () => {
        await pay(scope);
        process.nextTick(() => over.abort()); // when it has begun to wait
      };
      expect(await service.takeDeliveries(scope, { id, body }, gone)).toEqual([]);
      const due = { nowMs: time.nowMs, untilMs: time.nowMs + 1, limit: 1 };
      expect(await real.leaseDeliveries(scope, id, due)).toHaveLength(1);
    },
  );

  test("and goes away while it is looked up takes nothing from whoever comes", async () => {
    const real = await openNewStore();
    const gone = new AbortController();
    let isWatched = false;
    const store: Store = {
      ...real,
      findEndpoint: async (...asked) => {
        if (isWatched) gone.abort();
        return await real.findEndpoint(...asked);
      },
    };
    const { service, happen, id, take, test: scope } = await openListener({ store });
    await happen();
    isWatched = true;
    expect(await service.takeDeliveries(scope, { id, body }, gone.signal)).toEqual([]);
    expect(await take()).toHaveLength(1);
  });

  test("twice waits once: the other is given nothing at once", async () => {
    const { service, pay, id, test: scope } = await openListener();
    const both = [1, 2].map(async () => service.takeDeliveries(scope, { id, body }));
    expect(await Promise.race(both)).toEqual([]);
    await pay(scope);
    const [one, other] = await Promise.all(both);
    expect([...one!, ...other!]).toHaveLength(1);
  });

  test("is given nothing at once where 75 others of its account wait, until they no longer do; one of another account waits", async () => {
    const real = await openNewStore();
    const findEndpoint: Store["findEndpoint"] = async (of, asked) =>
      (await real.findEndpoint(of, asked)) ?? (await real.findEndpoint(scope, id));
    const looks = new Map<string, number>();
    const leaseDeliveries: Store["leaseDeliveries"] = async (of, asked, due) => {
      looks.set(asked, (looks.get(asked) ?? 0) + 1);
      return await real.leaseDeliveries(of, asked, due);
    };
    const {
      id,
      service,
      pay,
      test: scope,
    } = await openListener({
      store: { ...real, findEndpoint, leaseDeliveries },
    });
    const leaving = new AbortController();
    const waiting = Array.from({ length: 100 }, async (_, at) =>
      service.takeDeliveries(scope, { id: `${id}${at}`, body }, leaving.signal),
    );
    // Who waits looks again.
    const looked = (times: number) => [...looks.values()].filter((count) => count >= times).length;
    await expect.poll(() => [looked(1), looked(2) >= 75]).toEqual([100, true]);
    const other = { ...scope, accountId: (await service.createAccount({ name: "Books" })).id };
    const made = await service.createEndpoint(other, { url: null });
    const { id: itsId } = JSON.parse(made.body) as WebhookEndpoint;
    const ofOther = service.takeDeliveries(other, { id: itsId, body });
    await expect.poll(() => looks.get(itsId)).toBeGreaterThan(0);
    await pay(other);
    expect(await ofOther).toHaveLength(1);
    expect(await Promise.race(waiting)).toEqual([]);
    leaving.abort();
    await Promise.all(waiting);
    const patient = service.takeDeliveries(scope, { id, body });
    await pay(scope);
    expect(await patient).toHaveLength(1);
  });

  test("and is disabled meanwhile is told so", async () => {
    const { service, id, test: scope } = await openListener();
    const waiting = service.takeDeliveries(scope, { id, body });
    await service.updateEndpoint(scope, { id, body: { status: "disabled" } });
    await expect(waiting).rejects.toMatchObject({ code: "parameter_invalid", param: "id" });
  });

  test("is queued for a day longer", async () => {
    const { service, happen, arriving, id, time, take, test: scope } = await openListener();
    for (let hours = 0; hours < 72; hours += 20) {
      await take();
      time.nowMs += 20 * hourMs;
    }
    const payment = await happen();
    expect(await arriving()).toEqual([payment]);
    expect((await service.getEndpoint(scope, id)).url).toBeNull();
  });
});
