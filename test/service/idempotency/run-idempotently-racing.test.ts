import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import type { LocalNetwork } from "../../../src/service/ports/card-network.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import { parsedPayment } from "../../testkit/database/read.ts";
import { fakeNetwork, late } from "../../testkit/network/fake-network.ts";
import {
  bodyWith,
  openNewStore,
  openTestService,
} from "../../testkit/service/open-test-service.ts";

const request = { key: "5f0c2a1e", fingerprint: "of this request" };
const another = { key: "5f0c2a1e", fingerprint: "of another request" };

afterEach(() => {
  vi.useRealTimers();
});

/** A network that answers nothing until it is opened, and counts what it is asked. */
function closedNetwork() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const network = createTestNetwork({ processingTimeMs: 0 });
  const asked: string[] = [];
  const closed: LocalNetwork = {
    ...network,
    charge: async (charge, card) => {
      asked.push(charge.id);
      await opened;
      return await network.charge(charge, card);
    },
  };
  return { networkOf: () => closed, open, asked };
}

describe("while the first request with a key is processed", () => {
  test("the same one waits for its answer, and the network is asked once", async () => {
    const { networkOf, open, asked } = closedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const answers = [1, 2, 3].map(async () => service.createPayment(scope, bodyWith(), request));
    await expect.poll(() => asked).toHaveLength(1);
    open();
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.replayed).toBe(false);
    for (const answer of rest) expect(answer).toEqual({ ...first, replayed: true });
    expect(asked).toHaveLength(1);
  });

  test("another one is refused at once", async () => {
    const { networkOf, open, asked } = closedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const first = service.createPayment(scope, bodyWith(), request);
    await expect.poll(() => asked).toHaveLength(1);
    const second = service.createPayment(scope, bodyWith({ amount: 1 }), another);
    await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
    open();
    expect(await first).toMatchObject({ replayed: false });
  });

  test.each([{ livemode: true }, { accountId: "acct_2" }])(
    "the same key in another scope does not wait: %j",
    async (other) => {
      const { networkOf, open, asked } = closedNetwork();
      const { service, test: scope } = await openTestService({
        networkOf: () =>
          asked.length > 0 ? createTestNetwork({ processingTimeMs: 0 }) : networkOf(),
      });
      const waiting = service.createPayment(scope, bodyWith(), request);
      await expect.poll(() => asked).toHaveLength(1);
      const answer = await service.createPayment({ ...scope, ...other }, bodyWith(), request);
      expect(answer).toMatchObject({ status: 201, replayed: false });
      open();
      await waiting;
    },
  );

  test("one of those that waited does the work where the first has failed", async () => {
    const network = createTestNetwork({ processingTimeMs: 0 });
    let asked = 0;
    const failing: LocalNetwork = {
      ...network,
      charge: async (charge, card) => {
        asked += 1;
        if (asked === 1) throw new Error("The first one fails.");
        return await network.charge(charge, card);
      },
    };
    const { service, test: scope } = await openTestService({ networkOf: () => failing });
    const [first, ...waiting] = [1, 2, 3, 4].map(async () =>
      service.createPayment(scope, bodyWith(), request),
    );
    await expect(first).rejects.toThrow("The first one fails.");
    const answers = await Promise.all(waiting);
    expect(answers.map(({ replayed }) => replayed)).toEqual([false, true, true]);
    expect(asked).toBe(2);
  });

  test("the same one is refused after five seconds, and gets the response when it comes back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { networkOf, open, asked } = closedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const first = service.createPayment(scope, bodyWith(), request);
    while (asked.length === 0) await nextTurn(); // the database's own time limits pass, too
    const second = service.createPayment(scope, bodyWith(), request);
    const told = vi.fn<(error: unknown) => void>();
    const waited = second.catch(told);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    await waited;
    expect(told).toHaveBeenCalledWith(
      expect.objectContaining({ name: "ServiceError", code: "idempotency_key_in_use" }),
    );
    open();
    const answer = await first;
    const third = await service.createPayment(scope, bodyWith(), request);
    expect(third).toEqual({ ...answer, replayed: true });
  });
});

describe("while a network that moves money is asked, a request with the same key and another body", () => {
  /** The processes that get the first request, and the second. */
  const processes = {
    "in the same process": ["one", "one"],
    "in another process": ["one", "other"],
  } as const;

  for (const [where, [firstAt, secondAt]] of Object.entries(processes)) {
    test(`is refused at once, ${where}: no second charge is asked for`, async () => {
      const { one, other, live, network } = await twoProcesses();
      const gate = Promise.withResolvers<void>();
      network.steps.charge.push(late(gate.promise));
      const at = { one, other };
      const first = at[firstAt].createPayment(live, bodyWith(), request);
      await expect.poll(() => network.asked).toHaveLength(1);
      const second = at[secondAt].createPayment(live, bodyWith({ amount: 1 }), another);
      await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
      gate.resolve();
      expect(await first).toMatchObject({ status: 201, replayed: false });
      expect(network.asked).toHaveLength(1);
    });

    test(`is refused at once, ${where}: no second refund is asked for`, async () => {
      const { one, other, live, network } = await twoProcesses();
      const paid = [bodyWith(), bodyWith()].map(async (body) => one.createPayment(live, body));
      const ids = (await Promise.all(paid)).map(({ body }) => parsedPayment(body).id);
      const gate = Promise.withResolvers<void>();
      network.steps.refund.push(late(gate.promise));
      const at = { one, other };
      const first = at[firstAt].refundPayment(live, ids[0] ?? "", request);
      await expect.poll(() => network.asked.at(-1)?.[0]).toBe("refund");
      const second = at[secondAt].refundPayment(live, ids[1] ?? "", another);
      await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
      gate.resolve();
      expect(await first).toMatchObject({ status: 200, replayed: false });
      expect(network.taken()).toEqual([ids[1]]);
    });
  }
});

/** Two replicas of a service that a network which moves money is attached to. */
async function twoProcesses() {
  const network = fakeNetwork();
  const one = await openTestService({ networkOf: network.networkOf });
  const other = await openTestService({ networkOf: network.networkOf, store: one.store });
  return { one: one.service, other: other.service, live: one.live, network };
}

describe("two processes with the same key at once", () => {
  test("make one payment, and both answer with it", async () => {
    const { networkOf, open, asked } = closedNetwork();
    const one = await openTestService({ networkOf });
    const other = await openTestService({ networkOf, store: one.store });
    const answers = [one, other].map(async ({ service }) =>
      service.createPayment(one.test, bodyWith(), request),
    );
    await expect.poll(() => asked).toHaveLength(2);
    open();
    const [first, second] = await Promise.all(answers);
    expect(first?.body).toBe(second?.body);
    expect(first?.replayed).toBe(!second?.replayed);
    const { items: payments } = await one.service.listPayments(one.test, {});
    expect(payments).toHaveLength(1);
  });

  test("with two different requests do one of them", async () => {
    const { networkOf, open, asked } = closedNetwork();
    const one = await openTestService({ networkOf });
    const other = await openTestService({ networkOf, store: one.store });
    const first = one.service.createPayment(one.test, bodyWith(), request);
    const second = other.service.createPayment(one.test, bodyWith({ amount: 1 }), another);
    await expect.poll(() => asked).toHaveLength(2);
    open();
    const results = await Promise.allSettled([first, second]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "idempotency_key_reused" },
    });
    const { items: payments } = await one.service.listPayments(one.test, {});
    expect(payments).toHaveLength(1);
  });

  test("refund once, and both answer with it, however late one sees the other's", async () => {
    const shared = await openNewStore();
    const one = await openTestService({ store: shared });
    const other = await openTestService({
      store: refundingMeanwhile(shared, async () => {
        await one.service.refundPayment(one.test, id, request);
      }),
    });
    const { id } = await one.pay(one.test);
    const answer = await other.service.refundPayment(one.test, id, request);
    expect(answer).toMatchObject({ status: 200, replayed: true });
  });
});

/** A store that is asked for a kept answer just before another process refunds. */
function refundingMeanwhile(store: Store, refund: () => Promise<void>): Store {
  let asked = 0;
  return {
    ...store,
    findStoredResponse: async (...question) => {
      const found = await store.findStoredResponse(...question);
      asked += 1;
      if (asked === 1) await refund();
      return found;
    },
  };
}
