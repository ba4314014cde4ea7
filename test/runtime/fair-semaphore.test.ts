import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairShares } from "../../src/runtime/fair-shares.ts";
import { fairSemaphore } from "../../src/runtime/fair-semaphore.ts";

/** How many one owner after another takes, each as many as it may. */
function takenInTurn(shares: FairShares, owners: string[][]): number[] {
  return owners.map((owner) => {
    while (shares.mayTake(owner)) shares.take(owner);
    return shares.heldBy(owner);
  });
}

test("one alone leaves a quarter free, and who comes later leaves a part of that", () => {
  const shares = new FairShares(64);
  expect(takenInTurn(shares, [["a"], ["b"], ["c"], ["d"], ["e"]])).toEqual([48, 12, 3, 1, 0]);
  expect(shares.heldBy()).toBe(64);
});

test("a part of an owner leaves as much to its other parts", () => {
  const shares = new FairShares(64);
  const owners = [
    ["a", "1"],
    ["a", "2"],
    ["b", "1"],
  ];
  expect(takenInTurn(shares, owners)).toEqual([36, 9, 15]);
  expect(shares.heldBy(["a"])).toBe(45);
});

test("of one alone all is whoever's comes first", () => {
  const shares = new FairShares(1);
  expect(takenInTurn(shares, [["a", "1"], ["b"]])).toEqual([1, 0]);
  shares.giveBack(["a", "1"]);
  expect(takenInTurn(shares, [["b"], ["a", "1"]])).toEqual([1, 0]);
});

test("where more is left, more of it is one's own", () => {
  expect(takenInTurn(new FairShares(64, 7), [["a"], ["b"]])).toEqual([56, 7]);
});

/** A semaphore whose slots owners ask for; `order` tells who got one, and `end` gives an owner's oldest back. */
function open(options: Parameters<typeof fairSemaphore>[0]) {
  const semaphore = fairSemaphore(options);
  const order: string[] = [];
  const held = new Map<string, Disposable[]>();
  const askOnce = async (name: string, waitMs: number | undefined) => {
    const slot = await semaphore.acquire(name.split("/"), waitMs);
    order.push(slot ? name : `no ${name}`);
    if (slot) held.set(name, [...(held.get(name) ?? []), slot]);
  };
  return {
    order,
    ask: async (name: string, count = 1, waitMs?: number) => {
      for (let i = 0; i < count; i++) void askOnce(name, waitMs);
      await nextTurn();
    },
    end: async (name: string) => {
      held.get(name)?.shift()?.[Symbol.dispose]();
      await nextTurn();
    },
  };
}

test("an owner that holds none gets the next slot, however many of another wait before it", async () => {
  const { ask, end, order } = open({ slots: 2, timesFree: 1_000 });
  await ask("a", 5);
  await ask("b");
  expect(order).toEqual(["a", "a"]);
  await end("a");
  expect(order).toEqual(["a", "a", "b"]);
  await end("b");
  expect(order.at(-1)).toBe("a");
});

test("owners that hold as many take turns, and each one's come in their order", async () => {
  const { ask, end, order } = open({ slots: 1 });
  await ask("first");
  await ask("a", 2);
  await ask("b", 2);
  for (const name of ["first", "a", "b", "a"]) await end(name);
  expect(order).toEqual(["first", "a", "b", "a", "b"]);
});

test("the widest level comes first, and then the parts of an owner", async () => {
  const { ask, end, order } = open({ slots: 3, timesFree: 1_000 });
  await ask("a/1", 2);
  await ask("b/1");
  await ask("a/1");
  await ask("a/2");
  await ask("b/2");
  await end("b/1");
  expect(order.slice(3)).toEqual(["b/2"]);
  await end("a/1");
  expect(order.slice(3)).toEqual(["b/2", "a/2"]);
});

test("who waits at the limit of its share keeps nobody else from a slot that is free", async () => {
  const { ask, order } = open({ slots: 4 });
  await ask("a", 10);
  await ask("b");
  expect(order).toEqual(["a", "a", "a", "b"]);
});

test("who waits too long gets none, and neither does who finds too many waiting", async () => {
  const { ask, end, order } = open({ slots: 1, maxWaiting: 1 });
  await ask("a");
  await ask("b");
  await ask("c");
  expect(order).toEqual(["a", "no c"]);
  await end("a");
  expect(order).toEqual(["a", "no c", "b"]);
  await ask("d", 1, 0);
  await expect.poll(() => order.at(-1)).toBe("no d");
  await end("b");
  await ask("e");
  expect(order.at(-1)).toBe("e");
});

test("a slot that is given back twice is free once", async () => {
  const semaphore = fairSemaphore({ slots: 1 });
  const first = await semaphore.acquire(["a"]);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  expect(await semaphore.acquire(["a"])).toBeDefined();
  expect(await semaphore.acquire(["b"], 0)).toBeUndefined();
});
