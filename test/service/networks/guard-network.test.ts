import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { guardNetwork } from "../../../src/service/networks/guard-network.ts";
import type {
  CardNetwork,
  ChargeOutcome,
  GuardedNetwork,
  NetworkObserver,
  PermitRequest,
} from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "../../testkit/network/fake-network.ts";

const approved: ChargeOutcome = { outcome: "approved", reference: "ch_1" };
const unknown: ChargeOutcome = { outcome: "unknown", reason: "no answer" };
const declined: ChargeOutcome = { outcome: "declined", code: "expired_card" };
const never = 2 ** 31 - 1;
const limits = { slots: 64, maxWaiting: 512, waitMs: never, failures: 10, everyMs: 1_000 };

/**
 * Opens a guarded network whose charges end as `answer` says, and records its observer's calls. With default limits
 * it runs on real time.
 */
function open(
  answer: () => Promise<ChargeOutcome>,
  special: Partial<typeof limits> | "default" = {},
) {
  const observed: string[] = [];
  const observe: NetworkObserver = {
    answered: ({ operation, paymentId, outcome, tookMs }) =>
      observed.push(`${operation} ${paymentId} ${outcome.outcome} ${tookMs}`),
    rejected: (reason) => observed.push(reason),
    breaker: (state) => observed.push(state),
  };
  let calls = 0;
  const clock = { nowMs: 0 };
  const ask = async () => {
    calls++;
    return await answer();
  };
  const network: CardNetwork = {
    countryOf: () => "DE",
    charge: ask,
    lookUp: ask,
    cancel: async () => (await ask(), { outcome: "canceled" }),
    refund: async () => (await ask(), { outcome: "refunded", reference: "re_1" }),
  };
  const options =
    special === "default" ? {} : { limits: { ...limits, ...special }, clock: () => clock.nowMs };
  return {
    network: guardNetwork("stripe", network, observe, options),
    observed,
    clock,
    calls: () => calls,
  };
}

const card = cardWith();
const charging = { accountId: "acct_1", purpose: "charge" } as const;
const settling = { accountId: "acct_1", purpose: "settlement" } as const;
/** Charges a card; returns the outcome, or "rejected" without a permit. */
const charge = async (network: GuardedNetwork, as: PermitRequest = charging) => {
  using permit = await network.admit(as);
  return permit ? await permit.network.charge(chargeWith({ id: "pay_1" }), card) : "rejected";
};
const repeat = async (count: number, work: () => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await work();
};
const nextTurn = async () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe("a guarded network", () => {
  test("answers as the network does, in each operation, and reports it", async () => {
    const { network, observed, clock } = open(async () => {
      clock.nowMs += 7;
      return approved;
    });
    const request = chargeWith({ id: "pay_1" });
    expect(network).toMatchObject({ isLocal: false });
    expect(network.countryOf(card)).toBe("DE");
    using permit = await network.admit(charging);
    const admitted = permit!.network;
    expect(await admitted.charge(request, card)).toEqual(approved);
    expect(await admitted.lookUp(request)).toEqual(approved);
    expect(await admitted.cancel(request)).toEqual({ outcome: "canceled" });
    expect(await admitted.refund(request)).toEqual({ outcome: "refunded", reference: "re_1" });
    expect(observed).toEqual([
      "charge pay_1 approved 7",
      "lookUp pay_1 approved 7",
      "cancel pay_1 canceled 7",
      "refund pay_1 refunded 7",
    ]);
  });

  test("prepares a charge only where the network does", async () => {
    const { network } = open(async () => approved);
    using permit = await network.admit(charging);
    expect(permit?.network).not.toHaveProperty("prepare");
    const preparing = guardNetwork(
      "stripe",
      {
        ...permit!.network,
        prepare: async () => ({ outcome: "prepared", reference: "in_1" }),
      },
      { answered: () => {}, rejected: () => {}, breaker: () => {} },
    );
    using other = await preparing.admit(charging);
    const prepared = await other?.network.prepare?.(chargeWith());
    expect(prepared).toEqual({ outcome: "prepared", reference: "in_1" });
  });
});

/** Opens a network whose slots are all in use, by charges that a test ends. */
function openFull(special: Partial<typeof limits> = {}) {
  const ends: (() => void)[] = [];
  const opened = open(
    async () =>
      new Promise<ChargeOutcome>((resolve) => {
        ends.push(() => resolve(approved));
      }),
    { slots: 2, ...special },
  );
  const going = [charge(opened.network), charge(opened.network)];
  return { ...opened, ends, going };
}

describe("with all slots in use", () => {
  test("the next waits until one is free, in the order in which they came", async () => {
    const { network, going, ends, calls } = openFull();
    const order: string[] = [];
    const third = charge(network).then(() => order.push("third"));
    const fourth = charge(network).then(() => order.push("fourth"));
    await nextTurn();
    expect(calls()).toBe(2);
    ends[0]?.();
    await going[0];
    await nextTurn();
    expect(calls()).toBe(3);
    ends[2]?.();
    await third;
    await nextTurn();
    expect(calls()).toBe(4);
    for (const end of ends) end();
    await Promise.all([...going, fourth]);
    expect(order).toEqual(["third", "fourth"]);
  });

  test("a request that waits too long is rejected, which is observed", async () => {
    const { network, ends, calls, observed } = openFull({ waitMs: 1 });
    expect(await charge(network)).toBe("rejected");
    expect(await network.admit(charging)).toBeUndefined();
    expect(observed).toEqual(["no_place", "no_place"]);
    expect(calls()).toBe(2);
    for (const end of ends) end();
  });

  test("a request that has timed out leaves its slot to later ones", async () => {
    const { network, going, ends } = openFull({ waitMs: 1 });
    await charge(network);
    for (const end of ends) end();
    await Promise.all(going);
    using first = await network.admit(charging);
    using second = await network.admit(charging);
    expect(first && second).toBeDefined();
    expect(await network.admit(charging)).toBeUndefined();
  });

  test("a slot is in use from its permit on, until it is released", async () => {
    const { network, calls } = open(async () => approved, { slots: 1, waitMs: 1 });
    {
      using permit = await network.admit(charging);
      expect(await network.admit(charging)).toBeUndefined();
      for (const _ of [1, 2])
        expect(await permit?.network.charge(chargeWith(), card)).toEqual(approved);
    }
    expect(await charge(network)).toEqual(approved);
    expect(calls()).toBe(3);
  });
});

/** Opens a network that has failed ten times in a row, and then answers as `answer` says. */
async function openFailing(answer: () => ChargeOutcome = () => unknown) {
  const opened = open(async () => (opened.calls() <= 10 ? unknown : answer()));
  await repeat(10, async () => charge(opened.network));
  opened.observed.length = 0;
  return opened;
}
async function isOpen(network: GuardedNetwork): Promise<boolean> {
  using permit = await network.admit(charging);
  return permit === undefined;
}

describe("the breaker", () => {
  test("stays closed without ten consecutive failures", async () => {
    let calls = 0;
    const { network, observed } = open(async () => (++calls % 10 === 0 ? declined : unknown));
    await repeat(40, async () => charge(network));
    expect(calls).toBe(40);
    expect(observed).not.toContain("open");
    expect(observed).not.toContain("closed");
  });

  test("stays closed while the network only rejects invalid requests", async () => {
    const { network, observed } = open(async () => ({ ...unknown, isInvalid: true as const }));
    await repeat(20, async () => charge(network));
    expect(observed).not.toContain("open");
  });

  test("opens at the tenth, once", async () => {
    const { network, observed, calls } = open(async () => unknown);
    await repeat(9, async () => charge(network));
    expect(observed).not.toContain("open");
    await repeat(3, async () => charge(network));
    expect(calls()).toBe(10);
    expect(observed.slice(9)).toEqual([
      "open",
      "charge pay_1 unknown 0",
      "breaker_open",
      "breaker_open",
    ]);
  });

  test("rejects requests before anything is sent, while it is open", async () => {
    const { network, calls } = await openFailing();
    expect(await isOpen(network)).toBe(true);
    expect(network.isFailing()).toBe(true);
    expect(await charge(network)).toBe("rejected");
    expect(calls()).toBe(10);
  });

  test("lets one request a second through", async () => {
    const { network, clock, calls } = await openFailing();
    for (const second of [1, 2, 3]) {
      clock.nowMs = second * 1_000 - 1;
      await repeat(2, async () => charge(network));
      clock.nowMs = second * 1_000;
      await repeat(3, async () => charge(network));
      expect(calls()).toBe(10 + second);
    }
  });

  test("lets settlement through before charges, in the order of arrival", async () => {
    const { network, clock, calls } = await openFailing();
    const order: string[] = [];
    const settle = async (accountId: string) => {
      await charge(network, { ...settling, accountId });
      order.push(accountId);
    };
    const waiting = [settle("acct_1"), settle("acct_2")];
    for (const second of [1, 2]) {
      clock.nowMs = second * 1_000;
      expect(await charge(network)).toBe("rejected");
      await expect.poll(calls).toBe(10 + second);
    }
    await Promise.all(waiting);
    expect(order).toEqual(["acct_1", "acct_2"]);
    clock.nowMs = 3_000;
    expect(await charge(network)).toEqual(unknown);
  });

  test("lets all waiting requests through, once one succeeded", async () => {
    const { network, clock, calls } = await openFailing(() => declined);
    const waiting = Array.from({ length: 5 }, async () => charge(network, settling));
    clock.nowMs = 1_000;
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => declined));
    expect(calls()).toBe(15);
  });

  test("rejects a request that waits too long for its turn", async () => {
    const { network, observed } = open(async () => unknown, { failures: 1, waitMs: 1 });
    await charge(network);
    expect(await charge(network, settling)).toBe("rejected");
    expect(observed.at(-1)).toBe("breaker_open");
    expect(await isOpen(network)).toBe(true);
  });

  test("closes with the first known outcome", async () => {
    const { network, clock, observed, calls } = await openFailing(() => declined);
    clock.nowMs = 1_000;
    expect(await charge(network)).toEqual(declined);
    expect(observed).toEqual(["closed", "charge pay_1 declined 0"]);
    expect(network.isFailing()).toBe(false);
    await repeat(5, async () => charge(network));
    expect(calls()).toBe(16);
  });

  test("rejects requests that were waiting for a slot when it opened", async () => {
    const gate = Promise.withResolvers<void>();
    const fail = async () => gate.promise.then(() => unknown);
    const { network, calls, observed, clock } = open(fail, { slots: 1, failures: 1 });
    const [first, second] = [charge(network), charge(network)];
    await nextTurn();
    gate.resolve();
    expect(await first).toEqual(unknown);
    expect(await second).toBe("rejected");
    expect(calls()).toBe(1);
    expect(observed).toEqual(["open", "charge pay_1 unknown 0", "breaker_open"]);
    clock.nowMs = 1_000;
    using slot = await network.admit(charging);
    expect(slot).toBeDefined();
  });
});

/** Opens a network whose look-ups, cancels and refunds work; its charges do as `answer` says. */
function openHalf(answer: () => ChargeOutcome = () => unknown, prepares = false) {
  const calls = { charge: 0, settlement: 0 };
  const observed: string[] = [];
  const clock = { nowMs: 0 };
  const settled = async <T>(outcome: T) => (calls.settlement++, outcome);
  const network = guardNetwork(
    "stripe",
    {
      countryOf: () => "DE",
      ...(prepares && { prepare: async () => ({ outcome: "prepared", reference: "in_1" }) }),
      charge: async () => (calls.charge++, answer()),
      lookUp: async () => settled(approved),
      cancel: async () => settled({ outcome: "canceled" } as const),
      refund: async () => settled({ outcome: "refunded", reference: "re_1" } as const),
    },
    { answered: () => {}, rejected: () => {}, breaker: (state) => observed.push(state) },
    { limits: { ...limits, waitMs: 1 }, clock: () => clock.nowMs },
  );
  const settle = async (operation: "lookUp" | "cancel" | "refund") => {
    using permit = await network.admit(settling);
    return (await permit?.network[operation](chargeWith()))?.outcome;
  };
  const pay = async () => {
    using permit = await network.admit(charging);
    await permit?.network.prepare?.(chargeWith());
    return permit ? await permit.network.charge(chargeWith(), card) : "rejected";
  };
  return { network, calls, observed, clock, settle, pay };
}

describe("while new charges fail alone", () => {
  test("what is undecided is settled in turn with them at the worst, however many are tried", async () => {
    const { calls, clock, settle, pay, observed, network } = openHalf();
    await repeat(10, pay);
    for (let second = 1; second <= 30; second++) {
      clock.nowMs = second * 1_000;
      for (const each of ["lookUp", "cancel", "refund"] as const) {
        expect(await settle(each)).toBeDefined();
        expect(network.isFailing()).toBe(false);
        await repeat(12, pay);
      }
    }
    expect(calls).toEqual({ charge: 10 + 30, settlement: 90 });
    expect(observed).toEqual(["open"]);
  });

  test("the first one that works lets all others through", async () => {
    let isWorking = false;
    const { calls, clock, settle, pay, observed } = openHalf(() =>
      isWorking ? declined : unknown,
    );
    await repeat(12, pay);
    clock.nowMs = 1_000;
    await settle("lookUp");
    isWorking = true;
    expect(await pay()).toEqual(declined);
    await repeat(5, pay);
    expect(calls.charge).toBe(10 + 1 + 5);
    expect(observed).toEqual(["open", "closed"]);
  });

  test("one that is only prepared lets no others through", async () => {
    const { calls, clock, pay } = openHalf(() => unknown, true);
    await repeat(12, pay);
    clock.nowMs = 1_000;
    await repeat(12, pay);
    expect(calls.charge).toBe(10 + 1);
  });
});

describe("with the default limits", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
  );
  afterEach(() => void vi.useRealTimers());

  test("at most 64 requests run at once, shared by purpose and account, and the next waits 5 s for a slot", async () => {
    const { network, calls, observed } = open(async () => new Promise(() => {}), "default");
    const others = [settling, { accountId: "acct_2", purpose: "settlement" } as const];
    const before: number[] = [];
    for (const as of [charging, { ...charging, accountId: "acct_2" }, ...others]) {
      for (let i = 0; i < 49; i++) void charge(network, as);
      await vi.advanceTimersByTimeAsync(0);
      before.push(calls());
    }
    expect(before).toEqual([49, 56, 63, 63]);
    const next = charge(network);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(calls()).toBe(63);
    expect(observed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(new Set(observed)).toEqual(new Set(["no_place"]));
    expect(await next).toBe("rejected");
  });
});
