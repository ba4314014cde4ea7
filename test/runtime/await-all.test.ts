import { expect, test } from "vitest";
import { awaitAll } from "../../src/runtime/await-all.ts";

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
