import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDueSchedule } from "../../../src/service/server/scheduler.ts";

const stepMs = 250;
const nowMs = 1_000_000;
const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ now: nowMs });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A schedule whose pauses have reached their maximum. */
async function createSettledSchedule(): Promise<ReturnType<typeof createDueSchedule>> {
  const schedule = createDueSchedule(stepMs);
  for (let times = 0; times < 6; times++) await measureWait(schedule);
  return schedule;
}

/** Returns the time until a schedule wakes. */
async function measureWait(
  schedule: ReturnType<typeof createDueSchedule>,
  signal = never,
): Promise<number> {
  const startMs = Date.now();
  const woken: number[] = [];
  void schedule.wait(signal).then(() => woken.push(Date.now() - startMs));
  for (let ms = 0; ms <= 10_000 && woken.length === 0; ms += 10)
    await vi.advanceTimersByTimeAsync(10);
  return woken[0] ?? Infinity;
}

test("a schedule wakes at the end of the step in which work is due", async () => {
  const schedule = await createSettledSchedule();
  const startMs = Math.ceil(Date.now() / stepMs) * stepMs;
  await vi.advanceTimersByTimeAsync(startMs - Date.now());
  for (const inMs of [1_001, 1_002, 1_250]) schedule.wakeAt(startMs + inMs);
  expect(await measureWait(schedule)).toBe(1_250);
  expect(await measureWait(schedule)).toBe(5_000); // the three times were one
});

test("a schedule wakes at once for work that came due before the wait", async () => {
  const schedule = await createSettledSchedule();
  schedule.wakeAt(Date.now());
  await vi.advanceTimersByTimeAsync(stepMs);
  expect(await measureWait(schedule)).toBe(0);
});

test("a schedule wakes for a time that is set during the wait", async () => {
  const schedule = await createSettledSchedule();
  setTimeout(() => schedule.wakeAt(Date.now()), 1_000);
  expect(await measureWait(schedule)).toBeLessThanOrEqual(1_000 + stepMs);
});

test("a schedule wakes without due work, soon after the start and then less often", async () => {
  const schedule = createDueSchedule(stepMs);
  const woken: number[] = [];
  for (let count = 0; count < 7; count++) woken.push(await measureWait(schedule));
  expect(woken).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

test.each([
  [0, 2_500],
  [0.998, 7_490],
])("the pause has a jitter: with a random value of %d it is %d ms", async (random, expected) => {
  const schedule = await createSettledSchedule();
  schedule.wakeAt(Date.now() + 24 * 60 * 60 * 1_000);
  expect(vi.getTimerCount()).toBe(0); // no timer for a day
  vi.spyOn(Math, "random").mockReturnValue(random);
  expect(await measureWait(schedule)).toBe(expected);
});

test("an aborted signal ends the wait, before or during it", async () => {
  const schedule = await createSettledSchedule();
  const stopped = new AbortController();
  setTimeout(() => stopped.abort(), 1_000);
  expect(await measureWait(schedule, stopped.signal)).toBe(1_000);
  expect(await measureWait(schedule, stopped.signal)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
