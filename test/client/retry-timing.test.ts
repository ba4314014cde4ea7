import { describe, expect, test } from "vitest";
import { parseRetryAfter, computeRetryDelay } from "../../src/client/retry-timing.ts";

const nowMs = Date.UTC(2026, 10, 15, 12);
const least = () => 0;
const most = () => 1;
const delayMs = (attempt: number, retryAfter: string | undefined, random: () => number) =>
  computeRetryDelay(attempt, parseRetryAfter(retryAfter, nowMs), random);
const inSeconds = (seconds: number) => new Date(nowMs + seconds * 1000).toUTCString();

describe("without Retry-After", () => {
  test.each([
    [0, 500],
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 8_000],
    [19, 8_000],
  ])("try %d waits from nothing to %d ms", (attempt, longestMs) => {
    expect(delayMs(attempt, undefined, least)).toBe(0);
    expect(delayMs(attempt, undefined, () => 0.5)).toBe(longestMs / 2);
    expect(delayMs(attempt, undefined, most)).toBe(longestMs);
  });
});

describe("a Retry-After", () => {
  test.each<[string, number]>([
    ["0", 0],
    ["1", 1_000],
    ["7", 7_000],
    ["60", 60_000],
    [inSeconds(3), 3_000],
    [inSeconds(60), 60_000],
    [inSeconds(-30), 0],
  ])("of %j is waited for", (retryAfter, waitMs) => {
    expect(delayMs(0, retryAfter, least)).toBe(waitMs);
  });

  test.each(["61", "3600", "99999999999999", inSeconds(61), inSeconds(86_400)])(
    "of %j is too long to wait for",
    (retryAfter) => {
      expect(delayMs(0, retryAfter, least)).toBeUndefined();
    },
  );

  test("never shortens the backoff", () => {
    expect(delayMs(4, "1", most)).toBe(8_000);
    expect(delayMs(0, "0", most)).toBe(500);
  });

  test.each(["", "soon", "-1", "1.5s"])(
    "of %j means nothing, and the backoff stands",
    (retryAfter) => {
      expect(delayMs(1, retryAfter, most)).toBe(1_000);
    },
  );
});
