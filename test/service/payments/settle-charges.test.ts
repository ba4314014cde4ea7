import { describe, expect, test } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { LocalNetwork, LookUpOutcome } from "../../../src/service/networks/card-network.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import {
  declined,
  openTestService,
  processingTimeMs,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";
import { parsePayment } from "../../testkit/database/records.ts";

const approved = { outcome: "approved", reference: "r" } as const;

describe("settling payments", () => {
  test("fails a declined payment after the processing time, with its reason and time, once", async () => {
    const { pay, service, time, test: scope } = await openTestService();
    const created = await pay(scope, declined);
    const find = async () => parsePayment(await service.getPayment(scope, created.id));
    time.nowMs = startMs + processingTimeMs - 1;
    expect(await service.settlePayments()).toBe(0);
    expect(await find()).toEqual(created);
    time.nowMs = startMs + processingTimeMs;
    expect(await service.settlePayments()).toBe(1);
    const failed = {
      ...created,
      status: "failed",
      decline_code: "generic_decline",
      decline_message: expect.stringContaining("declined") as unknown,
      failed_at: startSeconds + 1,
    };
    expect(await find()).toEqual(failed);
    time.nowMs += 60_000;
    expect(await service.settlePayments()).toBe(0);
    expect(await find()).toEqual(failed);
  });

  test("run by several processes at once settles each payment once", async () => {
    const first = await openTestService();
    const second = await openTestService({ store: first.store });
    const { id } = await first.pay(first.test, declined);
    first.time.nowMs = startMs + 1_000;
    second.time.nowMs = startMs + 9_000;
    await Promise.all(
      [first, second, first, second].map(async (each) => each.service.settlePayments()),
    );
    const settled = parsePayment(await first.service.getPayment(first.test, id));
    expect(settled.status).toBe("failed");
    expect([1, 9]).toContain((settled.failed_at ?? 0) - startSeconds); // the time of the replica that came first
    for (const each of [first, second]) expect(await each.settle()).toBe(0);
    expect(parsePayment(await first.service.getPayment(first.test, id))).toEqual(settled);
  });

  test("settles both modes, each on its own network", async () => {
    const inTest = createTestNetwork({ processingTimeMs });
    const inLive: LocalNetwork = { ...inTest, lookUp: async () => approved };
    const networkOf = ({ livemode }: Pick<Scope, "livemode">) => (livemode ? inLive : inTest);
    const { pay, service, settle, test: scope, live } = await openTestService({ networkOf });
    const [one, other] = [await pay(scope, declined), await pay(live, declined)];
    expect(await settle()).toBe(2);
    expect(parsePayment(await service.getPayment(scope, one.id))).toMatchObject({
      status: "failed",
    });
    expect(parsePayment(await service.getPayment(live, other.id))).toMatchObject({
      status: "succeeded",
    });
  });

  test("settles simulated payments without the network that is attached by now", async () => {
    const { calls, networkOf } = fakeNetwork();
    const before = await openTestService();
    const after = await openTestService({ store: before.store, networkOf });
    const { id } = await before.pay(before.live, declined);
    expect(await after.settle()).toBe(1);
    expect(parsePayment(await after.service.getPayment(after.live, id))).toMatchObject({
      decline_code: "generic_decline",
    });
    expect(calls).toEqual([]);
  });

  test("settles more than a batch in several runs", async () => {
    const { pay, settle, service, test: scope } = await openTestService();
    await Promise.all(Array.from({ length: 130 }, async () => pay(scope, declined)));
    expect(await settle()).toBe(100);
    expect(await settle()).toBe(30);
    const pending = await service.listPayments(scope, { status: "pending" });
    expect(pending.items).toEqual([]);
  });
});

describe("the look-up of a pending payment", () => {
  test("that is approved makes it succeed with its card", async () => {
    const { created, settle, service, test: scope } = await openPending();
    await settle();
    expect(parsePayment(await service.getPayment(scope, created.id))).toEqual({
      ...created,
      status: "succeeded",
      succeeded_at: startSeconds + 1,
    });
  });

  test("that fails is repeated once the lease has expired", async () => {
    const { created, network, settle, service, time, test: scope } = await openPending();
    const { lookUp } = network;
    network.lookUp = async () => {
      throw new Unavailable("The network cannot be reached.");
    };
    await expect(settle()).rejects.toThrow(Unavailable);
    expect(parsePayment(await service.getPayment(scope, created.id))).toEqual(created);
    network.lookUp = lookUp;
    time.nowMs += 1_999; // it is leased until then
    expect(await service.settlePayments()).toBe(0);
    time.nowMs += 1;
    expect(await service.settlePayments()).toBe(1);
    expect(parsePayment(await service.getPayment(scope, created.id))).toMatchObject({
      status: "succeeded",
    });
  });

  test("succeeds although expiring pages fails", async () => {
    const { created, store, service, time, test: scope } = await openPending();
    store.leaseExpiredPages = async () => {
      throw new Error("The pages cannot be read.");
    };
    time.nowMs += processingTimeMs;
    await expect(service.settlePayments()).rejects.toThrow("The pages cannot be read.");
    expect(parsePayment(await service.getPayment(scope, created.id))).toMatchObject({
      status: "succeeded",
    });
  });
});

/** Opens a pending payment on a network whose look-up returns `later.answer`. */
async function openPending() {
  const later: { answer: LookUpOutcome } = { answer: approved };
  const network = {
    ...createTestNetwork({ processingTimeMs }),
    lookUp: async () => later.answer,
  };
  const opened = await openTestService({ networkOf: () => network });
  return { ...opened, network, later, created: await opened.pay(opened.test, declined) };
}
