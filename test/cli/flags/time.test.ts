import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseDuration } from "../../../src/cli/flags/checked-values.ts";
import { parseTime } from "../../../src/cli/flags/list-flags.ts";

describe("a duration", () => {
  test.each([
    ["0s", 0],
    ["500ms", 500],
    ["2s", 2_000],
    ["1.5s", 1_500],
    ["0.001s", 1],
    ["5m", 300_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text, "--timeout")).toBe(ms);
  });

  test.each([
    "",
    "5",
    "s",
    "-1s",
    "+1s",
    "1 s",
    "1S",
    "1w",
    "1y",
    "1e3s",
    "1s1s",
    "Infinity",
    " 1s",
  ])("%j is refused, with the flag and how to write one", (text) => {
    expect(() => parseDuration(text, "--timeout")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "--timeout must be a duration such as 500ms, 2s, 5m, 24h or 7d.",
      }),
    );
  });
});

test("may have a maximum", () => {
  expect(parseDuration("24h", "--overlap", "1d")).toBe(86_400_000);
  expect(() => parseDuration("25h", "--overlap", "1d")).toThrow("--overlap must be at most 1d.");
});

const nowMs = Date.UTC(2026, 10, 15, 12, 0, 0, 900);
const toSeconds = (...at: Parameters<typeof Date.UTC>) => Date.UTC(...at) / 1000;

beforeEach(() => {
  vi.stubEnv("TZ", "America/New_York");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a point in time", () => {
  test.each([
    ["0", 0],
    ["1767225600", 1_767_225_600],
    ["24h", toSeconds(2026, 10, 14, 12)],
    ["7d", toSeconds(2026, 10, 8, 12)],
    ["90m", toSeconds(2026, 10, 15, 10, 30)],
    ["1.5h", toSeconds(2026, 10, 15, 10, 30)],
    ["1s", toSeconds(2026, 10, 15, 11, 59, 59)],
    ["99999d", 0], // longer ago than any time that can be said
    ["2026-11-15T09:30:00Z", toSeconds(2026, 10, 15, 9, 30)],
    ["2026-11-15T09:30:00.999Z", toSeconds(2026, 10, 15, 9, 30)],
    ["2026-11-15T09:30+01:00", toSeconds(2026, 10, 15, 8, 30)],
    ["2028-02-29T00:00Z", toSeconds(2028, 1, 29)],
  ])("%s is %d", (text, at) => {
    expect(parseTime(text, "--created-gte", nowMs)).toBe(at);
  });

  test.each([
    ["2026-11-15", toSeconds(2026, 10, 15, 5)],
    ["2026-11-15T09:30", toSeconds(2026, 10, 15, 14, 30)],
    ["2026-11-15T09:30:15", toSeconds(2026, 10, 15, 14, 30, 15)],
    ["2026-07-01", toSeconds(2026, 6, 1, 4)],
  ])("%s without a zone is local, here in New York", (text, at) => {
    expect(parseTime(text, "--created-gte", nowMs)).toBe(at);
  });

  test.each([
    "",
    "yesterday",
    "-1",
    "1.5",
    "7w",
    "2026-11",
    "2026-13-01",
    "2026-02-30",
    "2026-02-29T12:00Z",
    "2026-11-31T00:00",
    "2026-11-15T25:00",
    "2026-11-15 09:30",
    "15.11.2026",
    "11/15/2026",
    "1969-12-31T00:00Z",
    "1234567890123",
  ])("%j is refused, with the flag and how to write one", (text) => {
    expect(() => parseTime(text, "--created-lt", nowMs)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message:
          "--created-lt must be Unix seconds, a date or time such as 2026-11-01 or 2026-11-01T09:30, or an age such as 24h or 7d.",
      }),
    );
  });
});
