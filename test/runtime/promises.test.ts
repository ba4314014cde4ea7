import { expect, test, vi } from "vitest";
import { Unavailable } from "../../src/runtime/failures.ts";
import { awaitAll, singleFlight, startWait, withTimeout } from "../../src/runtime/promises.ts";

const never = new Promise<never>(() => {});

test("a timeout gives the caller's own result, and ignores a later failure", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  expect(await withTimeout(promise, 1, () => "late")).toBe("late");
  reject(new Error("no caller waits"));
  // Also beyond the maximum of a timer.
  const soon = new Promise((resolve) => setImmediate(resolve, "in time"));
  expect(await withTimeout(soon, 1e12, () => "late")).toBe("in time");
});

test("a wait ends with the value it is given, or with none after its time", async () => {
  const onEnd = vi.fn<() => void>();
  const wait = startWait<string>(60_000, onEnd);
  wait.end("slot");
  expect(onEnd).toHaveBeenCalledOnce();
  expect(await wait.promise).toBe("slot");
  expect(await startWait<string>(1, onEnd).promise).toBeUndefined();
});

test("callers at the same time share one answer, and a later caller gets a new one", async () => {
  const first = Promise.withResolvers<number>();
  const answers = [first.promise, Promise.resolve(2)];
  const ask = singleFlight(async () => answers.shift() ?? never, 60_000);
  const waiting = Promise.all([ask(), ask(), ask()]);
  first.resolve(1);
  expect(await waiting).toEqual([1, 1, 1]);
  expect(await ask()).toBe(2);
});

test.for([
  ["a timeout", async () => never],
  ["a failure", async () => Promise.reject(new Unavailable("gone"))],
] as const)("%s reaches all callers, and is not stored for later ones", async ([, fail]) => {
  const answers = [fail, async () => 2];
  const ask = singleFlight(async () => (answers.shift() ?? fail)(), 20);
  for (const each of await Promise.allSettled([ask(), ask()])) {
    expect(each).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
  }
  expect(await ask()).toBe(2);
});

test("values come in the order of their promises", async () => {
  const first = Promise.withResolvers<string>();
  const all = awaitAll([first.promise, Promise.resolve("b")]);
  first.resolve("a");
  expect(await all).toEqual(["a", "b"]);
});

test("the first error is thrown only after every promise has settled", async () => {
  const slow = Promise.withResolvers<string>();
  let isOver = false;
  const all = awaitAll([Promise.reject(new Error("first")), slow.promise]).finally(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  slow.reject(new Error("second"));
  await expect(all).rejects.toThrow("first");
});
