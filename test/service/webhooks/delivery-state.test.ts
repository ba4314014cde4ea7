import { describe, expect, test } from "vitest";
import {
  listenerSchedule,
  computeNextAttempt,
  computePastDueTimes,
  maxDeliveryMs,
  webhookSchedule,
  type Schedule,
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
      computeNextAttempt(schedule, attempts, { random: middle }),
    );
    expect(waits).toEqual([...stepsMs, undefined]);
    expect(computeNextAttempt(schedule, 1_000, { random: middle })).toBeUndefined();
  });

  test("has a jitter of a tenth for each step", () => {
    for (const [attempts, stepMs] of stepsMs.entries()) {
      expect(computeNextAttempt(schedule, attempts, { random: min })).toBe(
        Math.round(0.9 * stepMs),
      );
      expect(computeNextAttempt(schedule, attempts, { random: max })).toBe(
        Math.round(1.1 * stepMs),
      );
    }
  });
});

test("an event is stored for a day longer than its attempts take", () => {
  const maxMs = webhookSchedule.reduce(
    (sumMs, _, attempts) =>
      sumMs + (computeNextAttempt(webhookSchedule, attempts, { random: max }) ?? 0),
    0,
  );
  expect(maxDeliveryMs(webhookSchedule)).toBeGreaterThanOrEqual(maxMs + 24 * hourMs);
  expect(maxDeliveryMs([hourMs, 9 * hourMs])).toBe(35 * hourMs);
});

const after = (attempts: number, retryAfterMs: number | undefined) =>
  computeNextAttempt(webhookSchedule, attempts, { retryAfterMs, random: middle });

describe("a Retry-After", () => {
  test("delays the attempt where it is longer than the step", () => {
    expect(after(1, 60_000)).toBe(60_000);
    expect(after(1, 5_001)).toBe(5_001);
  });

  test("is ignored where it is shorter or absent", () => {
    expect(after(1, 4_999)).toBe(5_000);
    expect(after(1, undefined)).toBe(5_000);
    expect(computeNextAttempt(webhookSchedule, 9, { retryAfterMs: 1, random: max })).toBe(
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
