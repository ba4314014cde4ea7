import { afterEach, describe, expect, test, vi } from "vitest";
import { formatAge, formatLocalTime } from "../../../src/cli/output/style.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a time", () => {
  test.each([
    ["UTC", "2026-11-15 04:05:09"],
    ["America/New_York", "2026-11-14 23:05:09"],
    ["Asia/Kolkata", "2026-11-15 09:35:09"],
  ])("is local in %s", (zone, written) => {
    vi.stubEnv("TZ", zone);
    expect(formatLocalTime(Date.UTC(2026, 10, 15, 4, 5, 9) / 1000)).toBe(written);
  });

  test("beyond the range of dates is shown as a number", () => {
    expect(formatLocalTime(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  });
});

describe("a time in a table", () => {
  const nowMs = Date.UTC(2026, 10, 15, 12) + 500;
  const now = Math.floor(nowMs / 1000);

  test.each([
    [now + 2, "0s ago"],
    [now - 59, "59s ago"],
    [now - 60, "1m ago"],
    [now - 3_599, "59m ago"],
    [now - 3_600, "1h ago"],
    [now - 86_399, "23h ago"],
    [now - 86_400, "2026-11-14"],
    [Number.MIN_SAFE_INTEGER, "-9007199254740991"],
  ])("%d is an age within a day, else a date: %s", (seconds, written) => {
    vi.stubEnv("TZ", "UTC");
    expect(formatAge(seconds, nowMs)).toBe(written);
  });
});
