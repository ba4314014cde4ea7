import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createFairSemaphore, FairShares } from "../../src/runtime/fair-semaphore.ts";

test.for<{ title: string; shares: FairShares; owners: string[][]; counts: number[] }>([
  {
    title: "an owner leaves a quarter free, and a later one leaves a part of that",
    shares: new FairShares(64),
    owners: [["a"], ["b"], ["c"], ["d"], ["e"]],
    counts: [48, 12, 3, 1, 0],
  },
  {
    title: "a part of an owner leaves as much to its other parts",
    shares: new FairShares(64),
    owners: [
      ["a", "1"],
      ["a", "2"],
      ["b", "1"],
    ],
    counts: [36, 9, 15],
  },
  {
    title: "one slot goes to the first owner",
    shares: new FairShares(1),
    owners: [["a", "1"], ["b"]],
    counts: [1, 0],
  },
  {
    title: "with a higher ratio an owner takes more",
    shares: new FairShares(64, 7),
    owners: [["a"], ["b"]],
    counts: [56, 7],
  },
])("$title", ({ shares, owners, counts }) => {
  for (const owner of owners) while (shares.canTake(owner)) shares.change(owner, 1);
  expect(owners.map((owner) => shares.count(owner))).toEqual(counts);
  for (const owner of owners) shares.change(owner, -shares.count(owner));
  expect(shares.count()).toBe(0);
});

/** A semaphore; `order` lists the owners that got a slot, and `release` releases an owner's oldest one. */
function open(options: Parameters<typeof createFairSemaphore>[0]) {
  const semaphore = createFairSemaphore(options);
  const order: string[] = [];
  const slots = new Map<string, Disposable[]>();
  const askOnce = async (name: string, waitMs: number | undefined) => {
    const slot = await semaphore.acquire(name.split("/"), waitMs);
    order.push(slot ? name : `no ${name}`);
    if (slot) slots.set(name, [...(slots.get(name) ?? []), slot]);
  };
  return {
    order,
    ask: async (name: string, count = 1, waitMs?: number) => {
      for (let i = 0; i < count; i++) void askOnce(name, waitMs);
      await nextTurn();
    },
    release: async (name: string) => {
      slots.get(name)?.shift()?.[Symbol.dispose]();
      await nextTurn();
    },
  };
}

test("an owner that uses none gets the next slot, however many of another wait before it", async () => {
  const { ask, release, order } = open({ slots: 2, timesFree: 1_000 });
  await ask("a", 5);
  await ask("b");
  expect(order).toEqual(["a", "a"]);
  await release("a");
  expect(order).toEqual(["a", "a", "b"]);
  await release("b");
  expect(order.at(-1)).toBe("a");
});

test("owners that use as many take turns, and each is served in its order", async () => {
  const { ask, release, order } = open({ slots: 1 });
  await ask("first");
  await ask("a", 2);
  await ask("b", 2);
  for (const name of ["first", "a", "b", "a"]) await release(name);
  expect(order).toEqual(["first", "a", "b", "a", "b"]);
});

test("slots are shared by account first, and then within an account", async () => {
  const { ask, release, order } = open({ slots: 3, timesFree: 1_000 });
  await ask("a/1", 2);
  await ask("b/1");
  await ask("a/1");
  await ask("a/2");
  await ask("b/2");
  await release("b/1");
  expect(order.slice(3)).toEqual(["b/2"]);
  await release("a/1");
  expect(order.slice(3)).toEqual(["b/2", "a/2"]);
});

test("an owner that waits at the limit of its share does not block another from a free slot", async () => {
  const { ask, order } = open({ slots: 4 });
  await ask("a", 10);
  await ask("b");
  expect(order).toEqual(["a", "a", "a", "b"]);
});

test("an owner that waits too long gets none, and neither does one that finds too many waiting", async () => {
  const { ask, release, order } = open({ slots: 1, maxWaiting: 1 });
  await ask("a");
  await ask("b");
  await ask("c");
  expect(order).toEqual(["a", "no c"]);
  await release("a");
  expect(order).toEqual(["a", "no c", "b"]);
  await ask("d", 1, 0);
  await expect.poll(() => order.at(-1)).toBe("no d");
  await release("b");
  await ask("e");
  expect(order.at(-1)).toBe("e");
});

test("a slot that is released twice is free once", async () => {
  const semaphore = createFairSemaphore({ slots: 1 });
  const first = await semaphore.acquire(["a"]);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  expect(await semaphore.acquire(["a"])).toBeDefined();
  expect(await semaphore.acquire(["b"], 0)).toBeUndefined();
});

test("requests for several slots wait until so many are free, and an owner's smallest goes first", async () => {
  const semaphore = createFairSemaphore({ slots: 8, timesFree: 1_000 });
  const order: string[] = [];
  const giveUps = new Map<string, () => void>();
  const ask = async (name: string, size: number) => {
    const wait = { size, onWait: (giveUp: () => void) => giveUps.set(name, giveUp) };
    const slots = await semaphore.acquire([name.split("-", 1)[0] ?? ""], undefined, wait);
    order.push(slots ? name : `no ${name}`);
  };
  semaphore.change(["other"], 7);
  void ask("a-gone", 2);
  void ask("a-large", 3);
  void ask("a-small", 2);
  void ask("b", 2);
  await nextTurn();
  expect(order).toEqual([]);
  giveUps.get("a-gone")?.();
  await nextTurn();
  expect(order).toEqual(["no a-gone"]);
  semaphore.change(["other"], -3);
  await nextTurn();
  expect(order.slice(1)).toEqual(["a-small", "b"]);
  expect([semaphore.canTake(["a"], 1), semaphore.canTake([], 0)]).toEqual([false, true]);
  semaphore.change(["other"], 1); // what is in use may exceed the limit
  expect(semaphore.canTake([], 0)).toBe(false);
  semaphore.change(["other"], -4);
  await nextTurn();
  expect(order.at(-1)).toBe("a-large");
  for (const giveUp of giveUps.values()) giveUp(); // too late
  expect(semaphore.waitingCount()).toBe(0);
});

test("an owner that takes several slots leaves a quarter to others", async () => {
  const semaphore = createFairSemaphore({ slots: 8 });
  for (let nth = 0; nth < 4; nth++) void semaphore.acquire(["a"], undefined, { size: 2 });
  await nextTurn();
  expect(["a", "b"].map((owner) => semaphore.canTake([owner], 2))).toEqual([false, true]);
});

test("what a request leaves free is taken by one that leaves less", async () => {
  const semaphore = createFairSemaphore({ slots: 8, timesFree: 1_000 });
  const large = { size: 2, leaves: 2 };
  for (let nth = 0; nth < 3; nth++) void semaphore.acquire(["a"], undefined, large);
  await nextTurn();
  expect(semaphore.canTake(["b"], 2, 2)).toBe(false);
  expect(semaphore.canTake(["b"], 2)).toBe(true);
});

test("a request that needs something else besides takes it with its slots, and keeps none while it waits for it", async () => {
  const semaphore = createFairSemaphore({ slots: 2 });
  let places = 0;
  let taken = 0;
  const wait = { when: () => places > 0, onTake: () => void (places--, taken++) };
  for (const owner of ["a", "b"]) void semaphore.acquire([owner], undefined, wait);
  await nextTurn();
  expect([taken, semaphore.waitingCount()]).toEqual([0, 2]);
  using _ = await semaphore.acquire(["c"]);
  places = 1;
  semaphore.change(["c"], 0);
  await nextTurn();
  expect([taken, places, semaphore.waitingCount()]).toEqual([1, 0, 1]);
});
