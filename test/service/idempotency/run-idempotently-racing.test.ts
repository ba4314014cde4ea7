import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import type { Response } from "../../../src/service/idempotency/run-idempotently.ts";
import type { LocalNetwork } from "../../../src/service/networks/card-network.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Store } from "../../../src/service/service.ts";
import type { BoundService } from "../../testkit/service/bind-use-cases.ts";
import { parsePayment } from "../../testkit/database/records.ts";
import { fakeNetwork, late } from "../../testkit/network/fake-network.ts";
import {
  bodyWith,
  createGate,
  hostedBody,
  openNewStore,
  openStoreWith,
  openTestService,
} from "../../testkit/service/open-test-service.ts";

const request = { key: "5f0c2a1e", fingerprint: "of this request" };
const another = { key: "5f0c2a1e", fingerprint: "of another request" };

afterEach(() => {
  vi.useRealTimers();
});

/** A network that answers once it is opened, and records its calls. */
function createGatedNetwork() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const network = createTestNetwork({ processingTimeMs: 0 });
  const calls: string[] = [];
  const closed: LocalNetwork = {
    ...network,
    charge: async (charge, card) => {
      calls.push(charge.id);
      await opened;
      return await network.charge(charge, card);
    },
  };
  return { networkOf: () => closed, open, calls };
}

describe("while the first request with a key is processed", () => {
  test("the same request waits for its response, and the network is called once", async () => {
    const { networkOf, open, calls } = createGatedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const answers = [1, 2, 3].map(async () => service.createPayment(scope, bodyWith(), request));
    await expect.poll(() => calls).toHaveLength(1);
    open();
    const [first, ...rest] = await Promise.all(answers);
    expect(first?.replayed).toBe(false);
    for (const answer of rest) expect(answer).toEqual({ ...first, replayed: true });
    expect(calls).toHaveLength(1);
  });

  test("another request waits, and is refused once the first one is recorded", async () => {
    const { networkOf, open, calls } = createGatedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const ended: string[] = [];
    const first = service.createPayment(scope, bodyWith(), request);
    await expect.poll(() => calls).toHaveLength(1);
    const second = service.createPayment(scope, bodyWith({ amount: 1 }), another);
    const both = Promise.allSettled([
      first.then(() => ended.push("first")),
      second.finally(() => ended.push("second")),
    ]);
    open();
    await both;
    expect(ended).toEqual(["first", "second"]);
    await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
    expect(calls).toHaveLength(1);
  });

  test("another request is done where the first one is refused itself", async () => {
    const gate = createGate();
    const store = await openStoreWith((real) => ({
      findPaymentWithCharge: async (...question) => {
        await gate.opened;
        return await real.findPaymentWithCharge(...question);
      },
    }));
    const { service, test: scope } = await openTestService({ store });
    const refused = service.refundPayment(scope, "pay_none", another);
    const waiting = service.createPayment(scope, bodyWith(), request);
    gate.open();
    await expect(refused).rejects.toMatchObject({ code: "resource_missing" });
    expect(await waiting).toMatchObject({ status: 201, replayed: false });
  });

  /** Requests that differ from the recorded one, and are processed when that comes again. */
  const others: Record<string, (service: BoundService, scope: Scope) => Promise<Response>> = {
    "another payment": async (service, scope) =>
      service.createPayment(scope, bodyWith({ amount: 1 }), another),
    "a payment page": async (service, scope) =>
      service.createHostedPayment(scope, hostedBody, another),
    "a refund": async (service, scope) => service.refundPayment(scope, "pay_none", another),
    "a webhook endpoint": async (service, scope) =>
      service.createEndpoint(scope, { url: "https://shop.test/" }, another),
  };
  for (const [what, send] of Object.entries(others)) {
    test(`the recorded request is replayed while ${what}, which will be refused, is processed`, async () => {
      const gate = createGate();
      let isGated = false;
      const store = await openStoreWith((real) => ({
        findStoredResponse: async (...question) => {
          const isFirst = isGated;
          isGated = false;
          if (isFirst) await gate.opened;
          return await real.findStoredResponse(...question);
        },
      }));
      // A local database is asked for the record before anything is done.
      const { service, test: scope } = await openTestService({ store, isStoreRemote: false });
      const first = await service.createPayment(scope, bodyWith(), request);
      isGated = true;
      const other = send(service, scope);
      expect(isGated).toBe(false);
      const replay = await service.createPayment(scope, bodyWith(), request);
      expect(replay).toEqual({ ...first, replayed: true });
      gate.open();
      await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused" });
    });
  }

  test.each([{ livemode: true }, { accountId: "acct_2" }])(
    "the same key in another scope does not wait: %j",
    async (other) => {
      const { networkOf, open, calls } = createGatedNetwork();
      const { service, test: scope } = await openTestService({
        networkOf: () =>
          calls.length > 0 ? createTestNetwork({ processingTimeMs: 0 }) : networkOf(),
      });
      const waiting = service.createPayment(scope, bodyWith(), request);
      await expect.poll(() => calls).toHaveLength(1);
      const answer = await service.createPayment({ ...scope, ...other }, bodyWith(), request);
      expect(answer).toMatchObject({ status: 201, replayed: false });
      open();
      await waiting;
    },
  );

  test("a waiting request does the work where the first has failed", async () => {
    const network = createTestNetwork({ processingTimeMs: 0 });
    let calls = 0;
    const failing: LocalNetwork = {
      ...network,
      charge: async (charge, card) => {
        calls += 1;
        if (calls === 1) throw new Error("The first one fails.");
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
    expect(calls).toBe(2);
  });

  test("the same request is refused after five seconds, and its retry gets the response", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const { networkOf, open, calls } = createGatedNetwork();
    const { service, test: scope } = await openTestService({ networkOf });
    const first = service.createPayment(scope, bodyWith(), request);
    while (calls.length === 0) await nextTurn(); // not by fake time, which would also pass the database's timeouts
    const second = service.createPayment(scope, bodyWith(), request);
    const onError = vi.fn<(error: unknown) => void>();
    const waited = second.catch(onError);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(onError).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    await waited;
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ name: "ServiceError", code: "idempotency_key_in_use" }),
    );
    open();
    const answer = await first;
    const third = await service.createPayment(scope, bodyWith(), request);
    expect(third).toEqual({ ...answer, replayed: true });
  });
});

describe("during a charge, a request with the same key and another body", () => {
  /** The processes that get the first request, and the second. */
  const processes = {
    "in the same process": ["one", "one"],
    "in another process": ["one", "other"],
  } as const;

  for (const [where, [firstAt, secondAt]] of Object.entries(processes)) {
    test(`is refused at once, ${where}: no second charge is requested`, async () => {
      const { one, other, live, network } = await openTwoReplicas();
      const gate = Promise.withResolvers<void>();
      network.steps.charge.push(late(gate.promise));
      const at = { one, other };
      const first = at[firstAt].createPayment(live, bodyWith(), request);
      await expect.poll(() => network.calls).toHaveLength(1);
      const second = at[secondAt].createPayment(live, bodyWith({ amount: 1 }), another);
      await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
      gate.resolve();
      expect(await first).toMatchObject({ status: 201, replayed: false });
      expect(network.calls).toHaveLength(1);
    });

    test(`is refused at once, ${where}: no second refund is requested`, async () => {
      const { one, other, live, network } = await openTwoReplicas();
      const paid = [bodyWith(), bodyWith()].map(async (body) => one.createPayment(live, body));
      const ids = (await Promise.all(paid)).map(({ body }) => parsePayment(body).id);
      const gate = Promise.withResolvers<void>();
      network.steps.refund.push(late(gate.promise));
      const at = { one, other };
      const first = at[firstAt].refundPayment(live, ids[0] ?? "", request);
      await expect.poll(() => network.calls.at(-1)?.[0]).toBe("refund");
      const second = at[secondAt].refundPayment(live, ids[1] ?? "", another);
      await expect(second).rejects.toMatchObject({ code: "idempotency_key_reused" });
      gate.resolve();
      expect(await first).toMatchObject({ status: 200, replayed: false });
      expect(network.listCharged()).toEqual([ids[1]]);
    });
  }
});

/** Opens two replicas attached to a network that moves money. */
async function openTwoReplicas() {
  const network = fakeNetwork();
  const one = await openTestService({ networkOf: network.networkOf });
  const other = await openTestService({ networkOf: network.networkOf, store: one.store });
  return { one: one.service, other: other.service, live: one.live, network };
}

describe("two processes with the same key at once", () => {
  test("create one payment, and both respond with it", async () => {
    const { networkOf, open, calls } = createGatedNetwork();
    const one = await openTestService({ networkOf });
    const other = await openTestService({ networkOf, store: one.store });
    const answers = [one, other].map(async ({ service }) =>
      service.createPayment(one.test, bodyWith(), request),
    );
    await expect.poll(() => calls).toHaveLength(2);
    open();
    const [first, second] = await Promise.all(answers);
    expect(first?.body).toBe(second?.body);
    expect(first?.replayed).toBe(!second?.replayed);
    const { items: payments } = await one.service.listPayments(one.test, {});
    expect(payments).toHaveLength(1);
  });

  test("process one of two different requests", async () => {
    const { networkOf, open, calls } = createGatedNetwork();
    const one = await openTestService({ networkOf });
    const other = await openTestService({ networkOf, store: one.store });
    const first = one.service.createPayment(one.test, bodyWith(), request);
    const second = other.service.createPayment(one.test, bodyWith({ amount: 1 }), another);
    await expect.poll(() => calls).toHaveLength(2);
    open();
    const results = await Promise.allSettled([first, second]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "idempotency_key_reused" },
    });
    const { items: payments } = await one.service.listPayments(one.test, {});
    expect(payments).toHaveLength(1);
  });

  test("refund once, and both respond with it, also where one learns of it late", async () => {
    const shared = await openNewStore();
    const one = await openTestService({ store: shared });
    const other = await openTestService({
      store: refundDuringRead(shared, async () => {
        await one.service.refundPayment(one.test, id, request);
      }),
    });
    const { id } = await one.pay(one.test);
    const answer = await other.service.refundPayment(one.test, id, request);
    expect(answer).toMatchObject({ status: 200, replayed: true });
  });
});

/** A store in which another replica refunds right after the first read of a stored response. */
function refundDuringRead(store: Store, refund: () => Promise<void>): Store {
  let calls = 0;
  return {
    ...store,
    findStoredResponse: async (...question) => {
      const found = await store.findStoredResponse(...question);
      calls += 1;
      if (calls === 1) await refund();
      return found;
    },
  };
}
