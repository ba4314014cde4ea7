import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { singleFlight } from "../../src/runtime/single-flight.ts";
import { Unavailable } from "../../src/runtime/failures.ts";

test("those who ask at the same time get one answer, those who ask later a new one", async () => {
  let asked = 0;
  const ask = singleFlight(async () => {
    await delay(20);
    return ++asked;
  }, 1_000);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  expect(await ask()).toBe(2);
});

test("who gets no answer in time is told so, and may ask again", async () => {
  let asked = 0;
  const ask = singleFlight(async () => (++asked === 1 ? new Promise<never>(() => {}) : asked), 20);
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  for (const each of [first, second]) {
    expect(each).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
  }
  expect(await ask()).toBe(2);
});

test("a failure is told to all who asked, and is not kept", async () => {
  let asked = 0;
  const ask = singleFlight(async () => {
    if (++asked === 1) throw new Unavailable("gone");
    return asked;
  }, 1_000);
  const told = await Promise.allSettled([ask(), ask()]);
  expect(told.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await ask()).toBe(2);
});
