import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDueSchedule } from "../../../src/service/jobs/scheduler.ts";

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

/** One that has rung so often that it is silent for as long as it ever is. */
async function createOldAlarm(): Promise<ReturnType<typeof createDueSchedule>> {
  const alarm = createDueSchedule(stepMs);
  for (let rung = 0; rung < 6; rung++) await ringsAfter(alarm);
  return alarm;
}

/** How long it is until an alarm rings. */
async function ringsAfter(
  alarm: ReturnType<typeof createDueSchedule>,
  signal = never,
): Promise<number> {
  const startMs = Date.now();
  const rang: number[] = [];
  void alarm.wait(signal).then(() => rang.push(Date.now() - startMs));
  for (let ms = 0; ms <= 10_000 && rang.length === 0; ms += 10)
    await vi.advanceTimersByTimeAsync(10);
  return rang[0] ?? Infinity;
}

test("rings at the end of the step in which something is due", async () => {
  const alarm = await createOldAlarm();
  const startMs = Math.ceil(Date.now() / stepMs) * stepMs;
  await vi.advanceTimersByTimeAsync(startMs - Date.now());
  for (const inMs of [1_001, 1_002, 1_250]) alarm.wakeAt(startMs + inMs);
  expect(await ringsAfter(alarm)).toBe(1_250);
  expect(await ringsAfter(alarm)).toBe(5_000); // all three were one
});

test("rings at once for what is due already, also where nobody waited yet", async () => {
  const alarm = await createOldAlarm();
  alarm.wakeAt(Date.now());
  await vi.advanceTimersByTimeAsync(stepMs);
  expect(await ringsAfter(alarm)).toBe(0);
});

test("rings while it is waited for, for what is due sooner", async () => {
  const alarm = await createOldAlarm();
  setTimeout(() => alarm.wakeAt(Date.now()), 1_000);
  expect(await ringsAfter(alarm)).toBeLessThanOrEqual(1_000 + stepMs);
});

test("rings by itself, soon after the start and then less often", async () => {
  const alarm = createDueSchedule(stepMs);
  const rang: number[] = [];
  for (let ring = 0; ring < 7; ring++) rang.push(await ringsAfter(alarm));
  expect(rang).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

test.each([
  [0, 2_500],
  [0.998, 7_490],
])("does so at a time of its own: by %d after %d ms", async (random, expected) => {
  const alarm = await createOldAlarm();
  alarm.wakeAt(Date.now() + 24 * 60 * 60 * 1_000);
  expect(vi.getTimerCount()).toBe(0); // that is nothing to keep in mind for a day
  vi.spyOn(Math, "random").mockReturnValue(random);
  expect(await ringsAfter(alarm)).toBe(expected);
});

test("is no longer waited for once that was given up, before or meanwhile", async () => {
  const alarm = await createOldAlarm();
  const stopped = new AbortController();
  setTimeout(() => stopped.abort(), 1_000);
  expect(await ringsAfter(alarm, stopped.signal)).toBe(1_000);
  expect(await ringsAfter(alarm, stopped.signal)).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
