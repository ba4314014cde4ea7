import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { guardNetwork } from "../../../src/service/networks/guarded.ts";
import type { ChargeOutcome } from "../../../src/service/domain/charge-state.ts";
import type {
  PermitRequest,
  CardNetwork,
  GuardedNetwork,
  NetworkObserver,
} from "../../../src/service/ports/card-network.ts";
import { cardWith, chargeWith } from "../../testkit/network/charge-with.ts";

const approved: ChargeOutcome = { outcome: "approved", reference: "ch_1" };
const unknown: ChargeOutcome = { outcome: "unknown", reason: "no answer" };
const declined: ChargeOutcome = { outcome: "declined", code: "expired_card" };
const never = 2 ** 31 - 1;
const limits = { slots: 64, maxWaiting: 512, waitMs: never, failures: 10, everyMs: 1_000 };

/**
 * A guarded network whose charges come out as `answer` says, and all that is heard of it. Where its limits
 * are the usual ones, time is the process's own.
 */
function open(
  answer: () => Promise<ChargeOutcome>,
  special: Partial<typeof limits> | "usual" = {},
) {
  const heard: string[] = [];
  const observe: NetworkObserver = {
    answered: ({ operation, paymentId, outcome, tookMs }) =>
      heard.push(`${operation} ${paymentId} ${outcome.outcome} ${tookMs}`),
    rejected: (reason) => heard.push(reason),
    breaker: (state) => heard.push(state),
  };
  let asked = 0;
  const clock = { nowMs: 0 };
  const ask = async () => {
    asked++;
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
    special === "usual" ? {} : { limits: { ...limits, ...special }, clock: () => clock.nowMs };
  return {
    network: guardNetwork("stripe", network, observe, options),
    heard,
    clock,
    asked: () => asked,
  };
}

const card = cardWith();
const asking = { accountId: "acct_1", purpose: "charge" } as const;
const settling = { accountId: "acct_1", purpose: "settlement" } as const;
/** What a charge comes to, or that it was turned away. */
const charge = async (network: GuardedNetwork, as: PermitRequest = asking) => {
  using admission = await network.admit(as);
  return admission
    ? await admission.network.charge(chargeWith({ id: "pay_1" }), card)
    : "turned away";
};
const times = async (count: number, work: () => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await work();
};
const turned = async () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe("a guarded network", () => {
  test("answers as the network does, in each operation, and reports it", async () => {
    const { network, heard, clock } = open(async () => {
      clock.nowMs += 7;
      return approved;
    });
    const taken = chargeWith({ id: "pay_1" });
    expect(network).toMatchObject({ isLocal: false });
    expect(network.countryOf(card)).toBe("DE");
    using admission = await network.admit(asking);
    const admitted = admission!.network;
    expect(await admitted.charge(taken, card)).toEqual(approved);
    expect(await admitted.lookUp(taken)).toEqual(approved);
    expect(await admitted.cancel(taken)).toEqual({ outcome: "canceled" });
    expect(await admitted.refund(taken)).toEqual({ outcome: "refunded", reference: "re_1" });
    expect(heard).toEqual([
      "charge pay_1 approved 7",
      "lookUp pay_1 approved 7",
      "cancel pay_1 canceled 7",
      "refund pay_1 refunded 7",
    ]);
  });

  test("prepares a charge only where the network does", async () => {
    const { network } = open(async () => approved);
    using admission = await network.admit(asking);
    expect(admission?.network).not.toHaveProperty("prepare");
    const preparing = guardNetwork(
      "stripe",
      {
        ...admission!.network,
        prepare: async () => ({ outcome: "prepared", reference: "in_1" }),
      },
      { answered: () => {}, rejected: () => {}, breaker: () => {} },
    );
    using other = await preparing.admit(asking);
    const prepared = await other?.network.prepare?.(chargeWith());
    expect(prepared).toEqual({ outcome: "prepared", reference: "in_1" });
  });
});

/** As many charges as there are places, none of which ends before `end` says so. */
function full(special: Partial<typeof limits> = {}) {
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

describe("with all slots taken", () => {
  test("the next waits until one is free, in the order in which they came", async () => {
    const { network, going, ends, asked } = full();
    const order: string[] = [];
    const third = charge(network).then(() => order.push("third"));
    const fourth = charge(network).then(() => order.push("fourth"));
    await turned();
    expect(asked()).toBe(2);
    ends[0]?.();
    await going[0];
    await turned();
    expect(asked()).toBe(3);
    ends[2]?.();
    await third;
    await turned();
    expect(asked()).toBe(4);
    for (const end of ends) end();
    await Promise.all([...going, fourth]);
    expect(order).toEqual(["third", "fourth"]);
  });

  test("one that waits too long is not asked, and says so", async () => {
    const { network, ends, asked, heard } = full({ waitMs: 1 });
    expect(await charge(network)).toBe("turned away");
    expect(await network.admit(asking)).toBeUndefined();
    expect(heard).toEqual(["no_place", "no_place"]);
    expect(asked()).toBe(2);
    for (const end of ends) end();
  });

  test("one that has given up takes no slot from later ones", async () => {
    const { network, going, ends } = full({ waitMs: 1 });
    await charge(network);
    for (const end of ends) end();
    await Promise.all(going);
    using first = await network.admit(asking);
    using second = await network.admit(asking);
    expect(first && second).toBeDefined();
    expect(await network.admit(asking)).toBeUndefined();
  });

  test("a slot is held from admission on, until it is released", async () => {
    const { network, asked } = open(async () => approved, { slots: 1, waitMs: 1 });
    {
      using admission = await network.admit(asking);
      expect(await network.admit(asking)).toBeUndefined();
      for (const _ of [1, 2])
        expect(await admission?.network.charge(chargeWith(), card)).toEqual(approved);
    }
    expect(await charge(network)).toEqual(approved);
    expect(asked()).toBe(3);
  });
});

/** A network that has failed ten times in a row, and goes on as `answer` says. */
async function failed(answer: () => ChargeOutcome = () => unknown) {
  const opened = open(async () => (opened.asked() <= 10 ? unknown : answer()));
  await times(10, async () => charge(opened.network));
  opened.heard.length = 0;
  return opened;
}
/** Whether somebody who came now would be turned away. */
async function isOpen(network: GuardedNetwork): Promise<boolean> {
  using admission = await network.admit(asking);
  return admission === undefined;
}

describe("the breaker", () => {
  test("stays closed while no ten in a row fail", async () => {
    let asked = 0;
    const { network, heard } = open(async () => (++asked % 10 === 0 ? declined : unknown));
    await times(40, async () => charge(network));
    expect(asked).toBe(40);
    expect(heard).not.toContain("open");
    expect(heard).not.toContain("closed");
  });

  test("stays closed while the network works, but takes no such request", async () => {
    const { network, heard } = open(async () => ({ ...unknown, isInvalid: true as const }));
    await times(20, async () => charge(network));
    expect(heard).not.toContain("open");
  });

  test("opens at the tenth, once", async () => {
    const { network, heard, asked } = open(async () => unknown);
    await times(9, async () => charge(network));
    expect(heard).not.toContain("open");
    await times(3, async () => charge(network));
    expect(asked()).toBe(10);
    expect(heard.slice(9)).toEqual([
      "open",
      "charge pay_1 unknown 0",
      "breaker_open",
      "breaker_open",
    ]);
  });

  test("turns away before anything is written or sent, while it is open", async () => {
    const { network, asked } = await failed();
    expect(await isOpen(network)).toBe(true);
    expect(network.isFailing()).toBe(true);
    expect(await charge(network)).toBe("turned away");
    expect(asked()).toBe(10);
  });

  test("lets one a second through", async () => {
    const { network, clock, asked } = await failed();
    for (const second of [1, 2, 3]) {
      clock.nowMs = second * 1_000 - 1;
      await times(2, async () => charge(network));
      clock.nowMs = second * 1_000;
      await times(3, async () => charge(network));
      expect(asked()).toBe(10 + second);
    }
  });

  test("lets those through first that settle, cancel or give back, in the order in which they came", async () => {
    const { network, clock, asked } = await failed();
    const order: string[] = [];
    const settle = async (accountId: string) => {
      await charge(network, { ...settling, accountId });
      order.push(accountId);
    };
    const waiting = [settle("acct_1"), settle("acct_2")];
    for (const second of [1, 2]) {
      clock.nowMs = second * 1_000;
      expect(await charge(network)).toBe("turned away");
      await expect.poll(asked).toBe(10 + second);
    }
    await Promise.all(waiting);
    expect(order).toEqual(["acct_1", "acct_2"]);
    clock.nowMs = 3_000;
    expect(await charge(network)).toEqual(unknown);
  });

  test("lets all waiting requests through, once one succeeded", async () => {
    const { network, clock, asked } = await failed(() => declined);
    const waiting = Array.from({ length: 5 }, async () => charge(network, settling));
    clock.nowMs = 1_000;
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => declined));
    expect(asked()).toBe(15);
  });

  test("rejects a request that waits too long for its turn", async () => {
    const { network, heard } = open(async () => unknown, { failures: 1, waitMs: 1 });
    await charge(network);
    expect(await charge(network, settling)).toBe("turned away");
    expect(heard.at(-1)).toBe("breaker_open");
    expect(await isOpen(network)).toBe(true);
  });

  test("closes with the first that goes well, whatever its outcome", async () => {
    const { network, clock, heard, asked } = await failed(() => declined);
    clock.nowMs = 1_000;
    expect(await charge(network)).toEqual(declined);
    expect(heard).toEqual(["closed", "charge pay_1 declined 0"]);
    expect(network.isFailing()).toBe(false);
    await times(5, async () => charge(network));
    expect(asked()).toBe(16);
  });

  test("rejects requests that were waiting for a slot when it opened", async () => {
    const gate = Promise.withResolvers<void>();
    const fail = async () => gate.promise.then(() => unknown);
    const { network, asked, heard, clock } = open(fail, { slots: 1, failures: 1 });
    const [first, second] = [charge(network), charge(network)];
    await turned();
    gate.resolve();
    expect(await first).toEqual(unknown);
    expect(await second).toBe("turned away");
    expect(asked()).toBe(1);
    expect(heard).toEqual(["open", "charge pay_1 unknown 0", "breaker_open"]);
    clock.nowMs = 1_000;
    using place = await network.admit(asking);
    expect(place).toBeDefined();
  });
});

describe("with the usual limits", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
  );
  afterEach(() => void vi.useRealTimers());

  test("at most 64 ask at once, shared by purpose and account, and the next waits 5 s for a slot", async () => {
    const { network, asked, heard } = open(async () => new Promise(() => {}), "usual");
    const others = [settling, { accountId: "acct_2", purpose: "settlement" } as const];
    const before: number[] = [];
    for (const as of [asking, { ...asking, accountId: "acct_2" }, ...others]) {
      for (let i = 0; i < 49; i++) void charge(network, as);
      await vi.advanceTimersByTimeAsync(0);
      before.push(asked());
    }
    expect(before).toEqual([49, 56, 63, 63]);
    const next = charge(network);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(asked()).toBe(63);
    expect(heard).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(new Set(heard)).toEqual(new Set(["no_place"]));
    expect(await next).toBe("turned away");
  });
});
