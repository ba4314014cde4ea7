import { describe, expect, test } from "vitest";
import {
  type Concurrency,
  type Schedule,
  adaptConcurrency,
  createConcurrency,
  getMaxConcurrent,
  isPausing,
  listenerSchedule,
  computeRetryPause,
  computePastDueTimes,
  maxDeliveryMs,
  webhookSchedule,
} from "../../../src/service/webhooks/delivery-state.ts";

const [min, middle, max] = [() => 0, () => 0.5, () => 1];
const hourMs = 3_600_000;

const documented: [name: string, Schedule, stepsMs: number[]][] = [
  [
    "a webhook's",
    webhookSchedule,
    [0, 5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)],
  ],
  ["a listener's", listenerSchedule, [0, 1_000, 5_000, 30_000, 120_000]],
];

describe.each(documented)("%s schedule", (_, schedule, stepsMs) => {
  test("has its steps, and then none", () => {
    const waits = [...stepsMs, undefined].map((_step, attempts) =>
      computeRetryPause(schedule, attempts, { random: middle }),
    );
    expect(waits).toEqual([...stepsMs, undefined]);
    expect(computeRetryPause(schedule, 1_000, { random: middle })).toBeUndefined();
  });

  test("has a jitter of a tenth for each step", () => {
    for (const [attempts, stepMs] of stepsMs.entries()) {
      expect(computeRetryPause(schedule, attempts, { random: min })).toBe(Math.round(0.9 * stepMs));
      expect(computeRetryPause(schedule, attempts, { random: max })).toBe(Math.round(1.1 * stepMs));
    }
  });
});

test("an event is stored for a day longer than its attempts take", () => {
  const maxMs = webhookSchedule.reduce(
    (sumMs, _, attempts) =>
      sumMs + (computeRetryPause(webhookSchedule, attempts, { random: max }) ?? 0),
    0,
  );
  expect(maxDeliveryMs(webhookSchedule)).toBeGreaterThanOrEqual(maxMs + 24 * hourMs);
  expect(maxDeliveryMs([hourMs, 9 * hourMs])).toBe(35 * hourMs);
});

const after = (attempts: number, retryAfterMs: number | undefined) =>
  computeRetryPause(webhookSchedule, attempts, { retryAfterMs, random: middle });

describe("a Retry-After", () => {
  test("delays the attempt where it is longer than the step", () => {
    expect(after(1, 60_000)).toBe(60_000);
    expect(after(1, 5_001)).toBe(5_001);
  });

  test("is ignored where it is shorter or absent", () => {
    expect(after(1, 4_999)).toBe(5_000);
    expect(after(1, undefined)).toBe(5_000);
    expect(computeRetryPause(webhookSchedule, 9, { retryAfterMs: 1, random: max })).toBe(
      26.4 * hourMs,
    );
  });

  test("is capped at a day", () => {
    expect(after(1, 24 * hourMs + 1)).toBe(24 * hourMs);
    expect(after(1, Infinity)).toBe(24 * hourMs);
  });

  test("makes no attempt after the last one", () => {
    expect(after(10, 60_000)).toBeUndefined();
  });
});

test.each<[what: string, happenedMs: number[], lastDueMs: number, expected: number[]]>([
  ["apart", [20_000, 30_000], 0, [10_000, 20_000]],
  ["at the same time", [20_000, 20_000, 20_000, 20_002], 0, [10_000, 10_001, 10_002, 10_003]],
  ["after others that still wait", [20_000, 20_000], 19_999, [20_000, 20_001]],
  ["more than fit before now", [20_000, 20_000, 20_000], 49_999, [50_000, 50_000, 50_000]],
])(
  "past events that happened %s are due in their order, and not later than now",
  (_, happenedMs, lastDueMs, expected) => {
    expect(computePastDueTimes(happenedMs, { lastDueMs, nowMs: 50_000 })).toEqual(expected);
  },
);

describe("the number of deliveries that an endpoint gets at once", () => {
  const quick = { isDelivered: true, durationMs: 5, areMoreDue: true };
  const failed = { ...quick, isDelivered: false };
  const slow = { ...quick, durationMs: 5_001 };
  type Ended = Parameters<typeof adaptConcurrency>[1];
  const times = (count: number, ended: Ended) => Array.from({ length: count }, () => ended);
  const adapt = (from: Concurrency, attempts: Ended[]) =>
    attempts.reduce((each, ended) => adaptConcurrency(each, ended), from);
  const first = createConcurrency({ isFailing: false });
  const most = adapt(first, times(28 * 8, quick));

  test.each<[what: string, from: Concurrency, attempts: Ended[], count: number]>([
    ["is four at first", first, [], 4],
    ["stays until eight have succeeded", first, times(7, quick), 4],
    ["is one more after eight", first, times(8, quick), 5],
    ["and again after eight", first, times(16, quick), 6],
    ["does not rise while no more wait", first, times(80, { ...quick, areMoreDue: false }), 4],
    ["is 31 just before the maximum", first, times(28 * 8 - 1, quick), 31],
    ["is 32 at most", most, times(800, quick), 32],
    ["is half after a failure", most, [failed], 16],
    ["is half after each failure", most, [failed, failed], 8],
    ["is half, rounded down", first, [...times(8, quick), failed], 2],
    ["counts eight anew after a failure", most, [failed, ...times(7, quick)], 16],
    ["rises again after a failure", most, [failed, ...times(8, quick)], 17],
    ["is half after an answer that took more than five seconds", most, [slow], 16],
    ["stays after an answer that took five seconds", most, [{ ...quick, durationMs: 5_000 }], 32],
    ["is at least one", first, times(20, slow), 1],
    ["is one after three failures in a row", most, times(3, failed), 1],
    ["is a small part of it as soon as one succeeds", most, [...times(3, failed), quick], 4],
    ["is more than one if the failures are not in a row", most, [failed, failed, quick, failed], 4],
    ["of an endpoint that fails already is one", createConcurrency({ isFailing: true }), [], 1],
    ["of one that failed is four again", createConcurrency({ isFailing: true }), [quick], 4],
  ])("%s", (_, from, attempts, count) => {
    expect(getMaxConcurrent(adapt(from, attempts))).toBe(count);
  });

  test("is one with pauses only after three failures in a row", () => {
    const pauses = [failed, failed, failed, failed, slow, failed].map((_ended, at, all) =>
      isPausing(adapt(first, all.slice(0, at + 1))),
    );
    expect(pauses).toEqual([false, false, true, true, false, false]);
  });

  test("with one failure in fifty stays between six and twelve", () => {
    const round = [...times(49, quick), failed];
    const settled = adapt(most, Array.from({ length: 10 }, () => round).flat());
    expect(getMaxConcurrent(settled)).toBeGreaterThanOrEqual(5);
    expect(getMaxConcurrent(adapt(settled, times(49, quick)))).toBeLessThanOrEqual(12);
  });
});
